#include "workspace/index/index_catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "pypi/catalog/writer.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "workspace/words.hpp"

namespace stackx::workspace {
namespace {

pypi::Files files_of(const specs::Imported& asked) {
  return asked.files == "any" ? pypi::Files::any : asked.files == "sdists" ? pypi::Files::sdists : pypi::Files::wheels;
}

const char* in_words(pypi::Files files) {
  switch (files) {
    case pypi::Files::wheels: return "versions with a wheel for it";
    case pypi::Files::sdists: return "versions with a wheel for it or a source archive";
    case pypi::Files::any: return "versions with wheels for other Pythons too, which then need those";
  }
  return "?";
}

std::vector<pypi::Root> roots_of(const specs::Imported& asked, const pypi::Targets& targets) {
  std::vector<pypi::Root> roots;
  for (const auto& text : asked.names) {
    if (std::filesystem::path(text).has_extension() && std::filesystem::is_regular_file(text))
      throw bad_input(fmt::format("{}: is a file; name the projects that are in it instead: tensorflow \"flask>=1.0\"", text));
    auto dependency = specs::parse_dependency(text);
    if (!dependency)
      throw bad_input(fmt::format(
          "\"{}\": column {}: {}; write it as in requirements.txt: "
          "tensorflow, \"flask>=1.0\", \"requests[security]\"",
          text, dependency.error().column, dependency.error().reason));
    if (!dependency->url.empty())
      throw bad_input(fmt::format("\"{}\": names a URL, but a catalog is imported from an index; leave the URL out", text));
    pypi::Indices holds_for;
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (dependency->holds(targets[i].environment())) holds_for.push_back(i);
    if (!holds_for.empty()) roots.push_back({std::move(*dependency), holds_for});
  }
  if (roots.empty())
    throw bad_input(fmt::format("{}: the marker{} no {}: nothing to import", fmt::join(asked.names, ", "),
                                asked.names.size() == 1 ? " allows" : "s allow", targets.text()));
  return roots;
}

void check_date(const std::string& text) {
  int year = 0, month = 0, day = 0, length = 0;
  const bool date = std::sscanf(text.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &length) == 3;
  const std::chrono::year_month_day calendar{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                             std::chrono::day(static_cast<unsigned>(day))};
  const bool whole = length == 10 && (text.size() == 10 || text[10] == 'T');
  if (!date || !whole || !calendar.ok())
    throw bad_input(fmt::format("--before {}: expected a day or a time in UTC, like 2019-11-08 or 2019-11-08T12:00:00Z", text));
}

pypi::CatalogHead head_of(const specs::Imported& asked, const pypi::Targets& targets) {
  const auto newest =
      asked.newest == 0 ? "" : fmt::format(", of each dependency the newest {} that each requirement allows", asked.newest);
  return {fmt::format("{} and all that they may require: {}, {}{}, pre-releases {}{}{}", fmt::join(asked.names, ", "), targets.text(),
                      in_words(files_of(asked)), asked.sources ? ", which are artifacts" : "",
                      asked.prereleases ? "included" : "left out", asked.before.empty() ? "" : ", uploaded before " + asked.before,
                      newest),
          fmt::format("PyPI simple index, as configured for pip (read {})", today()), asked};
}

// One file that no server gives is left out; all of them are an index, or a network, that is not in order.
void check_some_came(const pypi::Index& index) {
  const auto& missed = index.missed();
  if (missed.files > 0 && missed.all)
    throw broken_environment(fmt::format("none of the {} files that were asked for came; the last: {}", missed.files, missed.last));
}

}  // namespace

void check_asked(const specs::Imported& asked) {
  (void)roots_of(asked, pypi::Targets(asked.pythons, asked.platform));
  if (!asked.before.empty()) check_date(asked.before);
}

IndexCatalog index_catalog(const specs::Imported& asked, pypi::Index& index) {
  const pypi::Targets targets(asked.pythons, asked.platform);
  IndexCatalog result{roots_of(asked, targets), {}, {}};
  if (!asked.before.empty()) check_date(asked.before);
  result.closure = pypi::walk(
      result.roots, targets,
      {files_of(asked), asked.before, asked.prereleases, asked.sources, static_cast<std::size_t>(asked.newest)}, index);
  check_some_came(index);
  result.text = pypi::write_catalog(result.closure, targets, head_of(asked, targets));
  specs::check(specs::parse_catalog(specs::Node::parse_text(result.text, "the imported catalog")), "the imported catalog");
  return result;
}

}  // namespace stackx::workspace
