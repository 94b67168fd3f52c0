#include "importers/hyperfine.hpp"

#include <fmt/format.h>

#include "importers/collector.hpp"
#include "importers/words.hpp"

namespace stackx::importers {
namespace {

using specs::Node;

std::optional<double> milliseconds(const Node& result, const char* key) {
  const auto node = result.find(key);
  if (!node || !node->json().is_number()) return std::nullopt;
  return node->number() * 1e3;
}

// How many runs failed, by "exit_codes" or, before 1.12, "exit_code".
std::size_t failures(const Node& result) {
  if (result.json().contains("exit_code") && !result.find("exit_codes")) {
    const auto code = result.find("exit_code");
    return code && code->integer() == 0 ? 0 : 1;
  }
  const auto codes = result.find("exit_codes");
  std::size_t failed = 0;
  if (codes)
    for (const auto& code : codes->items())
      failed += !code.json().is_number_integer() || code.integer() != 0;
  return failed;
}

void describe(specs::Published& published, const Node& result, const std::string& command) {
  published.workload = {"hyperfine", {{"command", value_of(command)}}};
  if (const auto parameters = result.find("parameters"))
    for (const auto& [name, value] : parameters->members())
      published.workload.params["parameter_" + name_of(name).substr(0, 100)] =
          value_of(value.scalar());
  for (const char* key : {"mean", "user", "system"})
    if (const auto time = milliseconds(result, key))
      detail(published, std::string(key) + "_ms", fmt::format("{}", *time));
}

void read_result(const Node& result, Collector& collector) {
  const auto command = result.at("command").nonempty();
  if (const auto failed = failures(result); failed > 0)
    return collector.remark(
        result.pointer(),
        fmt::format("not imported: {} of its runs failed ({})", failed, one_line(command, 200)));
  auto published = collector.draft();
  describe(published, result, command);
  published.metric = "elapsed_ms";
  std::vector<double> times;
  if (const auto list = result.find("times"))
    for (const auto& item : list->items()) times.push_back(item.number() * 1e3);
  if (!times.empty()) {
    summarise(published, times, "median");
  } else {
    const auto median = milliseconds(result, "median"), mean = milliseconds(result, "mean");
    if (!median && !mean) result.fail("expected \"times\", \"median\" or \"mean\" in seconds");
    published.value = median ? *median : *mean;
    published.statistic = median ? "median" : "mean";
    published.min = milliseconds(result, "min");
    published.max = milliseconds(result, "max");
    published.stdev = milliseconds(result, "stddev");
  }
  collector.add(std::move(published), result.pointer());
}

}  // namespace

bool matches_hyperfine(const Node& document) {
  if (!document.json().is_object() || !document.json().contains("results")) return false;
  const auto& results = document.json()["results"];
  return results.is_array() && !results.empty() && results[0].is_object() &&
         results[0].contains("command");
}

Imported read_hyperfine(const Node& document, const Origin& origin) {
  Collector collector(document.file(), "hyperfine", origin);
  for (const auto& result : document.at("results").items()) read_result(result, collector);
  return collector.finish("results of commands that succeeded");
}

}  // namespace stackx::importers
