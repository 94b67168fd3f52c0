// stackx workload: what can be asked for with --workload, and what there is of it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/published/workload_inventory.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"
#include "cli/commands.hpp"
#include "cli/output/print.hpp"
#include "specs/error.hpp"
#include "workspace/asked/workload.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/seeds.hpp"

namespace stackx::cli {
namespace {

struct Asked {
  specs::WorkloadFamilies families;
  std::vector<analysis::ListedFamily> listed;
};

Asked ask(const std::string& name, const Globals& globals) {
  Asked asked{specs::WorkloadFamilies::load(globals.data_directory()), {}};
  const auto questions =
      name.empty() ? workspace::open_questions(globals) : workspace::open_questions(globals, name);
  asked.listed = analysis::listed_families(asked.families, analysis::workload_inventory(questions, name));
  return asked;
}

[[noreturn]] void unknown(const std::string& name, const Asked& asked) {
  std::string near;
  for (const auto& one : asked.families.nearest(name))
    near += fmt::format("{}\"{}\"", near.empty() ? "; did you mean " : " or ", one);
  throw bad_input(fmt::format("unknown workload \"{}\"{} (`stackx workload list` names all)", name,
                              near.empty() ? "" : near + "?"));
}

nlohmann::json space_json(const specs::WorkloadSpace* space) {
  if (!space) return nullptr;
  return {{"name", space->name}, {"catalogs", space->catalogs}, {"requires", space->requires_}};
}

std::string space_text(const char* where, const specs::WorkloadSpace* space, std::size_t width) {
  if (!space) return "";
  std::string needs, catalogs;
  for (const auto& [component, range] : space->requires_)
    needs += fmt::format("{}{}{}", needs.empty() ? "" : ", ", component,
                         range == "*" ? "" : " " + range);
  for (const auto& catalog : space->catalogs) catalogs += " " + catalog;
  return analysis::wrap(fmt::format("On a {}: stacks with {}, of{}", where, needs, catalogs), 2, width) + "\n";
}

void list_workloads(const Globals& globals) {
  const Asked asked = ask("", globals);
  if (!globals.json) return workspace::write_out(analysis::list_text(asked.listed, output_width(analysis::page_width)));
  auto families = nlohmann::json::array();
  for (const auto& family : asked.listed) families.push_back(analysis::to_json(family));
  print_json({{"workloads", std::move(families)}});
}

void show_workload(const std::string& text, const Globals& globals) {
  std::string name = text.substr(0, text.find(':'));  // as --workload takes it
  Asked asked = ask(name, globals);
  if (std::ranges::find(asked.listed, name, &analysis::ListedFamily::name) == asked.listed.end())
    if (const auto meant = workspace::workload_to_measure(name, globals); meant.pi != name) {
      name = meant.pi;
      asked = ask(name, globals);
    }
  const auto found = std::ranges::find(asked.listed, name, &analysis::ListedFamily::name);
  if (found == asked.listed.end()) unknown(name, asked);
  const specs::WorkloadFamily* family = asked.families.find(name);
  const auto* gpu = family ? asked.families.gpu_space(*family) : nullptr;
  const auto* cpu = family ? asked.families.cpu_space(*family) : nullptr;
  if (globals.json) {
    auto document = analysis::to_json(*found);
    document["gpu"] = space_json(gpu);
    document["cpu"] = space_json(cpu);
    document["aliases"] = asked.families.aliases(name);
    return print_json(document);
  }
  const auto width = output_width(analysis::page_width);
  workspace::write_out(analysis::show_text(*found, width));
  const std::string spaces = space_text("GPU", gpu, width) + space_text("CPU", cpu, width);
  if (!spaces.empty()) workspace::print("\n{}", workspace::Block{spaces});
  if (const auto aliases = asked.families.aliases(name); !aliases.empty()) {
    const std::string called = fmt::format("Also called {}", fmt::join(aliases, ", "));
    workspace::print("\n{}\n", workspace::Block{analysis::wrap(called, 2, output_width())});
  }
}

}  // namespace

void add_workload(Command app, Globals& globals) {
  const auto command = app.add_subcommand(
      "workload", "What can be measured or asked for: families, their parameters, what is known");
  command.describe(
      {"A workload is a family with parameters, `NAME[:key=value,...]`: `matmul:m=1024,dtype=float16`. Parameters "
       "that are left out may be anything.",
       {{"What matmul takes", "stackx workload show matmul"}}});
  command.require_subcommand(1);
  const auto all = command.add_subcommand("list", "Every family that the store or stackx knows");
  all.callback([&globals] { list_workloads(globals); });
  auto name = std::make_shared<std::string>();
  const auto one =
      command.add_subcommand("show", "One family: parameters, hardware, where its stacks are");
  one.add_option("NAME", *name, "As in --workload").type_name("WORKLOAD").required();
  one.callback([name, &globals] { show_workload(*name, globals); });
}

}  // namespace stackx::cli
