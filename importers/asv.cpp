#include "importers/asv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "importers/collector.hpp"
#include "importers/literal.hpp"
#include "importers/software.hpp"
#include "importers/words.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"

namespace stackx::importers {
namespace {

using specs::Json;
using specs::Node;

constexpr std::string_view asv_tool = "asv";

struct Benchmark {  // of benchmarks.json
  std::string type, unit;
  std::vector<std::string> parameters;
};
using Benchmarks = std::map<std::string, Benchmark>;

// A benchmark's cell of one of these columns; null where there is none.
struct SeriesRow {
  Json result, params, samples;
  std::map<std::string, Json> statistics;
};

SeriesRow read_row(const Node& value, const std::vector<std::string>& columns) {
  SeriesRow row;
  const Json& json = value.json();
  const auto put = [&](const std::string& name, const Json& cell) {
    if (name == "result")
      row.result = cell;
    else if (name == "params")
      row.params = cell;
    else if (name == "samples")
      row.samples = cell;
    else if (name.starts_with("stats_"))
      row.statistics[name] = cell;
  };
  if (!columns.empty() && json.is_array()) {
    if (json.size() > columns.size())
      value.fail(fmt::format("{} cells, but result_columns has {}", json.size(), columns.size()));
    for (std::size_t i = 0; i < json.size(); ++i) put(columns[i], json[i]);
  } else if (json.is_object()) {
    for (const auto& [name, cell] : json.items()) put(name, cell);
  } else {
    row.result = json;
  }
  if (!row.result.is_array()) row.result = Json::array({row.result});
  return row;
}

std::string spelled(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The combinations in asv's order, the last parameter fastest: index -> values.
std::vector<std::string> combination(const Json& params, std::size_t index) {
  std::vector<std::string> values(params.size());
  for (std::size_t i = params.size(); i-- > 0;) {
    values[i] = spelled(params[i][index % params[i].size()]);
    index /= params[i].size();
  }
  return values;
}

// How many combinations there are, up to a bound; 0 for what is no list of lists.
std::size_t combinations(const Json& params) {
  constexpr std::size_t most = 1'000'000;
  if (params.is_null()) return 1;
  if (!params.is_array()) return 0;
  std::size_t count = 1;
  for (const auto& values : params) {
    if (!values.is_array() || values.empty() || values.size() > most) return 0;
    count *= values.size();
    if (count > most) return 0;
  }
  return count;
}

Benchmark benchmark_of(const std::string& name, const Benchmarks& known) {
  if (const auto found = known.find(name); found != known.end()) return found->second;
  const auto last = name.substr(name.rfind('.') == name.npos ? 0 : name.rfind('.') + 1);
  for (const auto& [prefix, type, unit] : {std::tuple{"time_", "time", "seconds"},
                                           {"timeraw_", "time", "seconds"},
                                           {"peakmem_", "peakmemory", "bytes"},
                                           {"mem_", "memory", "bytes"},
                                           {"track_", "track", ""}})
    if (last.starts_with(prefix)) return {type, unit, {}};
  return {};
}

struct Scale {
  const char* metric;
  double factor;
};

std::optional<Scale> scale_of(const Benchmark& benchmark) {
  if (benchmark.unit == "seconds" || benchmark.unit == "s") return Scale{"elapsed_ms", 1e3};
  if (benchmark.unit == "ms" || benchmark.unit == "milliseconds") return Scale{"elapsed_ms", 1};
  if (benchmark.type == "peakmemory") return Scale{"peak_memory_bytes", 1};
  return std::nullopt;
}

class AsvReader {
 public:
  AsvReader(const Node& document, const Benchmarks& known, const Origin& origin)
      : document_(document), known_(known), collector_(document.file(), asv_tool, origin) {}

  Imported read() {
    if (const auto version = document_.find("version"))
      if (version->integer() < 1 || version->integer() > 2)
        version->fail("expected a result file of version 1 or 2; convert it with \"asv update\"");
    if (const auto columns = document_.find("result_columns")) columns_ = columns->texts();
    for (const auto& [name, value] : document_.at("results").members()) read_benchmark(name, value);
    return collector_.finish("results of benchmarks that are numbers");
  }

 private:
  void read_benchmark(const std::string& name, const Node& value) {
    const SeriesRow row = read_row(value, columns_);
    const auto benchmark = benchmark_of(name, known_);
    const auto scale = scale_of(benchmark);
    if (!scale)
      return collector_.remark(
          value.pointer(),
          fmt::format("not imported: {} in \"{}\" is no metric here",
                      benchmark.type.empty() ? "a benchmark of unknown type" : benchmark.type,
                      one_line(benchmark.unit, 60)));
    std::size_t missing = 0;
    if (row.result.size() == 1 && row.result[0].is_null()) {  // failed as a whole
      missing = 1;
    } else if (combinations(row.params) != row.result.size()) {
      return collector_.remark(value.pointer(),
                               fmt::format("not imported: {} values for {} combinations of params",
                                           row.result.size(), combinations(row.params)));
    }
    for (std::size_t i = 0; i < row.result.size(); ++i)
      if (row.result[i].is_number())
        read_value(name, value, row, i, benchmark, *scale);
      else
        missing += row.result.size() > 1;
    if (missing > 0)
      collector_.remark(value.pointer(),
                        fmt::format("{} of {} values are missing: failed (null) or skipped (NaN)",
                                    missing, row.result.size()));
  }

  void read_value(const std::string& name, const Node& value, const SeriesRow& row, std::size_t index,
                  const Benchmark& benchmark, const Scale& scale) {
    auto published = collector_.draft();
    published.workload = {"asv", {{"benchmark", value_of(name)}}};
    if (!row.params.is_null()) {
      const auto values = combination(row.params, index);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto parameter = i < benchmark.parameters.size()
                                   ? name_of(benchmark.parameters[i]).substr(0, 100)
                                   : fmt::format("{}", i + 1);
        published.workload.params["parameter_" + parameter] = value_of(values[i]);
      }
    }
    published.metric = scale.metric;
    std::vector<double> samples;
    if (row.samples.is_array() && index < row.samples.size() && row.samples[index].is_array())
      for (const auto& sample : row.samples[index])
        if (sample.is_number()) samples.push_back(sample.get<double>() * scale.factor);
    if (!samples.empty()) summarise(published, std::move(samples), "median");
    published.value = row.result[index].get<double>() * scale.factor;  // asv's own median
    if (published.statistic.empty()) published.statistic = scale.factor == 1 ? "" : "median";
    for (const auto& [statistic, cells] : row.statistics)
      if (cells.is_array() && index < cells.size() && cells[index].is_number())
        detail(published, statistic, cells[index].dump());
    describe(published);
    collector_.add(std::move(published), fmt::format("{}[{}]", value.pointer(), index));
  }

  static std::string text(const Node& object, const char* key) {
    const auto node = object.find(key);
    return node && !node->json().is_structured() ? node->scalar() : "";
  }

  void describe(specs::Published& published) const {
    detail(published, "commit", text(document_, "commit_hash"));
    detail(published, "environment", text(document_, "env_name"));
    if (const auto date = document_.find("date"); date && date->json().is_number()) {
      const double ms = date->number();
      if (ms > 0 && ms < 9.2e12)  // nanoseconds of 64 bits end in 2262
        detail(published, "commit_date",
               specs::rfc3339_utc(std::chrono::system_clock::time_point(
                   std::chrono::milliseconds(static_cast<std::int64_t>(ms)))));
    }
    state_version(published, "python", plain_version(text(document_, "python")));
    if (const auto requirements = document_.find("requirements"))
      for (const auto& [name, version] : requirements->members())
        if (!version.json().is_structured() && !version.json().is_null())
          state_version(published, name.starts_with("pip+") ? name.substr(4) : name,
                        plain_version(version.scalar()));
    const auto params = document_.find("params");
    if (!params) return;
    state_hardware(published, text(*params, "cpu"));
    for (const char* key : {"machine", "os", "arch", "num_cpu", "ram"})
      detail(published, key, text(*params, key));
  }

  const Node& document_;
  const Benchmarks& known_;
  Collector collector_;
  std::vector<std::string> columns_;
};

Benchmarks read_benchmarks(const Node& document) {
  Benchmarks result;
  for (const auto& [name, value] : document.members()) {
    if (!value.json().is_object()) continue;  // "version": 2
    Benchmark benchmark;
    if (const auto type = value.find("type")) benchmark.type = type->text();
    if (const auto unit = value.find("unit")) benchmark.unit = unit->text();
    if (const auto names = value.find("param_names")) benchmark.parameters = names->texts();
    result[name] = std::move(benchmark);
  }
  return result;
}

std::string file_name(const std::string& file) {
  return file.substr(file.rfind('/') == file.npos ? 0 : file.rfind('/') + 1);
}

}  // namespace

bool matches_asv(const Node& document) {
  const Json& json = document.json();
  return json.is_object() && json.contains("commit_hash") && json.contains("results") &&
         json["results"].is_object();
}

Imported read_asv(const Node& document, const Origin& origin) {
  const Benchmarks unknown;
  return AsvReader(document, unknown, origin).read();
}

bool matches_asv_tree(const Tree& tree) {
  return std::ranges::any_of(tree.files(), [](const auto& file) {
    return file_name(file) == "machine.json" || file_name(file) == "asv.conf.json";
  });
}

Imported read_asv_tree(const Tree& tree, const Origin& origin) {
  Collector collector(tree.name(), asv_tool, origin);
  Benchmarks known;
  for (const auto& file : tree.files())
    if (file_name(file) == "benchmarks.json")
      known.merge(read_benchmarks(parse_json(tree.read(file), tree.place(file))));
  for (const auto& file : tree.files()) {
    const auto name = file_name(file);
    if (!name.ends_with(".json") || name == "benchmarks.json" || name == "machine.json" ||
        name == "asv.conf.json")
      continue;
    try {
      const auto document = parse_json(tree.read(file), tree.place(file));
      if (matches_asv(document)) collector.merge(AsvReader(document, known, origin).read());
    } catch (const Error& error) {  // one broken file among many
      collector.remark(file, error.what());
    }
  }
  return collector.finish("result files of asv: results/MACHINE/COMMIT-ENV.json");
}

}  // namespace stackx::importers
