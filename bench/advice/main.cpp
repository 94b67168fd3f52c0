// How good is the advice? Tables in Markdown for bench/README.md, from the evidence that comes with stackx.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "bench/advice/backtest.hpp"
#include "bench/advice/campaigns.hpp"
#include "bench/advice/tables.hpp"

using namespace stackx::bench;

namespace {

void print_tables(const Evidence& evidence, const std::vector<std::string>& held_out, bool each) {
  std::string all = heading();
  std::string components =
      "| held out | component | n | series | advice: within 3%, 95%, worst | newest | best published |\n"
      "|---|---|---|---|---|---|---|\n";
  std::string left =
      "| held out | component | n | faster by > 3% | slower by > 3% | median | 5% to 95% |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const HoldOut what : hold_outs) {
    if (!held_out.empty() && std::ranges::find(held_out, name_of(what)) == held_out.end()) continue;
    const auto answers = backtest(evidence, what);
    all += lines(name_of(what), answers);
    components += component_lines(name_of(what), answers);
    left += departures(name_of(what), answers);
    if (each) fmt::print("{}", departed(answers));
  }
  fmt::print("{}\nBy component:\n\n{}\nWhere the advice was not the newest, its rate over the newest's:\n\n{}", all,
             components, left);
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("What the advice costs, beside 'newest' and 'best published so far', where versions were measured");
  std::filesystem::path data = "specs/data", campaigns;
  std::vector<std::string> held_out;
  bool each = false;
  app.add_option("data", data, "directory with gpus.json and evidence/")->check(CLI::ExistingDirectory);
  app.add_option("--campaigns", campaigns, "recorded campaigns (campaigns.hpp)")->check(CLI::ExistingFile);
  app.add_option("--held-out", held_out, "only these")
      ->check(CLI::IsMember({"time", "workload", "family", "hardware", "source"}));
  app.add_flag("--each", each, "name the questions where the advice was not the newest");
  CLI11_PARSE(app, count, arguments);
  try {
    print_tables(load_evidence_of(data, data / "evidence"), held_out, each);
    if (!campaigns.empty()) fmt::print("\nRecorded campaigns:\n\n{}", campaign_table(backtest_campaigns(campaigns)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-advice: {}\n", error.what());
    return 3;
  }
}
