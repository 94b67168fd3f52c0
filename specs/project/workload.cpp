#include "specs/project/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/names.hpp"

namespace stackx::specs {
namespace {

constexpr std::size_t most_workloads = 10'000;  // a longer cross product is a mistake

// One text per number, so that 0.50, 5e-1 and 0.5 are one parameter: what JSON calls a number is
// written in the fewest digits that give the same double. Integers stay as they are, whatever their
// size.
std::string canonical_scalar(const std::string& text) {
  if (text == "-0") return "0";
  if (text.find_first_of("0123456789-") != 0 || text.find_first_of(".eE") == text.npos) return text;
  const Json number = Json::parse(text, nullptr, false);
  if (!number.is_number_float()) return text;  // "0.3.23" is a word
  const auto value = number.get<double>();
  return fmt::format("{}", value == 0 ? 0.0 : value);  // no "-0"
}

// What is wrong with a parameter's value, or "". It must survive "name:key=value,key=value".
std::string value_error(std::string_view value) {
  if (value.empty()) return "a parameter's value must not be empty";
  for (const unsigned char c : value)
    if (c <= ' ' || c == 127 || c == ',')
      return fmt::format(
          "the value \"{}\" may hold neither commas nor spaces nor control characters", value);
  return "";
}

std::vector<std::string> values_from(const Node& node) {
  if (!node.json().is_array()) return {parameter_value(node)};
  std::vector<std::string> values;
  std::set<std::string> seen;
  for (const auto& item : node.items()) {
    values.push_back(parameter_value(item));
    if (!seen.insert(values.back()).second)
      item.fail(fmt::format("the value {} stands twice in this list; keep one", values.back()));
  }
  if (values.empty()) node.fail("expected at least one value");
  return values;
}

Workload without_params(const Node& node) {
  node.only({"pi", "params"});
  const Node pi = node.at("pi");
  Workload workload{pi.text(), {}};
  check_component_name(workload.pi, pi);
  return workload;
}

[[noreturn]] void fail(std::string_view whole, std::size_t at, const std::string& message) {
  throw bad_input(
      fmt::format("workload \"{}\": column {}: {}; expected NAME[:key=value,...], e.g. "
                  "matmul:m=512,dtype=float32",
                  whole, at + 1, message));
}

// Lists of values cross.
std::vector<Workload> crossed(const Node& node) {
  std::vector<Workload> workloads{without_params(node)};
  const auto params = node.find("params");
  if (!params) return workloads;
  for (const auto& [key, value] : params->members()) {
    check_component_name(key, value);
    const auto values = values_from(value);
    if (workloads.size() * values.size() > most_workloads)
      params->fail(
          fmt::format("the lists cross to more than {} workloads; shorten them", most_workloads));
    std::vector<Workload> more;
    for (const auto& workload : workloads)
      for (const auto& one : values) {
        more.push_back(workload);
        more.back().params[key] = one;
      }
    workloads = std::move(more);
  }
  return workloads;
}

}  // namespace

std::string Workload::text() const {
  std::string text = pi;
  char separator = ':';
  for (const auto& [key, value] : params) {
    text += separator + key + '=' + value;
    separator = ',';
  }
  return text;
}

std::string Workload::id() const { return sha256(program.empty() ? text() : text() + "\nprogram " + program); }

bool Workload::matches(const Workload& other) const {
  return pi == other.pi && std::all_of(params.begin(), params.end(), [&](const auto& param) {
           const auto found = other.params.find(param.first);
           return found != other.params.end() && found->second == param.second;
         });
}

std::string parameter_value(const Node& node) {
  const auto written = node.scalar();
  if (const auto error = value_error(written); !error.empty()) node.fail(error);
  return canonical_scalar(written);
}

Workload parse_workload(std::string_view text) {
  const std::size_t colon = text.find(':');
  Workload workload{std::string(text.substr(0, colon)), {}};
  if (const auto error = component_name_error(workload.pi); !error.empty()) fail(text, 0, error);
  if (colon == text.npos) return workload;
  for (std::size_t begin = colon + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto item = text.substr(begin, end - begin);
    const auto equals = item.find('=');
    if (equals == item.npos) fail(text, begin, fmt::format("\"{}\" is not key=value", item));
    const std::string key(item.substr(0, equals)), value(item.substr(equals + 1));
    if (const auto error = component_name_error(key); !error.empty()) fail(text, begin, error);
    if (const auto error = value_error(value); !error.empty())
      fail(text, begin + equals + 1, error);
    if (!workload.params.emplace(key, canonical_scalar(value)).second)
      fail(text, begin, fmt::format("\"{}\" is given twice", key));
    begin = end + 1;
  }
  return workload;
}

std::vector<Workload> expand_workloads(const Node& node) {
  if (!node.json().is_array()) return crossed(node);
  std::vector<Workload> all;
  for (const auto& item : node.items())
    for (auto& workload : crossed(item)) {
      if (std::ranges::find(all, workload) != all.end())
        item.fail("this workload stands here before: " + workload.text());
      all.push_back(std::move(workload));
    }
  if (all.empty()) node.fail("expected at least one workload");
  if (all.size() > most_workloads)
    node.fail(fmt::format("more than {} workloads; shorten the list", most_workloads));
  return all;
}

Json to_json(const Workload& workload) {
  return {{"pi", workload.pi}, {"params", workload.params}};
}

Workload workload_from(const Node& node) {
  Workload workload = without_params(node);
  for (const auto& [key, value] : node.at("params").members()) {
    check_component_name(key, value);
    if (value.json().is_array()) value.fail("expected one value, found a list");
    workload.params[key] = parameter_value(value);
  }
  return workload;
}

}  // namespace stackx::specs
