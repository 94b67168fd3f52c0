#include "cli/manual/surroundings.hpp"

#include <span>

#include "cli/manual/roff.hpp"

namespace stackx::cli::manual {
namespace {

struct Entry {
  const char* term;
  const char* meaning;
};

constexpr Entry statuses[] = {
    {"0", "Done; the answer is yes."},
    {"1", "The answer is no: no valid stack, nothing measured, a claim that does not hold, a limit exceeded."},
    {"2", "Bad input or usage; the message names the file, the place and what was expected."},
    {"3", "The environment failed: I/O, network, a missing program."},
    {"130", "A campaign was interrupted; `stackx inspect --resume` goes on with it."}};

constexpr Entry variables[] = {
    {"STACKX_DB", "The store, where `--db` does not say."},
    {"STACKX_DATA", "The directory of the catalogs and facts, instead of those that came with the program."},
    {"STACKX_UV", "The uv that installs Python packages, where it is not in PATH."},
    {"XDG_DATA_HOME, XDG_CACHE_HOME, XDG_CONFIG_HOME", "Where the files below are."},
    {"CUDA_VISIBLE_DEVICES", "The GPUs there are, as for other programs."},
    {"COLUMNS", "Columns of the output, where it goes to no terminal."},
    {"NO_COLOR", "If set, no bold and no colours."}};

constexpr Entry places[] = {
    {"$XDG_DATA_HOME/stackx/stackx.db", "The store: all results, one SQLite file. XDG_DATA_HOME is ~/.local/share by default."},
    {"$XDG_DATA_HOME/stackx/generated", "Facts that `stackx catalog refresh` brought."},
    {"$XDG_CACHE_HOME/stackx", "Downloads, environments, base images; `stackx env` lists and frees them. By default ~/.cache."},
    {"$XDG_CONFIG_HOME/stackx/catalogs/*.json", "Your own catalogs, which lie over those of stackx. By default ~/.config."}};

std::string listed(std::span<const Entry> entries) {
  std::string text;
  for (const auto& [term, meaning] : entries) text += ".TP\n" + bold(term) + "\n" + roff_marked(meaning) + "\n";
  return text;
}

}  // namespace

std::string exit_status() { return listed(statuses); }
std::string environment() { return listed(variables); }
std::string files() { return listed(places); }

}  // namespace stackx::cli::manual
