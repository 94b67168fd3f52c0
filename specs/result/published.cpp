#include "specs/result/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/names.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/seal.hpp"
#include "specs/result/published_fields.hpp"

namespace stackx::specs {
namespace {

constexpr std::size_t longest = 4096;  // bytes of one text: nobody's model name is longer

std::string optional_line(const Node& node, std::string_view key) {
  const auto found = node.find(key);
  return found ? line_from(*found) : "";
}

constexpr std::string_view own_source = "stackx://";

// "bench/measured/h200/once.jsonl": below the source, and nowhere else.
bool is_path_of_the_source(std::string_view path) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-' || c == '/'; };
  return !path.empty() && !path.starts_with('/') && !path.contains("..") && std::ranges::all_of(path, plain);
}

// A page of the web, which reports link to: no script, no file of this machine, nobody's password. Or a file of stackx's
// own source, which nothing links to.
std::string url_from(const Node& node) {
  const std::string text = line_from(node);
  if (text.starts_with(own_source) && is_path_of_the_source(std::string_view(text).substr(own_source.size()))) return text;
  const auto begin = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : text.size();
  const auto host = std::string_view(text).substr(begin, text.find_first_of("/?#", begin) - begin);
  if (host.empty() || host.find('@') != host.npos || text.find(' ') != text.npos)
    node.fail("expected a URL of http or https without a user's name, for example https://example.org/results.csv or, "
              "of a DOI, https://doi.org/10.1000/182");
  return text;
}

int digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    value = 10 * value + (c - '0');
  }
  return value;
}

std::string date_from(const Node& node) {
  using namespace std::chrono;
  const std::string text = node.text();
  const bool shape = text.size() == 10 && text[4] == '-' && text[7] == '-';
  const int y = shape ? digits(std::string_view(text).substr(0, 4)) : -1;
  const int m = shape ? digits(std::string_view(text).substr(5, 2)) : -1;
  const int d = shape ? digits(std::string_view(text).substr(8, 2)) : -1;
  const bool good = y >= 0 && m > 0 && d > 0 && year_month_day(year(y), month(m), day(d)).ok();
  if (!good) node.fail("expected a date as YYYY-MM-DD");
  return text;
}

void spread_from(Published& published, const Metric& metric, const Node& node) {
  if (const auto min = node.find("min")) published.min = value_from(*min, metric);
  if (const auto max = node.find("max")) published.max = value_from(*max, metric);
  if (const auto stdev = node.find("stdev")) published.stdev = deviation_from(*stdev);
  if (const auto values = node.find("values")) published.values = values_from(*values, metric);
  check_spread(published, node);
}

// A rate that is not finite would be the best of all, and in every sum.
void check_size(const Published& published, const Node& node) {
  const Metric* metric = find_metric(published.metric);
  if (!metric) return;
  const auto check = [&](double value) {
    if (const auto error = rate_error(*metric, value, published.workload); !error.empty()) node.fail(error);
  };
  check(published.value);
  if (published.min) check(*published.min);
  for (const double value : published.values) check(value);
  if (published.stdev.value_or(0) <= published.value) return;
  if (const auto error = value_error(*metric, *published.stdev); !error.empty())
    node.fail("the standard deviation: " + error);
}

void put(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

template <typename Number>
void put(Json& json, const char* key, const std::optional<Number>& number) {
  if (number) json[key] = *number;
}

}  // namespace

// A text for one line: what it says is shown in tables, so control characters have no place in it.
std::string line_from(const Node& node) {
  const std::string text = node.nonempty();
  if (text.size() > longest)
    node.fail(fmt::format("the text has {} bytes; at most {} are accepted", text.size(), longest));
  if (std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 127; }))
    node.fail("control characters (also newlines and tabs) have no place here");
  return text;
}

// Component -> version in the source's own words ("TensorFlow v1.2", "7"): not checked as versions.
std::map<std::string, std::string> lines_from(const Node& node) {
  std::map<std::string, std::string> lines;
  for (const auto& [name, value] : node.members()) {
    check_component_name(name, value);
    lines[name] = line_from(value);
  }
  return lines;
}

std::string statistic_from(const Node& node) {
  const std::string text = node.nonempty();
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  if (text.size() > 64 || !std::ranges::all_of(text, good))
    node.fail("expected a word as median, mean, trimmed_mean, best, single or p90");
  return text;
}

const Metric& metric_from(const Node& node) {
  const std::string name = node.text();
  if (const Metric* metric = find_metric(name)) return *metric;
  node.fail(fmt::format("unknown metric \"{}\"{}", name, suggestion(name, metric_names())));
}

double value_from(const Node& node, const Metric& metric) {
  const double value = node.number();
  if (const auto error = value_error(metric, value); !error.empty()) node.fail(error);
  return value;
}

std::uint64_t at_least_one(const Node& node) {
  const auto value = node.unsigned_integer();
  if (value == 0) node.fail("expected at least 1");
  return value;
}

double deviation_from(const Node& node) {
  const double value = node.number();
  if (value < 0) node.fail("a standard deviation is not negative");
  return value;
}

std::vector<double> values_from(const Node& node, const Metric& metric) {
  std::vector<double> values;
  for (const auto& item : node.items()) values.push_back(value_from(item, metric));
  if (values.empty()) node.fail("expected at least one value, or no such key");
  return values;
}

void check_spread(const Published& published, const Node& node) {
  if (published.min && published.max && *published.min > *published.max)
    node.fail(fmt::format("the max, {}, is less than the min, {}", *published.max, *published.min));
  if (published.runs && !published.values.empty() && *published.runs != published.values.size())
    node.fail(fmt::format("{} values, but runs says {}", published.values.size(), *published.runs));
  check_size(published, node);
}

