#include "specs/python/pytorch_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::specs {

std::string pytorch_build(const std::string& package, const std::string& version) {
  if (!package.starts_with("torch")) return "";
  const auto build = local_label(version);
  const bool known = build == "cpu" || build.starts_with("cu") || build.starts_with("rocm") || build == "xpu";
  return known ? build : "";
}

std::string pytorch_index(const std::string& build) {
  const auto fine = [](unsigned char c) { return c < 0x80 && (std::isalnum(c) || c == '.'); };
  if (build.empty() || build.front() == '.' || !std::ranges::all_of(build, fine))
    throw bad_input(fmt::format("{} is no name of an index of PyTorch, as cu126 is", in_quotes(build)));
  return "https://download.pytorch.org/whl/" + build;
}

}  // namespace stackx::specs
