// stackx man: the man pages, as roff.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "advisor/facts/facts_date.hpp"
#include "cli/commands.hpp"
#include "cli/manual/man_page.hpp"
#include "cli/output/file.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

struct ManOptions {
  std::vector<std::string> command;  // "hw", "show"
  std::filesystem::path directory;
};

// Of the facts that came along, not of those that this user brought: two builds of one source write the same bytes.
manual::Edition edition(const Globals& globals) {
  manual::Edition result{STACKX_VERSION, ""};
  try {
    result.date = advisor::facts_date(globals.data_directory() / "generated");
  } catch (const Error&) {  // a page needs no facts
  }
  return result;
}

const manual::Command& command_called(const manual::Command& above, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& one : above.commands) {
    if (one.name == name) return one;
    known.push_back(one.name);
  }
  throw bad_input(fmt::format("man: no such command: {} {}{}", above.path, name, specs::suggestion(name, known)));
}

// `hw show` has a section in the page of `hw`.
const manual::Command& page_of(const std::vector<std::string>& words, const manual::Command& root) {
  const auto* command = &root;
  for (const auto& word : words) command = &command_called(*command, word);
  return words.empty() ? root : command_called(root, words.front());
}

void man(const ManOptions& options, const manual::Command& root, const Globals& globals) {
  if (!options.directory.empty()) {
    if (!options.command.empty()) throw bad_input("man: --to writes all pages; leave out the command");
    const auto pages = manual::man_pages(root, edition(globals));
    for (const auto& page : pages) write_whole(options.directory / (page.name + ".1"), page.text);
    workspace::say("{}: {}\n", options.directory.string(), workspace::counted(pages.size(), "page"));
    return;
  }
  workspace::write_out(manual::man_page(root, page_of(options.command, root), edition(globals)).text);
}

}  // namespace

void add_man(Command app, Globals& globals) {
  auto options = std::make_shared<ManOptions>();
  const auto command = app.add_subcommand("man", "The man page of stackx or of one of its commands, as roff");
  command.describe({"Installed, they are read with `man stackx`, `man stackx-advise` and so on; this is for where they are not.",
                    {{"Read the page of advise", "stackx man advise | man -l -"},
                     {"Write all pages where man looks for those of this user", "stackx man --to ~/.local/share/man/man1"}}});
  command.add_option("command", options->command, "Of which; else of stackx as a whole").type_name("COMMAND");
  command.add_option("--to", options->directory, "Write all pages into this directory, which is made").type_name("DIR");
  command.callback([options, app, &globals] { man(*options, app.tree(), globals); });
}

}  // namespace stackx::cli
