// stackx resolve PROJECT: how many stacks are valid, which, or why there is none.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "advisor/recipes/lock_writer.hpp"
#include "campaigns/python_project.hpp"
#include "cli/advise/predicted.hpp"
#include "cli/commands.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/output/facts_line.hpp"
#include "cli/output/lock_report.hpp"
#include "cli/output/print.hpp"
#include "cli/resolve/how_many.hpp"
#include "cli/resolve/python_of_project.hpp"
#include "cli/resolve/stack_writer.hpp"
#include "cli/resolve/unsolvable.hpp"
#include "cli/resolve/version_graph.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/python/project.hpp"
#include "workspace/asked/project.hpp"
#include "workspace/index/pip.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

using resolver::Choice;
using resolver::Resolver;

struct ResolveOptions {
  ProjectOptions project;
  bool count = false, share = false, approximate = false;
  std::optional<std::string> explain;  // empty: the project; else COMPONENT==VERSION
  std::optional<std::uint64_t> list, sample, top;
  std::optional<unsigned> cover;
  std::uint64_t seed = 0;
  std::string strategy, graph;  // strategy "": each question's own order
  std::filesystem::path scores, lock, output;
  PredictedOptions predicted;
  std::string index_url, pip = "python3";
  bool offline = false;  // of a Python project: what is known of the index
  double memory_gib = 4, seconds = 60;

