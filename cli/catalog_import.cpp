#include "cli/catalog_import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/output/file.hpp"
#include "pypi/catalog/no_version.hpp"
#include "pypi/catalog/writer.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/pip_index.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;

struct CatalogImportOptions {
  std::vector<std::string> names, pythons;
  std::string platform = "linux x86_64", before, output;
  pypi::PipOptions pip;
  pypi::Files files = pypi::Files::wheels;
  std::size_t newest = 0;
  bool sources = false, prereleases = false, offline = false, reasons = false;
};

std::vector<pypi::Root> roots_of(const CatalogImportOptions& options, const pypi::Targets& targets) {
  std::vector<pypi::Root> roots;
  for (const auto& text : options.names) {
    if (fs::path(text).has_extension() && fs::is_regular_file(text))
      throw bad_input(fmt::format("{}: is a file; name the projects that are in it instead: tensorflow \"flask>=1.0\"", text));
    auto dependency = specs::parse_dependency(text);
    if (!dependency)
      throw bad_input(fmt::format(
          "\"{}\": column {}: {}; write it as in requirements.txt: "
          "tensorflow, \"flask>=1.0\", \"requests[security]\"",
          text, dependency.error().column, dependency.error().reason));
    if (!dependency->url.empty())
      throw bad_input(fmt::format(
          "\"{}\": names a URL, but a catalog is imported from an index; leave the URL out", text));
    pypi::Indices holds_for;
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (dependency->holds(targets[i].environment())) holds_for.push_back(i);
    if (!holds_for.empty()) roots.push_back({std::move(*dependency), holds_for});
  }
  if (roots.empty())
    throw bad_input(fmt::format("{}: the marker{} no {}: nothing to import", fmt::join(options.names, ", "),
                                options.names.size() == 1 ? " allows" : "s allow", targets.text()));
  return roots;
}

void check_date(const std::string& text) {
  int year = 0, month = 0, day = 0, length = 0;
  const bool date = std::sscanf(text.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &length) == 3;
  const std::chrono::year_month_day calendar{std::chrono::year(year),
                                             std::chrono::month(static_cast<unsigned>(month)),
                                             std::chrono::day(static_cast<unsigned>(day))};
  const bool whole = length == 10 && (text.size() == 10 || text[10] == 'T');
  if (!date || !whole || !calendar.ok())
    throw bad_input(fmt::format(
        "--before {}: expected a day or a time in UTC, like 2019-11-08 or 2019-11-08T12:00:00Z",
        text));
}

const char* to_string(pypi::Files files) {
  switch (files) {
    case pypi::Files::wheels:
      return "versions with a wheel for it";
    case pypi::Files::sdists:
      return "versions with a wheel for it or a source archive";
    case pypi::Files::any:
      return "versions with wheels for other Pythons too, which then need those";
  }
  return "?";
}

pypi::CatalogHead head(const CatalogImportOptions& options, const pypi::Targets& targets) {
  std::string roots;
  for (const auto& name : options.names) roots += (roots.empty() ? "" : ", ") + name;
  const auto day = workspace::today();
  const auto newest =
      options.newest == 0
          ? ""
          : fmt::format(", of each dependency the newest {} that each requirement allows",
                        options.newest);
  return {fmt::format("{} and all that they may require: {}, {}{}, pre-releases {}{}{}", roots,
                      targets.text(), to_string(options.files),
                      options.sources ? ", which are artifacts" : "",
                      options.prereleases ? "included" : "left out",
                      options.before.empty() ? "" : ", uploaded before " + options.before, newest),
          fmt::format("PyPI simple index, as configured for pip (read {})", day)};
}

// One file that no server gives is left out; all of them are an index, or a network, that is not in order.
void check_some_came(const pypi::Index& index) {
  const auto& missed = index.missed();
  if (missed.files > 0 && missed.all)
    throw broken_environment(
        fmt::format("none of the {} files that were asked for came; the last: {}", missed.files, missed.last));
}

void say_reasons(const std::string& name, const pypi::Project& project) {
  for (const auto& one : project.left_out) workspace::say("{} {}: {}\n", name, one.version, one.reason);
}

// True if all that the user named can be had. Else says of what there is none, and what there is instead.
bool all_can_be_had(const pypi::Closure& closure, const std::vector<pypi::Root>& roots) {
  std::map<std::string, pypi::Ranges> asked;
  for (const auto& root : roots) asked[root.dependency.name].push_back(root.dependency.versions);
  bool all = true;
  for (const auto& [name, ranges] : asked) {
    const auto found = closure.find(name);
    if (found == closure.end() || !found->second.releases.empty()) continue;
    workspace::say("stackx: {}\n", pypi::why_no_version(name, ranges, found->second));
    all = false;
  }
  return all;
}

