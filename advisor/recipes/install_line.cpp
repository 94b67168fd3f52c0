#include "advisor/recipes/install_line.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>
namespace stackx::advisor {
std::string install_line(const Pinned& pinned) {
  std::string line = "pip install", index;
  for (const auto& package : pinned.packages) {
    if (!package.index.empty()) index = package.index;
    const auto text = fmt::format("{}{}=={}", package.name, package.extras.empty() ? "" : fmt::format("[{}]", fmt::join(package.extras, ",")), package.version);
    if (package.asked) line += package.extras.empty() ? " " + text : " \"" + text + "\"";
  }
  return index.empty() ? line : line + " --extra-index-url https://download.pytorch.org/whl/" + index;
}
}