  bool asks_for_stacks() const { return list || sample || top || cover; }
  bool asks_only_how_many() const { return asks_nothing() || (count && !asks_for_stacks() && !share && lock.empty()); }
  bool asks_nothing() const {
    return !asks_for_stacks() && !share && !explain && graph.empty() && lock.empty();
  }
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

using workspace::counted;

void print_shares(const Resolver& resolver, bool json) {
  const auto shares = resolver.shares();
  const auto total = resolver.count();
  if (json) {
    nlohmann::json document = {{"valid_stacks", total.str()},
                               {"stacks_with", nlohmann::json::object()}};
    for (const auto& [component, versions] : shares)
      for (const auto& [version, number] : versions)
        document["stacks_with"][component][version] = number.str();
    print_json(document);
    return;
  }
  for (const auto& component : resolver.components()) {
    workspace::print("{}\n", component.name);
    for (const auto& version : component.versions) {
      const auto& number = shares.at(component.name).at(version);
      // In millionths, exactly: the numbers may be beyond any double.
      const auto share = resolver::BigInt(number * 1'000'000 / total).convert_to<double>() / 1e4;
      workspace::print("  {:<24} {:>16}  {:6.2f}%\n", version, workspace::grouped(number), share);
    }
  }
}

// COMPONENT==VERSION
std::pair<std::string, std::string> asked_version(const std::string& text) {
  const auto at = text.find("==");
  if (at == std::string::npos || at == 0 || at + 2 == text.size())
    throw bad_input(fmt::format(
        "--explain {}: expected COMPONENT==VERSION, like numpy==1.26.4, or nothing", text));
  return {text.substr(0, at), text.substr(at + 2)};
}

// False if the answer is no.
bool explain(const ResolveOptions& options, const workspace::Loaded& loaded, const Resolver& resolver, bool json) {
  if (options.explain->empty()) {
    if (json)
      print_json({{"project", loaded.project.name}, {"clash", nlohmann::json::array()}});
    else
      workspace::print("{}: there are valid stacks; nothing to explain.\n", loaded.project.name);
    return true;
  }
  const auto [component, version] = asked_version(*options.explain);
  if (const auto why = resolver.explain(component, version)) {
    print_unsolvable(loaded.project.name, *why, fmt::format("{} {} is in no valid stack.", component, version),
                     json);
    return false;
  }
  if (json)
    print_json({{"project", loaded.project.name}, {"clash", nlohmann::json::array()}});
  else
    workspace::print("{}: there are valid stacks with {} {}; nothing to explain.\n", loaded.project.name, component,
                     version);
  return true;
}

void write_best(const Resolver& resolver, const specs::Scores& scores, std::uint64_t count,
                StackWriter& writer) {
  resolver.best(scores, [&](const Choice& choice, specs::Score score) {
    writer.write(choice, scores.text(score));
    return --count > 0;
  });
}

// `count` stacks by a strategy that ranks them.
void write_ranked(const ResolveOptions& options, const Resolver& resolver, std::uint64_t count, StackWriter& writer) {
  if (options.strategy == "latest")
    write_best(resolver, resolver.lateness(), count, writer);
  else
    for (const auto& stack : resolver.apart(count, options.seed)) writer.write(stack);
}

void write_list(const ResolveOptions& options, const Resolver& resolver, StackWriter& writer) {
  if (!options.strategy.empty() && !options.sample) return write_ranked(options, resolver, *options.list, writer);
  std::uint64_t left = *options.list;
  resolver.enumerate([&](const Choice& choice) { return writer.write(choice), --left > 0; });
}

void write_sample(const ResolveOptions& options, const Resolver& resolver, StackWriter& writer) {
  if (!options.strategy.empty() && options.strategy != "uniform")
    return write_ranked(options, resolver, *options.sample, writer);
  resolver.draw(*options.sample, options.seed, [&](const Choice& choice) { writer.write(choice); });
}

void write_cover(const ResolveOptions& options, const Resolver& resolver, StackWriter& writer) {
  const auto cover = resolver.cover(*options.cover, options.seed);
  for (const auto& stack : cover.stacks) writer.write(stack);
  writer.flush();
  workspace::remark("{} cover{} {} of {} valid {} of {}\n", counted(cover.stacks.size(), "stack"),
                    cover.stacks.size() == 1 ? "s" : "", cover.combinations, cover.combinations,
                    cover.combinations == 1 ? "combination" : "combinations", counted(*options.cover, "version"));
}

void say_locks(std::size_t stacks, const std::filesystem::path& directory) {
  workspace::remark("{} with {} in {}\n", counted(stacks, "Pipfile"), stacks == 1 ? "its lock" : "their locks",
                    directory.string());
}

// The source of the files that are written: they need one, which pip may be told not to ask.
std::string shown_index(const ResolveOptions& options) {
  const auto url = workspace::pip_settings({.python = options.pip, .index_url = options.index_url}).index_url;
  if (url.empty())
    throw bad_input("--output: Pipfiles name an index, and pip is told to ask none (PIP_NO_INDEX); name one with --index-url");
  return pypi::shown_url(url);
}

// A sentence, then lines to be pasted. A stream of stacks that is empty has its reason beside it.
void say_no_effects(const std::string& why, Globals& globals) {
  const auto end = std::min(why.find('\n'), why.size());
  const auto lines = why.substr(std::min(end + 1, why.size())) + (end < why.size() ? "\n" : "");
  if (globals.json) {
    workspace::remark("{}\n", why.substr(0, end));
    workspace::write_err(lines);
  } else {
    print_paragraph(why.substr(0, end));
    workspace::write_out(lines);
  }
  globals.exit_code = 1;
}

void write_stacks(const ResolveOptions& options, const workspace::Loaded& loaded, const Resolver& resolver,
                  Globals& globals) {
  std::unique_ptr<advisor::LockWriter> locks;
  if (!options.output.empty())
    locks = std::make_unique<advisor::LockWriter>(
        options.output, loaded.project, loaded.catalog,
        shown_index(options));
  StackWriter::Sink sink;
  if (locks) sink = [&](const specs::Stack& stack) { locks->write(stack); };
  StackWriter writer(resolver, globals.json, sink);
  if (options.list) write_list(options, resolver, writer);
  if (options.sample) write_sample(options, resolver, writer);
  if (options.top && options.predicted.effects) {
    writer.flush();
    auto asked = options.predicted.selection;
    advisor::name_workload(asked, globals);
    if (const auto effects = advisor::effects_for(asked, globals))
      write_predicted(resolver, *effects, *options.top, globals.json, sink);
    else
      say_no_effects(effects.error(), globals);
  } else if (options.top) {
    const auto scores = options.scores.empty() ? specs::Scores{}
                                               : specs::load_scores(options.scores, loaded.catalog);
    write_best(resolver, scores, *options.top, writer);
  }
  if (options.cover) write_cover(options, resolver, writer);
  writer.flush();
  if (locks) say_locks(locks->finish(), options.output);
}

// Why there is no stack, if there is none. Counting says so first, where that is possible.
std::optional<resolver::Unsolvable> unsolvable(const ResolveOptions& options, const Resolver& resolver) {
  try {
    const bool only_count = options.asks_only_how_many() && !options.approximate;
    if ((only_count ? resolver.count_or_bounds().low : resolver.count()) > 0) return {};
  } catch (const resolver::TooEntangled&) {
    // Explaining needs no tables.
  }
  return resolver.explain();
}

void answer(const ResolveOptions& options, const workspace::Loaded& loaded, const Resolver& resolver, double elapsed,
            Globals& globals) {
  if (!options.graph.empty()) write_graph(resolver, options.graph);
  if (options.explain && !explain(options, loaded, resolver, globals.json)) globals.exit_code = 1;
  if (options.asks_for_stacks()) write_stacks(options, loaded, resolver, globals);
  if (options.share) print_shares(resolver, globals.json);
  if (!options.lock.empty() && !report_lock(loaded, resolver, options.lock, options.project.context,
                                            options.scores, globals.json))
    globals.exit_code = 1;
  if (options.count || options.asks_nothing()) {
    if (options.approximate) {
      const auto start = std::chrono::steady_clock::now();
      const auto about = resolver.count_approximately(options.seed);
      print_approximate_count(loaded, resolver, about, milliseconds_since(start), globals.json);
    } else {
      print_count(loaded, resolver, elapsed, globals.json);
    }
  }
}

// What belongs to another question, which was not asked, would be ignored silently.
void check_questions(const ResolveOptions& options) {
  if (!options.scores.empty() && !options.top && options.lock.empty())
    throw bad_input("--score: says what --top and --lock rank by; add one of them");
  if (options.predicted.effects && !options.top)
    throw bad_input("--effects: says what --top ranks by; add --top K");
  if (options.predicted.effects && !options.scores.empty())
    throw bad_input("--effects and --score: both say what --top ranks by; give one of them");
  if (!options.output.empty() && !options.asks_for_stacks())
    throw bad_input("--output: of which stacks? Add --list, --sample, --cover or --top");
  if (!options.strategy.empty() && !options.list && !options.sample)
    throw bad_input("--strategy: says how to choose stacks; add --sample N or --list N");
  if (options.strategy == "uniform" && !options.sample)
    throw bad_input("--strategy uniform: draws stacks, and --list has an order; draw them with --sample N");
  if (options.approximate && !options.count && !options.asks_nothing())
    throw bad_input("--approximate: says how to count; add --count");
}

// A Python project names no catalogs: unless the user does, the index says what there is, for one Python. False of others.
bool take_from_index(ResolveOptions& options) {
  auto& context = options.project.context;
  if (!context.catalogs.empty() || !specs::is_python_project(options.project.file)) return false;
  const auto project = specs::read_python_project(options.project.file, context);
  if (context.python.empty()) context.python = python_for(project);
  const pypi::PipOptions pip{.python = options.pip, .index_url = options.index_url};
  context.catalogs.push_back(campaigns::kept_python_catalog(project, context.python, pip, options.offline).string());
  return true;
}

void resolve(ResolveOptions options, Globals& globals) {
  check_questions(options);
  if (options.project.context.python.empty()) options.project.context.python = workspace::pasted_python(options.project.file);
  options.project.file = workspace::named_project(options.project.file);
  const bool of_index = take_from_index(options);
  if (options.top && options.scores.empty() && !options.predicted.effects)
    workspace::remark("--top: without --score FILE or --effects all stacks score 0, and this is the order of --list\n");
  workspace::Loaded loaded = load(options.project.file, globals, options.project.context, workspace::Need::stacks);
  if (of_index) campaigns::need_python(loaded);  // as `inspect` has them: the same stacks have the same ids
  if (!globals.json) workspace::write_remark(facts_warnings(loaded.catalog));
  const auto start = std::chrono::steady_clock::now();
  constexpr double most_gib = 1 << 30;  // more bytes than that no counter holds
  const Resolver resolver(loaded.project, loaded.catalog,
                          {static_cast<std::size_t>(std::min(options.memory_gib, most_gib) * (1 << 30)), options.seconds});
  const auto why = unsolvable(options, resolver);
  const double elapsed = milliseconds_since(start);
  if (why && options.graph.empty()) {
    if (globals.json && options.asks_for_stacks())  // a stream of stacks, and this one is empty
      workspace::write_err(unsolvable_text(loaded.project.name, *why, no_valid_stack));
    else
      print_unsolvable(loaded.project.name, *why, no_valid_stack, globals.json);
    globals.exit_code = 1;
    return;
  }
  try {
    answer(options, loaded, resolver, elapsed, globals);
  } catch (const resolver::TooEntangled& error) {
    throw resolver::TooEntangled(
        fmt::format("{}: {} (--memory {:g}). What still works: --count, --list, and --explain",
                    options.project.file.string(), error.what(), options.memory_gib),
        error.components());
  }
}

void add_questions(Command command, ResolveOptions& options) {
  command.add_flag("--count", options.count,
                   "Valid stacks out of raw combinations, both exact (the default)");
  command.add_flag("--share", options.share,
                   "For each version, how many of the valid stacks hold it");
  command.add_option("--list", options.list, "The first N stacks, one a line; with --strategy in its order")
      .check(at_least_one())  // nothing printed would look like no stack
      .type_name("N");
  command
      .add_option("--sample", options.sample,
                  "N stacks by --strategy; uniform: independent draws, one may come twice")
      .check(at_least_one())
      .type_name("N");
  command
      .add_option(
          "--strategy", options.strategy,
          "Of --sample, else of --list. uniform; latest: fewest steps behind the latest versions first, with that score; "
          "distance: different in as many components as can be found")
      .check(one_of({"uniform", "latest", "distance"}))
      .default_text("uniform");
  command
      .add_option("--cover", options.cover,
                  "A small set of stacks that holds every valid combination of T versions")
      .check(within(1, 3))
      .type_name("T");
  command
      .add_option("--top", options.top,
                  "The K stacks with the highest sum of scores, in order, equals in that of --list")
      .check(at_least_one())
      .type_name("K");
  command
      .add_option(
          "--explain", options.explain,
          "When nothing is valid: a minimal set of requirements that clash; with a version: "
          "why it is in no stack")
      .expected(0, 1)
      .type_name("[COMPONENT==VERSION]");
  command
      .add_option("--graph", options.graph,
                  "The versions and what they require, conflicts, and excluded versions with the "
                  "reason (svg needs graphviz)")
      .check(one_of({"dot", "svg"}));
  command
      .add_option("--output", options.output,
                  "Write each stack of --list, --sample, --cover or --top as DIR/ID/Pipfile and Pipfile.lock")
      .type_name("DIR");
  command.add_option("--index-url", options.index_url, "Of a Python project without --catalog, and the source in those files: another index than pip's")
      .type_name("URL");
  command.add_option("--pip", options.pip, "Python that has the pip to ask for it")
      .type_name("PYTHON")
      .show_default();
  command.add_flag("--offline", options.offline, "Ask no index: what is known of it");
  command
      .add_option("--lock", options.lock,
                  "Is this Pipfile.lock, pylock.toml or pinned requirements.txt a valid stack, and "
                  "where does it rank (by --score, else by how late its versions are)?")
      .type_name("FILE");
}

}  // namespace

