// stackx db: is the store sound, what is in it, a copy of it, what goes out of it, and what can be saved if it is damaged.
#include <fmt/core.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/db/removal.hpp"
#include "cli/output/print.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "store/backup.hpp"
#include "store/inventory.hpp"
#include "store/mending/problems.hpp"
#include "store/mending/salvage.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/progress.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::string> proved(const fs::path& file, store::Thoroughness thoroughness) {
  if (!isatty(STDERR_FILENO)) return store::problems_of(file, thoroughness);
  workspace::ProgressLine line;
  auto problems = store::problems_of(file, thoroughness, [&](std::uint64_t done, std::uint64_t of) {
    line.show(fmt::format("{} of {} documents proved", done, of));
  });
  line.finish();
  return problems;
}

void check(bool quick, Globals& globals) {
  const fs::path file = store::default_path(globals.db);
  const std::vector<std::string> problems =
      proved(file, quick ? store::Thoroughness::quick : store::Thoroughness::everything);
  if (!problems.empty()) globals.exit_code = 1;
  if (globals.json) {
    print_json({{"store", file.string()}, {"sound", problems.empty()}, {"quick", quick}, {"problems", problems}});
    return;
  }
  if (!problems.empty()) {
    workspace::remark("{} is damaged: {}; `stackx db salvage {}` saves what is sound into a new store\n", file.string(),
                      workspace::counted(problems.size(), "problem"), file.string());
    for (const std::string& problem : problems) print_paragraph(problem, 2);
    return;
  }
  const store::Inventory held = store::inventory(file);
  print_paragraph(fmt::format("{}: sound: {}, {}, {}", file.string(), workspace::counted(held.count("inspections"), "inspection"),
                              workspace::counted(held.count("plans"), "plan"),
                              workspace::counted(held.count("published"), "published result")), 2);
  print_paragraph(quick ? "checked: the file, what inspections share, counts, and every 64th document; without --quick every "
                          "document and every sum"
                        : "checked: the file, every document by its id, every sum by its inspections", 2);
}

// --- salvage ---

fs::path salvaged_name(const fs::path& damaged) {
  fs::path name = damaged;
  return name.replace_extension(".salvaged" + damaged.extension().string());
}

json to_json(const store::Salvage& saved, const fs::path& to) {
  return {{"store", to.string()},
          {"schema", saved.schema},
          {"pages", saved.pages},
          {"unreadable", saved.unreadable},
          {"inspections", saved.inspections},
          {"plans", saved.plans},
          {"published", saved.published},
          {"lost", saved.lost},
          {"examples", saved.examples},
          {"remarks", saved.remarks}};
}

void print(const store::Salvage& saved, const fs::path& damaged, const fs::path& to) {
  for (const std::string& example : saved.examples) workspace::remark("not saved: {}\n", example);
  for (const std::string& remark : saved.remarks) workspace::remark("{}\n", remark);
  print_paragraph(fmt::format("{}: {}, {} and {} saved, each proved by its id; those that come with stackx come again", to.string(),
                              workspace::counted(saved.inspections, "inspection"), workspace::counted(saved.plans, "plan"),
                              workspace::counted(saved.published, "published result")), 2);
  print_paragraph(fmt::format("{}: {}; in {} places (a page, or a record in one) it makes no sense any more", damaged.string(),
                              workspace::counted(saved.pages, "page"), saved.unreadable), 2);
  if (saved.lost > 0)
    print_paragraph(fmt::format("{} documents of which something is left could not be proved and are not saved", saved.lost), 2);
  print_paragraph({"other machines' stores and `stackx export` files may hold what is missing:",
                   "stackx merge OTHER.db --db " + to.string()}, 2);
}

void salvage(const std::string& damaged, const std::string& output, Globals& globals) {
  const fs::path to = output.empty() ? salvaged_name(damaged) : fs::path(output);
  workspace::ProgressLine progress;
  const store::Salvage saved =
      store::salvage(damaged, to, [&](std::uint64_t done, std::uint64_t of) {
        if (of >= documents_worth_showing) progress.show(fmt::format("{} of {} documents", done, of));
      });
  progress.finish();
  if (saved.lost > 0) globals.exit_code = 1;
  globals.json ? print_json(to_json(saved, to)) : print(saved, damaged, to);
}

// --- info, compact ---

