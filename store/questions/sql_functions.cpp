// The SQL functions of `stackx query --sql`. Each gives NULL for NULL, and an error for what it cannot
// read; none has a side effect.
#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>

#include "specs/version/specifier.hpp"
#include "store/packing/packing.hpp"
#include "store/packing/program.hpp"
#include "store/questions/questions.hpp"
#include "store/questions/views.hpp"

namespace stackx::store {
namespace {

using nlohmann::json;

std::string_view bytes_at(sqlite3_value** values, int index) {
  const void* bytes = sqlite3_value_blob(values[index]);
  const int size = sqlite3_value_bytes(values[index]);
  return {static_cast<const char*>(bytes), bytes == nullptr ? 0 : static_cast<std::size_t>(size)};
}

void result_text(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

double quantile_of(std::vector<std::int64_t> samples, double p) {
  std::ranges::sort(samples);
  const double position = p * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const auto above = std::min(below + 1, samples.size() - 1);
  return std::lerp(static_cast<double>(samples[below]), static_cast<double>(samples[above]),
                   position - static_cast<double>(below));
}

void quantile(sqlite3_context* context, sqlite3_value** values, double p) {
  const std::vector<std::int64_t> samples = unpack(bytes_at(values, 0));
  if (!samples.empty()) sqlite3_result_double(context, quantile_of(samples, p));
}

void median_ns(sqlite3_context* context, sqlite3_value** values) {
  quantile(context, values, 0.5);
}

void quantile_ns(sqlite3_context* context, sqlite3_value** values) {
  const double p = sqlite3_value_double(values[1]);
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("expected a share from 0 to 1");
  quantile(context, values, p);
}

void sample_count(sqlite3_context* context, sqlite3_value** values) {
  sqlite3_result_int64(context,
                       static_cast<std::int64_t>(unpack(bytes_at(values, 0)).size()));
}

void samples_json(sqlite3_context* context, sqlite3_value** values) {
  result_text(context, json(unpack(bytes_at(values, 0))).dump());
}

void workload_text(sqlite3_context* context, sqlite3_value** values) {
  const specs::Workload workload{
      std::string(bytes_at(values, 0)),
      json::parse(bytes_at(values, 1)).get<std::map<std::string, std::string>>()};
  result_text(context, workload.text());
}

void of_time(sqlite3_context* context, sqlite3_value** values) {
  result_text(context, utc_text(sqlite3_value_int64(values[0])));
}

void of_rest(sqlite3_context* context, sqlite3_value** values) {
  const std::int64_t ms = packed_finish(bytes_at(values, 0));
  if (ms != 0) result_text(context, utc_text(ms));
}

void version_in(sqlite3_context* context, sqlite3_value** values) {
  const auto set = specs::SpecifierSet::parse(bytes_at(values, 1), specs::Versioning::pep440);
  if (!set) throw std::invalid_argument(set.error().reason);
  const auto version = specs::Version::parse(bytes_at(values, 0), specs::Versioning::pep440);
  if (version) sqlite3_result_int(context, set->contains(*version) ? 1 : 0);
}

struct Entry {
  const char* name;
  int arguments;
  void (*call)(sqlite3_context*, sqlite3_value**);
};

constexpr Entry entries[] = {
    {"median_ns", 1, median_ns},         {"quantile_ns", 2, quantile_ns},
    {"sample_count", 1, sample_count},   {"samples_json", 1, samples_json},
    {"version_in", 2, version_in},       {"workload_text", 2, workload_text},
    {"time_text", 1, of_time},           {"finished_text", 1, of_rest},
};

void call(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto& entry = *static_cast<const Entry*>(sqlite3_user_data(context));
  for (int i = 0; i < count; ++i)
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return;  // the result is NULL
  try {
    entry.call(context, values);
  } catch (const std::exception& error) {
    const std::string message = std::string(entry.name) + ": " + error.what();
    sqlite3_result_error(context, message.c_str(), -1);
  }
}

}  // namespace

std::span<const SqlFunction> sql_functions() {
  static constexpr SqlFunction known[] = {
      {"median_ns(samples)", "median time of one sample, in ns"},
      {"quantile_ns(samples, p)", "quantile of the times, 0 <= p <= 1, linear between them"},
      {"sample_count(samples)", "number of samples"},
      {"samples_json(samples)", "the times in ns, as a JSON array: json_each(samples_json(samples))"},
      {"version_in(version, 'SET')",
       "1 if the version is in the set ('>=1.2,<2', as PEP 440 writes it), 0 if not, NULL if it is "
       "no such version"}};
  return known;
}

void add_sql_functions(sqlite3* connection) {
  for (const Entry& entry : entries) {
    const int result = sqlite3_create_function_v2(
        connection, entry.name, entry.arguments,
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, const_cast<Entry*>(&entry), call,
        nullptr, nullptr, nullptr);
    if (result != SQLITE_OK) throw SQLite::Exception(connection, result);
  }
}

}  // namespace stackx::store
