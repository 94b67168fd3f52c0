// stackx env list|prune: what is cached of environments and base images, and its freeing.
#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <expected>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/output/print.hpp"
#include "inspector/cache/cache.hpp"
#include "inspector/cache/prune.hpp"
#include "inspector/confinement/engine.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

using namespace inspector;
using Seconds = std::chrono::duration<double>;

struct EnvOptions {
  std::string older_than = "30d";
  bool all = false, dry_run = false;
};

// Nothing if no image is cached: then nobody needs to know of engines.
std::optional<Engine> engine_for(const std::filesystem::path& root, const Globals& globals) {
  if (!has_images(root)) return std::nullopt;
  const auto say = [](const std::string& line) { workspace::remark("{}\n", line); };
  auto engine =
      find_engine({root, globals.executable_directory / "stackx-supervise", say});
  if (engine) return std::move(*engine);
  say("the images are not looked at: no container engine works: " + engine.error());
  return std::nullopt;
}

Seconds read_age(const std::string& text) {
  constexpr std::pair<char, double> units[] = {
      {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
  double number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  for (const auto& [unit, seconds] : units)
    if (error == std::errc{} && number >= 0 && number < 1e6 && end + 1 == text.data() + text.size() && *end == unit)
      return Seconds(number * seconds);
  throw bad_input(fmt::format(
      "--older-than {}: expected a time, a number and its unit: 90m, 12h, 30d, 4w", text));
}

std::string size(std::uint64_t count) { return workspace::bytes(static_cast<double>(count)); }

std::string age(const CacheEntry& entry) {
  const auto seconds =
      std::max(0.0, Seconds(std::chrono::system_clock::now() - system_time(entry.used)).count());
  if (seconds < 48 * 3600) return workspace::duration(seconds) + " ago";
  return fmt::format("{:.0f} days ago", seconds / 86400);
}

void heading(const char* what, std::size_t count, const std::string& note) {
  print_paragraph(fmt::format("{} ({}){}", what, count, note));
}

void row(const CacheEntry& entry, const std::string& size, const std::string& name) {
  const auto head = fmt::format("  {:<12}  {:>10}  {:<16}", entry.key.substr(0, 12), size, age(entry));
  if (head.size() + 2 + name.size() <= output_width()) return workspace::print("{}  {}\n", head, name);
  workspace::print("{}\n", head);
  print_line(name, 4);
}

void print(const Cache& cache) {
  workspace::print("{}: {}\n", cache.root.string(), size(cache.bytes));
  heading("Environments", cache.environments.size(),
          ": their own size, that of files shared with wheels in brackets");
  for (const auto& one : cache.environments)
    row(one, size(one.usage.own), fmt::format("{} [{}]", name_of(one), size(one.usage.shared)));
  heading("Wheels", cache.wheels.size(), ": size, that of files shared with environments and uv included");
  for (const auto& one : cache.wheels)
    row(one, size(one.usage.own + one.usage.shared), name_of(one));
  heading("Images", cache.images.size(), ": size as the container engine says, base included");
  for (const auto& one : cache.images)
    row(one, one.there ? size(one.bytes) : "?",
        fmt::format("{}, {} Debian packages, {}{}", name_of(one), one.installed.size(),
                    one.id.substr(0, 19), one.ours ? "" : "; the engine had it before: prune leaves it there"));
  heading("Left over by builders that died", cache.leftovers.size(), "");
  for (const auto& one : cache.leftovers) row(one, size(one.usage.own), one.path.filename());
  workspace::print("uv's cache: {}\nAnswers of package indexes: {}\n", size(cache.uv_bytes), size(cache.index_bytes));
}

void list(const Globals& globals) {
  const auto root = cache_directory();
  const auto engine = engine_for(root, globals);
  const auto cache = read_cache(root, engine ? &*engine : nullptr);
  if (globals.json)
    print_json(to_json(cache));
  else
    print(cache);
}

void print_pruned_json(const std::vector<Pruned>& pruned, std::uint64_t freed, bool dry_run) {
  auto removed = nlohmann::json::array(), kept = nlohmann::json::array();
  for (const auto& one : pruned) {
    nlohmann::json json{{"kind", one.kind}, {"name", one.name}, {"path", one.path.string()}};
    if (one.kept.empty())
      json["freed_bytes"] = one.freed;
    else
      json["reason"] = one.kept;
    (one.kept.empty() ? removed : kept).push_back(std::move(json));
  }
  print_json({{"dry_run", dry_run}, {"freed_bytes", freed}, {"removed", removed}, {"kept", kept}});
}

void prune(const EnvOptions& options, const Globals& globals) {
  using Clock = std::filesystem::file_time_type::clock;
  const auto root = cache_directory();
  PruneOrder order;
  order.all = options.all;
  order.dry_run = options.dry_run;
  order.before = Clock::now();
  if (!options.all)
    order.before -= std::chrono::duration_cast<Clock::duration>(read_age(options.older_than));
  const auto engine = engine_for(root, globals);
  const auto* which = engine ? &*engine : nullptr;
  const auto pruned = inspector::prune(read_cache(root, which), order, which);
  std::uint64_t freed = 0;
  for (const auto& one : pruned) freed += one.freed;
  if (globals.json) {
    print_pruned_json(pruned, freed, options.dry_run);
    return;
  }
  const char* verb = options.dry_run ? "would free" : "freed";
  const auto why = pruned.empty() && !options.all ? fmt::format(": nothing there was last used more than {} ago (--older-than TIME, --all)", options.older_than) : "";
  print_paragraph(fmt::format("{} {} in {}{}", verb, size(freed), root.string(), why));
  for (const auto& one : pruned) {
    if (one.kept.empty())
      workspace::print("{} {:>10}  {} {}\n", verb, size(one.freed), one.kind, one.name);
    else
      workspace::print("kept: {} {}: {}\n", one.kind, one.name, one.kept);
  }
}

}  // namespace

void add_env(Command app, Globals& globals) {
  auto options = std::make_shared<EnvOptions>();
  const auto command = app.add_subcommand("env", "The cached environments and base images");
  command.describe(
      {"Stacks are built in environments that are kept, so that the next campaign need not fetch and build again.",
       {{"What is cached", "stackx env list"},
        {"What would be freed", "stackx env prune --older-than 30d --dry-run"}}});
  command.require_subcommand(1);
  const auto list_command = command.add_subcommand(
      "list", "Wheels, environments and images that are cached: size, last use; --json: their packages");
  list_command.callback([&globals] { list(globals); });
  const auto prune_command = command.add_subcommand(
      "prune", "Free what no campaign used for some time, and what builders that died left over");
  const auto older =
      prune_command.add_option("--older-than", options->older_than, "Free what was last used longer ago")
          .type_name("TIME")
          .show_default();
  prune_command.add_flag("--all", options->all,
                 "Free everything, uv's cache and the indexes' answers too; what a campaign that "
                 "runs uses stays")
      .excludes(older);
  prune_command.add_flag("--dry-run", options->dry_run, "Say what would be freed, free nothing");
  prune_command.callback([options, &globals] { prune(*options, globals); });
}

}  // namespace stackx::cli
