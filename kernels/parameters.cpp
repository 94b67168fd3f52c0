#include "kernels/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace stackx::kernels {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

template <typename T>
std::optional<T> parse(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

Parameters::Parameters(std::vector<Parameter> known, const std::vector<std::string>& words) {
  std::vector<std::string> keys;
  for (const Parameter& parameter : known) keys.push_back(parameter.key);
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw UsageError(fmt::format("\"{}\": expected key=value", word));
    const std::string key = word.substr(0, equals);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      const std::string near = nearest(key, keys);
      throw UsageError(
          near.empty()
              ? fmt::format("unknown parameter \"{}\"; known are {}", key, fmt::join(keys, ", "))
              : fmt::format("unknown parameter \"{}\"; did you mean \"{}\"?", key, near));
    }
    if (!values_.emplace(key, word.substr(equals + 1)).second)
      throw UsageError(fmt::format("parameter \"{}\" is given twice", key));
  }
  for (Parameter& parameter : known)
    values_.emplace(std::move(parameter.key), std::move(parameter.fallback));
}

const std::string& Parameters::text(std::string_view key) const {
  return values_.find(key)->second;
}

std::uint64_t Parameters::whole(std::string_view key, std::uint64_t least,
                                std::uint64_t most) const {
  const auto value = parse<std::uint64_t>(text(key));
  if (!value || *value < least || *value > most)
    throw UsageError(
        fmt::format("{}={}: expected a whole number from {} to {}", key, text(key), least, most));
  return *value;
}

double Parameters::number(std::string_view key, double least) const {
  const auto value = parse<double>(text(key));
  if (!value || !std::isfinite(*value) || *value < least)
    throw UsageError(fmt::format("{}={}: expected a number of at least {}", key, text(key), least));
  return *value;
}

std::string Parameters::one_of(std::string_view key,
                               const std::vector<std::string>& choices) const {
  const std::string& value = text(key);
  if (std::find(choices.begin(), choices.end(), value) == choices.end())
    throw UsageError(
        fmt::format("{}={}: expected one of {}", key, value, fmt::join(choices, ", ")));
  return value;
}

void Parameters::set(std::string_view key, std::string value) {
  values_.find(key)->second = std::move(value);
}

nlohmann::json Parameters::json() const {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [key, value] : values_) {
    if (const auto whole = parse<std::uint64_t>(value)) {
      json[key] = *whole;
    } else if (const auto number = parse<double>(value)) {
      json[key] = *number;
    } else {
      json[key] = value;
    }
  }
  return json;
}

}  // namespace stackx::kernels