void add_resolve(Command app, Globals& globals) {
  auto options = std::make_shared<ResolveOptions>();
  const auto command = app.add_subcommand(
      "resolve", "Count, list, sample or rank the stacks that can work, or say why there is none");
  command.describe(
      {"A stack is a choice of versions that satisfies every requirement and holds nothing unneeded. How many "
       "there are is exact, also in spaces that nobody can list.",
       {{"How many stacks can work", "stackx resolve project.json"},
        {"Five of them with the latest versions", "stackx resolve project.json --sample 5 --strategy latest"},
        {"Why there is none", "stackx resolve project.json --explain"}}});
  add_project_options(command, options->project);
  add_questions(command, *options);
  command.add_option("--seed", options->seed, "Of --sample, --cover and --approximate")
      .type_name("S")
      .show_default();
  command.add_option(
          "--score", options->scores,
          "Scores of versions (stackx/score/1) for --top and --lock; what it lacks scores 0")
      .type_name("FILE");
  add_predicted_options(command, options->predicted);
  command.add_option("--memory", options->memory_gib,
                   "GiB that exact answers may take; beyond, --count, --list and --explain still work")
      .check(above_zero())
      .type_name("GIB")
      .show_default();
  command.add_option("--seconds", options->seconds,
                   "What --count may take; beyond, it tells the bounds that are proven by then")
      .check(above_zero())
      .type_name("S")
      .show_default();
  command.add_flag(
      "--approximate", options->approximate,
      "Estimate the count, with a confidence interval: for what cannot be counted exactly");
  command.callback([options, &globals] { resolve(*options, globals); });
}

}  // namespace stackx::cli