Json to_json(const Source& source) {
  Json json = {{"url", source.url}, {"read", source.read}};
  put(json, "title", source.title);
  put(json, "revision", source.revision);
  put(json, "date", source.date);
  put(json, "license", source.license);
  put(json, "tool", source.tool);
  return json;
}

Source source_from(const Node& node) {
  node.only({"url", "title", "revision", "date", "read", "license", "tool"});
  Source source;
  source.url = url_from(node.at("url"));
  source.title = optional_line(node, "title");
  source.revision = optional_line(node, "revision");
  if (const auto date = node.find("date")) source.date = date_from(*date);
  source.read = date_from(node.at("read"));
  source.license = optional_line(node, "license");
  source.tool = optional_line(node, "tool");
  return source;
}

bool measured_with_stackx(const Source& source) { return source.url.starts_with(own_source); }

Json to_json(const Published& published) {
  Json json = {{"$schema", "stackx/published/1"},
               {"id", published.id},
               {"source", to_json(published.source)},
               {"workload", to_json(published.workload)},
               {"metric", published.metric},
               {"value", published.value}};
  put(json, "hardware", published.hardware);
  put(json, "devices", published.devices);
  if (!published.stack.components.empty()) json["stack"] = published.stack.components;
  put(json, "statistic", published.statistic);
  put(json, "runs", published.runs);
  put(json, "min", published.min);
  put(json, "max", published.max);
  put(json, "stdev", published.stdev);
  if (!published.values.empty()) json["values"] = published.values;
  if (!published.details.empty()) json["details"] = published.details;
  require_finite(json);
  return json;
}

Published published_from(const Node& node) {
  node.schema("stackx/published/1");
  node.only({"$schema", "id", "source", "hardware", "devices", "workload", "stack", "metric",
             "value", "statistic", "runs", "min", "max", "stdev", "values", "details"});
  Published published;
  published.id = node.at("id").text();
  published.source = source_from(node.at("source"));
  published.hardware = optional_line(node, "hardware");
  if (const auto devices = node.find("devices")) published.devices = at_least_one(*devices);
  published.workload = workload_from(node.at("workload"));
  if (const auto stack = node.find("stack")) published.stack.components = lines_from(*stack);
  const Metric& metric = metric_from(node.at("metric"));
  published.metric = metric.name;
  published.value = value_from(node.at("value"), metric);
  if (const auto statistic = node.find("statistic"))
    published.statistic = statistic_from(*statistic);
  if (const auto runs = node.find("runs")) published.runs = at_least_one(*runs);
  spread_from(published, metric, node);
  if (const auto details = node.find("details")) published.details = lines_from(*details);
  verify_id(node, to_json(published));
  return published;
}

namespace {

// The canonical text without `id`, straight: thousands of results are sealed whenever they are
// read, and building a Json of each takes most of the time. Equal to canonical(to_json()) (tested).
class CanonicalText {
 public:
  std::string of(const Published& p) {
    text_ = "{\"$schema\":\"stackx/published/1\"";
    if (!p.details.empty()) member("details", p.details);
    if (p.devices) raw("devices", std::to_string(*p.devices));
    optional("hardware", p.hardware);
    if (p.max) number("max", *p.max);
    member("metric", p.metric);
    if (p.min) number("min", *p.min);
    if (p.runs) raw("runs", std::to_string(*p.runs));
    source(p.source);
    if (!p.stack.components.empty()) member("stack", p.stack.components);
    optional("statistic", p.statistic);
    if (p.stdev) number("stdev", *p.stdev);
    number("value", p.value);
    if (!p.values.empty()) raw("values", Json(p.values).dump());
    open("workload");
    member("params", p.workload.params);
    member("pi", p.workload.pi);
    text_ += "}}";
    return std::move(text_);
  }

 private:
  void source(const Source& s) {
    open("source");
    optional("date", s.date);
    optional("license", s.license);
    member("read", s.read);
    optional("revision", s.revision);
    optional("title", s.title);
    optional("tool", s.tool);
    member("url", s.url);
    text_ += '}';
  }

  void key(std::string_view name) {
    if (text_.back() != '{') text_ += ',';
    quoted(name);
    text_ += ':';
  }
  void open(std::string_view name) {
    key(name);
    text_ += '{';
  }
  void raw(std::string_view name, const std::string& value) {
    key(name);
    text_ += value;
  }
  void number(std::string_view name, double value) { raw(name, Json(value).dump()); }
  void optional(std::string_view name, const std::string& value) {
    if (!value.empty()) member(name, value);
  }
  void member(std::string_view name, const std::string& value) {
    key(name);
    quoted(value);
  }
  void member(std::string_view name, const std::map<std::string, std::string>& values) {
    open(name);
    for (const auto& [inner, value] : values) member(inner, value);
    text_ += '}';
  }
  void quoted(std::string_view text) {
    const bool plain = std::ranges::all_of(
        text, [](unsigned char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; });
    if (plain)
      text_.append(1, '"').append(text).append(1, '"');
    else
      text_ += Json(text).dump();  // throws where it is not UTF-8
  }

  std::string text_;
};

bool all_finite(const Published& p) {
  const auto finite = [](double value) { return std::isfinite(value); };
  return finite(p.value) && finite(p.min.value_or(0)) && finite(p.max.value_or(0)) &&
         finite(p.stdev.value_or(0)) && std::ranges::all_of(p.values, finite);
}

}  // namespace

void seal(Published& published) {
  try {
    if (all_finite(published)) {
      published.id = sha256(CanonicalText().of(published));
      return;
    }
  } catch (const Json::type_error&) {  // not UTF-8
  }
  published.id = content_id(to_json(published));  // an Error that names the place
}

}  // namespace stackx::specs
