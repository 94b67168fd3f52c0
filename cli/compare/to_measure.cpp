#include "cli/compare/to_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "advisor/check/asked.hpp"
#include "advisor/facts/knowledge.hpp"
#include "advisor/recipes/quoting.hpp"
#include "specs/format/listed.hpp"

namespace stackx::cli {
namespace {

using advisor::shell_quoted;

bool is_version(const std::string& text) { return text.find('=') != text.npos && text.find('/') == text.npos; }

bool is_list(const std::string& text) {
  std::error_code error;
  return std::filesystem::is_regular_file(text, error);
}

// "cublas" of "cublas=12.9,driver=550".
std::vector<std::string> names_in(const std::string& versions) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < versions.size();) {
    const auto end = std::min(versions.find(',', at), versions.size());
    const auto part = versions.substr(at, end - at);
    names.push_back(part.substr(0, part.find('=')));
    at = end + 1;
  }
  return names;
}

// The packages that an index has of a library: {"nvidia-cublas", "nvidia-cublas-cu12"}.
std::vector<std::string> packages_of(const std::string& library, const advisor::Knowledge& knowledge) {
  std::vector<std::string> packages;
  if (knowledge.package(library)) return packages;
  for (const auto& name : knowledge.names())
    if (name == "nvidia-" + library || name.starts_with("nvidia-" + library + "-cu1")) packages.push_back(name);
  std::ranges::sort(packages);
  return packages;
}

// What others measured of it.
std::string elsewhere(const SidesOptions& options, const std::string& workload) {
  const bool of_hardware = !options.hw.empty() && options.hw != "host" && options.hw != "any";
  return of_hardware ? fmt::format("`stackx advise --hw {} --workload {} --explain`", shell_quoted(options.hw), workload) : "";
}

}  // namespace

std::string to_measure(const SidesOptions& options, const Globals& globals) {
  if (!(is_version(options.a) && is_version(options.b)) && !(is_list(options.a) && is_list(options.b))) return "";
  const auto workload = options.workload.empty() ? "matmul" : shell_quoted(options.workload);
  const auto there = elsewhere(options, workload);
  if (is_version(options.a)) {
    const auto knowledge = advisor::load_knowledge(globals, {});
    auto names = names_in(options.a);
    std::ranges::move(names_in(options.b), std::back_inserter(names));
    if (std::ranges::any_of(names, [](const auto& name) { return name == "driver" || name == "cuda" || name == "python"; }))
      return there.empty() ? "" : "; what others measured there: " + there;  // no packages, which could be installed side by side
    for (const auto& name : names)
      if (const auto packages = packages_of(name, knowledge); !packages.empty())
        return fmt::format("; {} is no package's name (the index has {}). What others measured of it: {}`stackx query upgrades --component {}`", name,
                           specs::listed(packages), there.empty() ? "" : there + " and ", name);
  }
  auto text = fmt::format("; of packages `stackx blame {} {} --workload {}`{} measures the two", shell_quoted(options.a), shell_quoted(options.b), workload,
                          there.empty() ? "" : ", on such a machine,");
  return there.empty() ? text : fmt::format("{}; what others measured there: {}", text, there);
}

}  // namespace stackx::cli
