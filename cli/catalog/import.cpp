#include "cli/catalog/import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/output/file.hpp"
#include "pypi/catalog/no_version.hpp"
#include "pypi/catalog/writer.hpp"
#include "workspace/index/index_catalog.hpp"
#include "workspace/index/pip_index.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

struct CatalogImportOptions {
  specs::Imported asked;
  std::string output;
  pypi::PipOptions pip;
  pypi::Files files = pypi::Files::wheels;
  bool offline = false, reasons = false;
};

const char* to_string(pypi::Files files) {
  return files == pypi::Files::any ? "any" : files == pypi::Files::sdists ? "sdists" : "wheels";
}

void say_reasons(const std::string& name, const pypi::Project& project) {
  for (const auto& one : project.left_out) workspace::remark("{} {}: {}\n", name, one.version, one.reason);
}

// True if all that the user named can be had. Else says of what there is none, and what there is instead.
bool all_can_be_had(const pypi::Closure& closure, const std::vector<pypi::Root>& roots) {
  std::map<std::string, pypi::Ranges> asked;
  for (const auto& root : roots) asked[root.dependency.name].push_back(root.dependency.versions);
  bool all = true;
  for (const auto& [name, ranges] : asked) {
    const auto found = closure.find(name);
    if (found == closure.end() || !found->second.releases.empty()) continue;
    workspace::remark("stackx: {}\n", pypi::why_no_version(name, ranges, found->second));
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
      workspace::remark("{}: no usable version: {}\n", name,
                        !project.fault.empty() ? project.fault
                        : project.known        ? pypi::count_reasons(project.left_out)
                                               : "not on the index");
    if (options.reasons) say_reasons(name, project);
  }
  workspace::remark("{}, {}, {} left out{}; {}\n", workspace::counted(closure.size(), "project"),
                    workspace::counted(versions, "version"), left_out,
                    left_out > 0 && !options.reasons ? " (--reasons says why)" : "",
                    workspace::counted(index.requests(), "request"));
  if (const auto missed = index.missed().files; missed > 0)
    workspace::remark("{} not come this time: another run asks again\n",
                      missed == 1 ? "1 file did" : fmt::format("{} files did", missed));
}

void import_pypi(CatalogImportOptions options, Globals& globals) {
  options.asked.files = to_string(options.files);
  workspace::check_asked(options.asked);
  workspace::PipIndex index(options.pip, options.offline);
  const auto made = workspace::index_catalog(options.asked, *index);
  index.finish();
  write_output(options.output, made.text);
  summarize(made.closure, options, *index);
  if (!all_can_be_had(made.closure, made.roots)) globals.exit_code = 1;
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
          "names", options->asked.names,
          "Projects, as in requirements.txt: tensorflow \"flask>=1.0\"; a project named twice "
          "in both ranges: numpy==1.26.4 numpy==2.2.6")
      .type_name("REQUIREMENT")
      .required();
  pypi.add_option("--python", options->asked.pythons,
                   "Python to import for, like 3.7; say it again for each further one")
      .type_name("X.Y")
      .required()
      .one_each();
  pypi.add_option("--platform", options->asked.platform,
                   "Platform to import for: linux x86_64, manylinux2014_aarch64, macos arm64, "
                   "windows amd64")
      .type_name("PLATFORM")
      .show_default();
  pypi.add_option("--before", options->asked.before, "Only files uploaded before this day (UTC)")
      .type_name("DATE");
  pypi.add_flag("--pre", options->asked.prereleases, "Pre-releases too");
  pypi.add_choice<pypi::Files>(
          "--files", options->files,
          {{"wheels", pypi::Files::wheels}, {"sdists", pypi::Files::sdists}, {"any", pypi::Files::any}},
          "wheels: versions with a wheel for the target; sdists: also those that pip would "
          "build; any: also those with wheels for other Pythons alone, which then require such a "
          "Python")
      .default_text("wheels")
      .option_text("wheels|sdists|any [wheels]");
  pypi.add_flag(
      "--sdists", options->asked.sources,
      "Like --files sdists, and with the source archives as artifacts, to be built where "
      "no wheel fits");
  pypi.add_option("--newest", options->asked.newest,
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
    if (options->asked.sources && options->files == pypi::Files::wheels)
      options->files = pypi::Files::sdists;
    import_pypi(*options, globals);
  });
}

}  // namespace stackx::cli
