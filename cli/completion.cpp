// stackx completion: scripts for shells, and what these ask.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/manual/completions.hpp"
#include "cli/manual/names.hpp"
#include "cli/output/file.hpp"
#include "specs/format/printable.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

struct Shell {
  const char* name;
  const char* help;
  std::string (*script)(const manual::Command& root);
  const char* about;
  std::array<manual::Example, 2> examples;
};

// Where each looks by itself is what `cmake --install` and the packages fill.
const std::array shells{
    Shell{"bash", "The script for bash, 4 or newer", manual::bash_completion,
          "Needs no other package. With bash-completion, a script in `~/.local/share/bash-completion/completions/stackx` is loaded "
          "when it is first needed.",
          {{{"In this shell", "source <(stackx completion bash)"},
            {"In every shell", "echo 'source <(stackx completion bash)' >> ~/.bashrc"}}}},
    Shell{"zsh", "The script for zsh, 5 or newer", manual::zsh_completion,
          "Stored as `_stackx` in a directory of `$fpath` it is found by itself. Completion must be on: `autoload -U compinit && "
          "compinit`.",
          {{{"In this shell", "source <(stackx completion zsh)"},
            {"In every shell", "stackx completion zsh -o ~/.zfunc/_stackx\n"
                               "echo 'fpath+=~/.zfunc; autoload -U compinit; compinit' >> ~/.zshrc"}}}},
    Shell{"fish", "The script for fish, 3.4 or newer", manual::fish_completion,
          "Found by itself in the directory that the second example writes to.",
          {{{"In this shell", "stackx completion fish | source"},
            {"In every shell", "stackx completion fish -o ~/.config/fish/completions/stackx.fish"}}}}};

std::vector<manual::Name> names(const std::string& kind, const std::string& begun, const Globals& globals) {
  const auto data = globals.data_directory();
  if (kind == "hardware") return manual::hardware_names(data);
  if (kind == "workloads") return manual::workload_names(data, begun);
  return manual::catalog_names(data);
}

// "NAME<tab>WHAT" a line, as fish has it.
void print_names(const std::string& kind, const std::string& begun, const Globals& globals) {
  std::string text;
  for (const auto& [name, what] : names(kind, begun, globals))
    text += specs::printable(name) + (what.empty() ? "" : "\t" + specs::printable(what)) + "\n";
  workspace::write_documents(text);  // which leaves tabs
}

}  // namespace

void add_completion(Command app, Globals& globals) {
  const auto command = app.add_subcommand("completion", "Scripts that complete stackx's command line in bash, zsh and fish");
  command.describe({"Commands, options and choices stand in the script; names of hardware, workloads and catalogs it asks the "
                    "program for. Installed, the scripts are found by the shells; these commands are for where they are not.",
                    {}});
  command.require_subcommand(1);
  for (const auto& shell : shells) {
    const auto one = command.add_subcommand(shell.name, shell.help);
    one.describe({shell.about, {shell.examples.begin(), shell.examples.end()}});
    auto output = std::make_shared<std::string>();
    one.add_option("-o,--output", *output, "File to write, instead of stdout; its directory is made").type_name("FILE");
    one.callback([app, &shell, output] { write_whole(*output, shell.script(app.tree())); });
  }
  auto kind = std::make_shared<std::string>(), begun = std::make_shared<std::string>();
  const auto asked = command.add_subcommand("names", "What the scripts ask: names that begin so");
  asked.hide();
  asked.add_option("kind", *kind, "Of what").required().check(one_of({"hardware", "workloads", "catalogs"}));
  asked.add_option("begun", *begun, "What stands there already");
  asked.callback([kind, begun, &globals] { print_names(*kind, *begun, globals); });
}

}  // namespace stackx::cli
