// stackx merge: other stores' documents into this one.
#include "store/merge.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output/intake.hpp"
#include "cli/output/print.hpp"
#include "specs/error.hpp"
#include "store/merge.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"
#include "workspace/progress.hpp"

namespace stackx::cli {
namespace {


void run(const std::vector<std::string>& others, Globals& globals) {
  for (const std::string& other : others)
    if (!globals.names_file(other)) throw bad_input(fmt::format("{}: no such store; check the path", other));
  const auto file = store::default_path(globals.db);
  auto store = store::Store::open(file);
  store::Intake sum;
  workspace::ProgressLine progress;
  for (const std::string& other : others)
    sum += store::merge(store, file, other, [&](std::uint64_t documents) {
      if (documents >= documents_worth_showing)
        progress.show(fmt::format("{}: {} documents", other, documents));
    });
  progress.finish();
  print_reasons(sum);
  if (sum.refused > 0) globals.exit_code = static_cast<int>(ErrorCode::bad_input);
  if (globals.json) {
    nlohmann::json document = {{"inserted", sum.inserted}, {"already_there", sum.already_there}};
    add_refused(document, sum);
    print_json(document);
    return;
  }
  workspace::print("{} added, {} already there, {} refused\n", workspace::counted(sum.inserted, "document"),
                   workspace::were(sum.already_there), sum.refused);
}

}  // namespace

void add_merge(Command app, Globals& globals) {
  auto others = std::make_shared<std::vector<std::string>>();
  const auto command = app.add_subcommand(
      "merge", "Add everything that other stores hold; twice changes nothing, nor does the order");
  command.describe(
      {"Documents are known by what they hold, so that stores that share some become one without doubles.",
       {{"Add the stores of two machines", "stackx merge first.db second.db"}}});
  command.add_option("stores", *others, "Stores, which are only read")
      .required()
      .type_name("OTHER.db");
  command.callback([others, &globals] { run(*others, globals); });
}

}  // namespace stackx::cli
