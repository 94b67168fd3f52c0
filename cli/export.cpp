// stackx export: documents as JSON Lines, the unit of exchange between machines.
#include <fmt/core.h>

#include <optional>

#include "cli/commands.hpp"
#include "specs/error.hpp"
#include "store/merge.hpp"
#include "workspace/compressed_stream.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

struct ExportOptions {
  std::string campaign, output;
  bool published = false, seeds = false;
};

store::Which which_of(const ExportOptions& options) {
  store::Which which;
  which.campaign = options.campaign;
  which.inspections = !options.published;
  which.published = options.campaign.empty();
  which.seeds = options.seeds;
  return which;
}

void run(const ExportOptions& options, const Globals& globals) {
  const auto store = store::Store::open(store::default_path(globals.db), store::Mode::read_only);
  if (!options.campaign.empty()) {
    bool known = false;
    for (const auto& row : store.campaigns()) known = known || row.id.starts_with(options.campaign);
    if (!known)
      throw bad_input(
          fmt::format("--campaign {}: the store knows no such campaign", options.campaign));
  }
  workspace::LineWriter writer(options.output);
  std::uint64_t documents = 0;
  store::all_documents(
      store, which_of(options),
      [&](const std::string& document) {
        writer.write(document);
        ++documents;
      },
      [](const Error& error) { throw error; });  // an export that lacks something is none
  writer.finish();
  if (!options.output.empty() && options.output != "-")
    workspace::say("{} written to {}\n", workspace::counted(documents, "document"), options.output);
}

}  // namespace

void add_export(Command app, Globals& globals) {
  auto options = std::make_shared<ExportOptions>();
  const auto command = app.add_subcommand(
      "export",
      "Write all documents (plans, inspections, imported results), one a line (JSON Lines)");
  command.describe(
      {"Documents are written byte for byte as they are kept: their ids are made of these bytes.",
       {{"Everything, packed", "stackx export -o results.jsonl.zst"}}});
  const auto campaign =
      command.add_option("--campaign", options->campaign, "Only this campaign").type_name("ID");
  command.add_flag("--published", options->published, "Only results of others, which were imported")
      .excludes(campaign);
  command.add_flag("--seeds", options->seeds, "With the published results that come with stackx");
  command.add_option("-o,--output", options->output,
                   "Write to this file, packed if it ends in .zst, .gz or .xz (default: stdout)")
      .type_name("FILE");
  command.callback([options, &globals] { run(*options, globals); });
}

}  // namespace stackx::cli
