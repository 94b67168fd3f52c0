#include "importers/collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "importers/words.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {
namespace {

constexpr std::size_t most_remarks = 1'000;  // the rest is counted

double median(std::vector<double> sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : sorted[half - 1] / 2 + sorted[half] / 2;
}

double mean(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  double sum = 0;  // divided first: the sum of finite values may not be finite
  for (const double value : values) sum += value / count;
  return sum;
}

}  // namespace

Collector::Collector(const std::string& name, std::string_view tool, const Origin& origin)
    : name_(specs::to_utf8(name)), source_(origin.source), origin_(origin) {
  source_.tool = tool;
}

specs::Published Collector::draft() const {
  specs::Published published;
  published.source = source_;
  return published;
}

void Collector::add(specs::Published published, std::string_view place) {
  if (published.hardware.empty()) published.hardware = origin_.hardware;
  published.stack.components.insert(origin_.stack.components.begin(),
                                    origin_.stack.components.end());
  try {
    specs::seal(published);
    const auto document = specs::Node::parse_text(specs::to_json(published).dump(), "result");
    imported_.results.push_back(specs::published_from(document));
  } catch (const Error& error) {
    std::string_view reason = error.what();
    if (reason.starts_with("result: ")) reason.remove_prefix(8);
    remark(place, fmt::format("not imported: {}", reason));
  } catch (const specs::Json::exception&) {  // a text that is not UTF-8
    remark(place, "not imported: a text in it is not UTF-8");
  }
}

void Collector::remark(std::string_view place, std::string_view text) {
  const std::size_t count = imported_.remarks.size();
  if (count > most_remarks) return;
  if (count == most_remarks) {
    imported_.remarks.push_back(name_ + ": more remarks are left out");
    return;
  }
  imported_.remarks.push_back(
      specs::to_utf8(place.empty() ? fmt::format("{}: {}", name_, text)
                                   : fmt::format("{}: {}: {}", name_, one_line(place, 300), text)));
}

void Collector::merge(Imported other) {
  std::ranges::move(other.results, std::back_inserter(imported_.results));
  for (auto& text : other.remarks)
    if (imported_.remarks.size() <= most_remarks) imported_.remarks.push_back(std::move(text));
}

Imported Collector::finish(std::string_view expected) {
  if (!empty()) return std::move(imported_);
  std::string reasons;
  for (std::size_t i = 0; i < std::min<std::size_t>(imported_.remarks.size(), 5); ++i)
    reasons += "\n  " + imported_.remarks[i];
  throw bad_input(
      fmt::format("{}: no result found in it; expected {}{}", name_, expected, reasons));
}

bool is_stated(std::string_view text) {
  text = specs::trim(text).text;
  for (const std::string_view nothing :
       {"", "-", "--", "n/a", "na", "none", "null", "unknown", "todo", "tbd", "not public"})
    if (std::ranges::equal(text, nothing, {}, specs::to_lower)) return false;
  return true;
}

void detail(specs::Published& published, std::string_view key, std::string_view text) {
  auto line = one_line(text, 1'000);
  if (line.empty()) return;
  published.details[name_of(key)] = std::move(line);
}

void state_hardware(specs::Published& published, std::string_view model) {
  if (is_stated(model)) published.hardware = one_line(model, 1'000);
}

void state_version(specs::Published& published, std::string_view component,
                   std::string_view version) {
  if (is_stated(version)) published.stack.components[name_of(component)] = one_line(version, 1'000);
}

void summarise(specs::Published& published, std::vector<double> values,
               std::string_view statistic) {
  published.values = values;
  published.runs = values.size();
  std::ranges::sort(values);
  published.min = values.front();
  published.max = values.back();
  published.statistic = values.size() == 1 ? "single" : statistic;
  if (values.size() > 1) {
    const double centre = mean(values);
    double squares = 0;
    for (const double value : values) squares += (value - centre) * (value - centre);
    const double stdev = std::sqrt(squares / static_cast<double>(values.size() - 1));
    if (std::isfinite(stdev)) published.stdev = stdev;
  }
  if (statistic == "trimmed_mean" && values.size() > 2)
    published.value = mean({values.begin() + 1, values.end() - 1});
  else
    published.value = statistic == "median" ? median(values) : mean(values);
}

}  // namespace stackx::importers
