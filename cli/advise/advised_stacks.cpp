#include "cli/advise/advised_stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "blame/asked.hpp"
#include "inspector/machine/host.hpp"
#include "resolver/resolver.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/package_list.hpp"
#include "workspace/one_version.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;
using Versions = std::set<std::pair<std::string, std::string>>;  // component, version

Versions versions_of(const std::vector<specs::Stack>& stacks) {
  Versions result;
  for (const auto& stack : stacks) result.insert(stack.components.begin(), stack.components.end());
  return result;
}

// The hardware's version is this machine's, which no catalog lists.
bool knows(const specs::Catalog& catalog, const std::string& name, const std::string& version) {
  const auto* component = catalog.find(name);
  return component && (component->kind == specs::Kind::hardware || component->find(version));
}

struct Shipped {
  fs::path file;
  specs::Catalog catalog;
};

// Those that declare any of the components.
std::vector<Shipped> shipped_catalogs(const Versions& versions, const fs::path& data) {
  std::vector<Shipped> result;
  for (const auto& file : specs::json_files(data)) {
    const auto document = specs::Node::parse_file(file);
    const auto declared = document.find("components");
    if (!declared || document.kind() != "stackx/catalog/1") continue;
    const bool concerns = std::ranges::any_of(versions, [&](const auto& one) { return declared->find(one.first).has_value(); });
    if (concerns) result.push_back({file, specs::load_catalog(file)});
  }
  return result;
}

// The catalogs to take, and what none of them knows: the one that knows most of what is still to be found, until none knows more.
std::pair<std::vector<fs::path>, Versions> fewest(std::vector<Shipped> shipped, Versions open) {
  std::vector<fs::path> chosen;
  while (!open.empty() && !shipped.empty()) {
    const auto known = [&](const Shipped& one) {
      return std::ranges::count_if(open, [&](const auto& version) { return knows(one.catalog, version.first, version.second); });
    };
    const auto best = std::ranges::max_element(shipped, {}, known);
    if (known(*best) == 0) break;
    std::erase_if(open, [&](const auto& version) { return knows(best->catalog, version.first, version.second); });
    chosen.push_back(best->file);
    shipped.erase(best);
  }
  return {std::move(chosen), std::move(open)};
}

// A Python and what no catalog declares as anything but a package.
bool is_of_packages(const specs::Stack& stack, const std::vector<Shipped>& shipped) {
  const auto is_package = [&](const auto& entry) {
    return entry.first == "python" || std::ranges::none_of(shipped, [&](const Shipped& one) {
             const auto* component = one.catalog.find(entry.first);
             return component && (component->kind != specs::Kind::package || component->ecosystem != "pypi");
           });
  };
  return stack.components.contains("python") && stack.components.size() > 1 && std::ranges::all_of(stack.components, is_package);
}

std::string as_packages(const specs::Stack& stack) {
  std::string text;
  for (const auto& [name, version] : stack.components)
    if (name != "python") text += (text.empty() ? "" : " ") + specs::exact_requirement(name, version);
  return text;
}

// Extras are components of the stacks; to blame they are what packages are asked for with, and no components.
void add_extras(specs::Catalog& catalog, const Versions& versions) {
  for (const auto& [name, version] : versions) {
    if (name.find('+') == name.npos || catalog.find(name, version)) continue;
    auto extra = workspace::one_version(name, specs::Kind::package, specs::Versioning::pep440, version, "the advice");
    const auto [known, is_new] = catalog.components.emplace(name, extra);
    if (!is_new) known->second.versions.push_back(extra.versions.front());
  }
}

Buildable of_packages(const AdvisedStacks& asked, const workspace::Context& context) {
  blame::BlameOptions options;
  options.old_end = as_packages(asked.stacks.back());
  options.new_end = as_packages(asked.stacks.front());
  options.python = asked.stacks.front().components.at("python");
  options.pi = asked.pi.string();
  if (options.pi.empty()) options.workload = asked.workload.text();
  options.offline = asked.offline;
  auto made = blame::ask(options, context);
  made.job.loaded.project.file = asked.advice;
  add_extras(made.job.loaded.catalog, versions_of(asked.stacks));
  return {std::move(made.job.loaded), std::move(made.question.program)};
}

void bind_here(workspace::Loaded& loaded, const Versions& versions, const workspace::Context& context) {
  for (const auto& [name, version] : versions)
    if (name == "cpu" || name == "gpu") loaded.project.hardware[name] = "host";
  loaded.host = inspector::detect_host(context.data_directory());
  loaded.device = workspace::device_of(loaded.host, {});
  resolver::bind_host(loaded.project, loaded.catalog, loaded.host, loaded.device ? loaded.device->card : loaded.host.gpus.size());
}

void check_known(const workspace::Loaded& loaded, const AdvisedStacks& asked) {
  for (const auto& stack : asked.stacks)
    for (const auto& [name, version] : stack.components) {
      if (loaded.catalog.find(name, version) != nullptr) continue;
      const auto here = loaded.project.hardware.find(name);
      throw bad_input(here != loaded.project.hardware.end()
                          ? fmt::format("{}: stack {} is for {} {}, and this machine has {}; verify it on such a machine",
                                        asked.advice.string(), stack.short_id(), name, version, here->second)
                          : fmt::format("{}: stack {}: no catalog knows {} {}; name the project or the catalog it was measured with: "
                                        "--project FILE, --catalog FILE",
                                        asked.advice.string(), stack.short_id(), name, version));
    }
}

}  // namespace

Buildable buildable(const AdvisedStacks& asked, const workspace::Context& context) {
  Buildable result;
  auto& loaded = result.loaded;
  if (!asked.project.empty()) {
    loaded = workspace::load(asked.project, context);
  } else {
    const auto versions = versions_of(asked.stacks);
    auto catalogs = asked.catalogs;
    if (catalogs.empty()) {
      const auto shipped = shipped_catalogs(versions, context.data_directory());
      auto [chosen, open] = fewest(shipped, versions);
      const auto packages = [&](const specs::Stack& stack) { return is_of_packages(stack, shipped); };
      if (!open.empty() && std::ranges::all_of(asked.stacks, packages)) return of_packages(asked, context);
      catalogs = std::move(chosen);
    }
    loaded.project.file = asked.advice;
    loaded.catalog = specs::load_catalogs(catalogs);
    bind_here(loaded, versions, context);
  }
  check_known(loaded, asked);
  if (!asked.pi.empty()) result.program = specs::foreign_program(asked.pi);
  return result;
}

}  // namespace stackx::cli