void info(const Globals& globals) {
  const fs::path file = store::default_path(globals.db);
  const store::Inventory held = store::inventory(file);
  const std::uint64_t inspections = held.count("inspections");
  // Of a store that holds published results as well, the bytes are theirs, too.
  const bool alone = inspections > 0 && held.count("published") == 0;
  const double each = alone ? static_cast<double>(held.file_bytes - held.free_bytes) /
                                        static_cast<double>(inspections)
                                  : 0;
  if (globals.json) {
    json document = {{"store", file.string()},        {"schema", held.schema},
                     {"file_bytes", held.file_bytes}, {"log_bytes", held.log_bytes},
                     {"free_bytes", held.free_bytes}, {"file_system", held.file_system},
                     {"counts", json::object()}};
    for (const auto& [what, number] : held.counts) document["counts"][what] = number;
    if (alone) document["bytes_an_inspection"] = each;
    print_json(document);
    return;
  }
  workspace::print("{}\n  schema       {}\n  size         {}, {} of it free, {} in its log\n", file.string(),
                   held.schema, workspace::bytes(static_cast<double>(held.file_bytes)),
                   workspace::bytes(static_cast<double>(held.free_bytes)),
                   workspace::bytes(static_cast<double>(held.log_bytes)));
  for (const auto& [what, number] : held.counts) workspace::print("  {:<12} {}\n", what, number);
  if (alone) workspace::print("  {:<12} {:.0f} bytes\n", "each", each);
  if (held.between_machines)
    workspace::remark(
        "it lies on {}, which several machines can share: only one machine at a time may use "
        "it; join results of several with `stackx export` and `stackx merge`\n",
        held.file_system);
}

void compact(const Globals& globals) {
  const fs::path file = store::default_path(globals.db);
  const std::uint64_t before = store::inventory(file).file_bytes;
  store::compact(file);
  const std::uint64_t after = store::inventory(file).file_bytes;
  if (globals.json)
    print_json({{"store", file.string()}, {"bytes_before", before}, {"bytes", after}});
  else
    workspace::print("{}: {} -> {}\n", file.string(), workspace::bytes(static_cast<double>(before)),
                     workspace::bytes(static_cast<double>(after)));
}

void backup(const std::string& to, const Globals& globals) {
  const fs::path file = store::default_path(globals.db);
  const auto bytes = store::backup(file, to);
  const auto held = store::inventory(to);
  const auto inspections = held.count("inspections");
  if (globals.json) return print_json({{"store", file.string()}, {"backup", to}, {"bytes", bytes}, {"inspections", inspections}});
  print_paragraph(fmt::format("{}: {} with {} and {}, as {} held them, and looked through", to,
                              workspace::bytes(static_cast<double>(bytes)), workspace::counted(inspections, "inspection"),
                              workspace::counted(held.count("plans"), "plan"), file.string()), 2);
}

}  // namespace

void add_db(Command app, Globals& globals) {
  const auto db = app.add_subcommand("db", "The store itself: is it sound, what does it hold");
  db.describe(
      {"The store is one SQLite file. What a crash or a disk does to it is found by `check`; `salvage` saves what "
       "is sound.",
       {{"Is everything sound", "stackx db check"},
        {"A copy, while campaigns run", "stackx db backup stackx-backup.db"},
        {"Save what can be saved", "stackx db salvage damaged.db -o sound.db"}}});
  db.require_subcommand(1);
  auto quick = std::make_shared<bool>(false);
  const auto checking =
      db.add_subcommand("check", "Read everything and prove it; one line a problem, exit code 1 if any");
  checking.add_flag("--quick", *quick, "Of the documents only every 64th, and no sum again");
  checking.callback([quick, &globals] { check(*quick, globals); });
  db.add_subcommand("info", "Size, schema and counts").callback([&globals] { info(globals); });
  db.add_subcommand("compact", "Write the file anew without its holes").callback([&globals] {
    compact(globals);
  });

  auto copy = std::make_shared<std::string>();
  const auto backing = db.add_subcommand("backup", "Write a whole copy to a new file, also while campaigns run");
  backing.add_option("file", *copy, "The new store; one that is there is never replaced").required().type_name("FILE");
  backing.callback([copy, &globals] { backup(*copy, globals); });
  add_db_remove(db, globals);

  auto damaged = std::make_shared<std::string>(), output = std::make_shared<std::string>();
  const auto command = db.add_subcommand(
      "salvage",
      "Save what is sound of a damaged store, and of DAMAGED.db-results/, into a new one");
  command.add_option("damaged", *damaged, "The damaged store, which is only read")
      .required()
      .type_name("DAMAGED.db");
  command.add_option("-o,--output", *output, "The new store (default: DAMAGED.salvaged.db)")
      .type_name("NEW.db");
  command.callback([damaged, output, &globals] { salvage(*damaged, *output, globals); });
}

}  // namespace stackx::cli
