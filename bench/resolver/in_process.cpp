// How fast are the resolver's answers inside one process, start-up and printing left out?
//
// usage: bench-resolver-in-process PROJECT [SCORE]      (from the root of the repository)
//
// Prints one JSON object: the first call that needs the engine's tables (`count_ms`) apart from what
// follows. Listing and drawing are timed up to a fixed number of stacks; each stack is taken in, so
// that no compiler can leave it out.
#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "resolver/resolver.hpp"
#include "specs/catalog/score.hpp"

namespace {

using namespace stackx;

constexpr std::uint64_t listed_at_most = 20'000'000, drawn = 1'000'000, best_wanted = 1'000;

class Timer {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double milliseconds() const { return 1e3 * seconds(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Takes in every version of a stack.
std::uint64_t digest(std::uint64_t before, const resolver::Choice& choice) {
  for (const auto version : choice) before = before * 31 + static_cast<std::uint64_t>(version);
  return before;
}

nlohmann::json listing(const resolver::Resolver& resolver) {
  std::uint64_t seen = 0, sum = 0;
  const Timer timer;
  resolver.enumerate([&](const resolver::Choice& choice) {
    sum = digest(sum, choice);
    return ++seen < listed_at_most;
  });
  return {{"stacks", seen},
          {"stacks_per_second", static_cast<double>(seen) / timer.seconds()},
          {"digest", sum}};
}

nlohmann::json drawing(const resolver::Resolver& resolver) {
  std::uint64_t sum = 0;
  const auto draw = [&](std::uint64_t count) {
    const Timer timer;
    resolver.draw(count, 42, [&](const resolver::Choice& choice) { sum = digest(sum, choice); });
    return timer.seconds();
  };
  const double thousand = draw(1'000), all = draw(drawn);
  return {{"first_1000_ms", 1e3 * thousand}, {"us_per_sample", 1e6 * all / drawn}, {"digest", sum}};
}

nlohmann::json ranking(const resolver::Resolver& resolver, const specs::Scores& scores) {
  std::uint64_t seen = 0, sum = 0;
  double first = 0;
  const Timer timer;
  resolver.best(scores, [&](const resolver::Choice& choice, const auto&) {
    if (seen == 0) first = timer.milliseconds();
    sum = digest(sum, choice);
    return ++seen < best_wanted;
  });
  return {{"stacks", seen}, {"first_ms", first}, {"all_ms", timer.milliseconds()}, {"digest", sum}};
}

nlohmann::json measure(const std::filesystem::path& file, const char* score_file) {
  const Timer load_timer;
  const auto loaded = specs::load_project(file, "specs/data");
  nlohmann::json report = {{"project", loaded.project.name},
                           {"load_ms", load_timer.milliseconds()}};
  const resolver::Resolver resolver(loaded.project, loaded.catalog);

  const Timer explain_timer;
  const bool solvable = !resolver.explain();
  report["explain_ms"] = explain_timer.milliseconds();

  const Timer count_timer;
  report["valid_stacks"] = resolver.count().str();
  report["count_ms"] = count_timer.milliseconds();
  if (!solvable) return report;

  const Timer share_timer;
  report["components"] = resolver.shares().size();
  report["shares_ms"] = share_timer.milliseconds();
  report["list"] = listing(resolver);
  report["draw"] = drawing(resolver);
  if (score_file != nullptr)
    report["top"] = ranking(resolver, specs::load_scores(score_file, loaded.catalog));
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    fmt::print(stderr, "usage: {} PROJECT [SCORE]\n", argv[0]);
    return 2;
  }
  try {
    fmt::print("{}\n", measure(argv[1], argc == 3 ? argv[2] : nullptr).dump());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
