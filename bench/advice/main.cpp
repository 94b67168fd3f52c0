// How good is the advice? Tables in Markdown for bench/README.md, from the evidence that comes with stackx.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "bench/advice/backtest.hpp"
#include "bench/advice/tables.hpp"

using namespace stackx::bench;

namespace {

void print_tables(const Evidence& evidence, bool each) {
  std::string all = heading();
  std::string components = "| held out | component | n | series | advice: within 3%, 95%, worst | newest | best published |\n"
                           "|---|---|---|---|---|---|---|\n";
  std::string left = "| held out | component | n | faster by > 3% | slower by > 3% | median | 5% to 95% |\n"
                     "|---|---|---|---|---|---|---|\n";
  for (const HoldOut what : hold_outs) {
    const auto answers = backtest(evidence, what);
    all += lines(name_of(what), answers);
    components += component_lines(name_of(what), answers);
    left += departures(name_of(what), answers);
    if (each) fmt::print("{}", departed(answers));
  }
  fmt::print("{}\nBy component:\n\n{}\nWhere the advice was not the newest, its rate over the newest's:\n\n{}", all, components, left);
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("What the advice costs, beside 'newest' and 'best published so far', where versions were measured");
  std::filesystem::path data = "specs/data";
  bool each = false;
  app.add_option("data", data, "directory with gpus.json and evidence/")->check(CLI::ExistingDirectory);
  app.add_flag("--each", each, "name the questions where the advice was not the newest");
  CLI11_PARSE(app, count, arguments);
  try {
    print_tables(load_evidence_of(data), each);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-advice: {}\n", error.what());
    return 3;
  }
}