void summarize(const pypi::Closure& closure, const CatalogImportOptions& options, const pypi::Index& index) {
  std::size_t versions = 0, left_out = 0;
  for (const auto& [name, project] : closure) {
    versions += project.releases.size();
    left_out += project.left_out.size();
    if (project.releases.empty())
      workspace::say("{}: no usable version: {}\n", name,
                     !project.fault.empty() ? project.fault
                     : project.known        ? pypi::count_reasons(project.left_out)
                                            : "not on the index");
    if (options.reasons) say_reasons(name, project);
  }
  workspace::say("{}, {}, {} left out{}; {}\n", workspace::counted(closure.size(), "project"),
                 workspace::counted(versions, "version"), left_out,
                 left_out > 0 && !options.reasons ? " (--reasons says why)" : "",
                 workspace::counted(index.requests(), "request"));
  if (const auto missed = index.missed().files; missed > 0)
    workspace::say("{} not come this time: another run asks again\n",
                   missed == 1 ? "1 file did" : fmt::format("{} files did", missed));
}

void import_pypi(const CatalogImportOptions& options, Globals& globals) {
  const pypi::Targets targets(options.pythons, options.platform);
  const auto roots = roots_of(options, targets);
  if (!options.before.empty()) check_date(options.before);
  workspace::PipIndex index(options.pip, options.offline);
  const auto closure = pypi::walk(
      roots, targets,
      {options.files, options.before, options.prereleases, options.sources, options.newest}, *index);
  index.finish();
  check_some_came(*index);
  const auto text = pypi::write_catalog(closure, targets, head(options, targets));
  specs::check(specs::parse_catalog(specs::Node::parse_text(text, "the imported catalog")),
               "the imported catalog");
  write_output(options.output, text);
  summarize(closure, options, *index);
  if (!all_can_be_had(closure, roots)) globals.exit_code = 1;
}

// Names and meaning are pip's.
void add_index_options(Command command, pypi::PipOptions& pip) {
  command.add_option("--index-url", pip.index_url, "Another index than pip's").type_name("URL");
  command.add_option("--extra-index-url", pip.extra_index_urls, "A further index, beside pip's own extra ones; may be repeated")
      .type_name("URL")
      .one_each();
  command.add_option("--find-links", pip.find_links,
                     "A directory of wheels and source archives, or a page of links to some; may be repeated")
      .type_name("PATH|URL")
      .one_each();
  command.add_flag("--no-index", pip.no_index, "Ask no index: what --find-links names, alone");
  command.add_option("--timeout", pip.timeout_seconds, "Wait so long for a server that says nothing [pip's, else 15]")
      .type_name("SECONDS")
      .check(within(std::uint64_t{1}, std::uint64_t{3600}));
  command.add_option("--pip", pip.python, "Python that has the pip to ask").type_name("PYTHON").show_default();
}

}  // namespace

void add_catalog_import(Command catalog, Globals& globals) {
  auto options = std::make_shared<CatalogImportOptions>();
  const auto command = catalog.add_subcommand("import", "Make a catalog from what others publish");
  command.require_subcommand(1);
  const auto pypi = command.add_subcommand(
      "pypi",
      "Python projects and all that they may require, from the package index that pip uses");
  pypi.add_option(
          "names", options->names,
          "Projects, as in requirements.txt: tensorflow \"flask>=1.0\"; a project named twice "
          "in both ranges: numpy==1.26.4 numpy==2.2.6")
      .type_name("REQUIREMENT")
      .required();
  pypi.add_option("--python", options->pythons,
                   "Python to import for, like 3.7; say it again for each further one")
      .type_name("X.Y")
      .required()
      .one_each();
  pypi.add_option("--platform", options->platform,
                   "Platform to import for: linux x86_64, manylinux2014_aarch64, macos arm64, "
                   "windows amd64")
      .type_name("PLATFORM")
      .show_default();
  pypi.add_option("--before", options->before, "Only files uploaded before this day (UTC)")
      .type_name("DATE");
  pypi.add_flag("--pre", options->prereleases, "Pre-releases too");
  pypi.add_choice<pypi::Files>(
          "--files", options->files,
          {{"wheels", pypi::Files::wheels}, {"sdists", pypi::Files::sdists}, {"any", pypi::Files::any}},
          "wheels: versions with a wheel for the target; sdists: also those that pip would "
          "build; any: also those with wheels for other Pythons alone, which then require such a "
          "Python")
      .default_text("wheels")
      .option_text("wheels|sdists|any [wheels]");
  pypi.add_flag(
      "--sdists", options->sources,
      "Like --files sdists, and with the source archives as artifacts, to be built where "
      "no wheel fits");
  pypi.add_option("--newest", options->newest,
                   "Of each dependency only the newest N that each requirement on it allows: a "
                   "smaller catalog, with fewer stacks")
      .type_name("N")
      .check(at_least_one());
  pypi.add_option("-o,--output", options->output, "Catalog to write, instead of stdout")
      .type_name("FILE");
  pypi.add_flag("--reasons", options->reasons, "Say of each version left out why");
  add_index_options(pypi, options->pip);
  pypi.add_flag("--offline", options->offline, "From the cache alone");
  pypi.callback([options, &globals] {
    if (options->sources && options->files == pypi::Files::wheels)
      options->files = pypi::Files::sdists;
    import_pypi(*options, globals);
  });
}

}  // namespace stackx::cli
