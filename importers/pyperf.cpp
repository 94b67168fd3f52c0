#include "importers/pyperf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "importers/collector.hpp"
#include "importers/software.hpp"
#include "importers/words.hpp"

namespace stackx::importers {
namespace {

using specs::Node;

using Metadata = std::map<std::string, std::string>;

void inherit(Metadata& metadata, const Node& object) {
  const auto own = object.find("metadata");
  if (!own) return;
  for (const auto& [key, value] : own->members())
    if (!value.json().is_structured() && !value.json().is_null()) metadata[key] = value.scalar();
}

std::string of(const Metadata& metadata, const char* key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : found->second;
}

struct Runs {
  std::vector<double> medians;
  double sum = 0;
  std::size_t values = 0;
};

class PyperfReader {
 public:
  PyperfReader(const Node& document, const Origin& origin)
      : document_(document), collector_(document.file(), "pyperf", origin) {}

  Imported read() {
    const Node version = document_.at("version");
    if (version.scalar() != "1.0" && version.scalar() != "1")
      version.fail(
          fmt::format("expected pyperf's format 1.0, found {}; convert the file with "
                      "\"pyperf convert\"",
                      one_line(version.scalar(), 60)));
    Metadata suite;
    inherit(suite, document_);
    for (const auto& benchmark : document_.at("benchmarks").items())
      read_benchmark(benchmark, suite);
    return collector_.finish("benchmarks with runs that have values");
  }

 private:
  void read_benchmark(const Node& benchmark, Metadata metadata) {
    inherit(metadata, benchmark);
    const auto runs = benchmark.at("runs").items();
    if (!runs.empty()) {  // what a benchmark's runs share may stand in each of them
      Metadata first = metadata;
      inherit(first, runs.back());
      metadata.insert(first.begin(), first.end());
    }
    const auto unit = metadata.contains("unit") ? of(metadata, "unit") : "second";
    const double factor = unit == "second" ? 1e3 : 1;
    const Runs found = read_runs(runs, factor);
    if (unit != "second" && unit != "byte")
      return collector_.remark(benchmark.pointer(),
                               fmt::format("not imported: its unit is \"{}\", neither seconds nor "
                                           "bytes",
                                           one_line(unit, 60)));
    if (found.medians.empty())
      return collector_.remark(benchmark.pointer(), "no run has values: calibration only");
    auto published = collector_.draft();
    published.metric = unit == "second" ? "elapsed_ms" : "peak_memory_bytes";
    summarise(published, found.medians, "median");
    describe(published, metadata);
    detail(published, "mean_of_values", fmt::format("{}", found.sum / double(found.values)));
    detail(published, "values_in_all", std::to_string(found.values));
    collector_.add(std::move(published), benchmark.pointer());
  }

  Runs read_runs(const std::vector<Node>& runs, double factor) {
    Runs result;
    for (const auto& run : runs) {
      const auto list = run.find("values");
      if (!list) continue;
      std::vector<double> values;
      for (const auto& item : list->items())
        if (!item.json().is_number() || !(item.number() > 0))
          collector_.remark(item.pointer(), "left out: expected a positive number");
        else
          values.push_back(item.number() * factor);
      if (values.empty()) continue;
      for (const double value : values) result.sum += value;
      result.values += values.size();
      specs::Published one;
      summarise(one, std::move(values), "median");
      result.medians.push_back(one.value);
    }
    return result;
  }

  static void describe(specs::Published& published, const Metadata& metadata) {
    const auto name = of(metadata, "name");
    published.workload = {"pyperf", {{"benchmark", value_of(name.empty() ? "unnamed" : name)}}};
    state_hardware(published, of(metadata, "cpu_model_name"));
    // "3.8.5 (64-bit)", "3.9.10 (64-bit) revision 1ac1a1e"; the version of the language in PyPy
    const auto implementation = of(metadata, "python_implementation");
    if (implementation.empty() || implementation == "cpython")
      state_version(published, "python", plain_version(of(metadata, "python_version")));
    for (const char* key : {"python_version",
                            "python_implementation",
                            "python_compiler",
                            "platform",
                            "hostname",
                            "date",
                            "loops",
                            "inner_loops",
                            "cpu_count",
                            "cpu_affinity",
                            "cpu_config",
                            "timer",
                            "perf_version",
                            "pyperf_version",
                            "performance_version",
                            "description",
                            "timeit_stmt",
                            "python_cflags",
                            "command",
                            "aslr"})
      detail(published, key, of(metadata, key));
  }

  const Node& document_;
  Collector collector_;
};

}  // namespace

bool matches_pyperf(const Node& document) {
  if (!document.json().is_object() || !document.json().contains("benchmarks")) return false;
  const auto& benchmarks = document.json()["benchmarks"];
  return benchmarks.is_array() && !benchmarks.empty() && benchmarks[0].is_object() &&
         benchmarks[0].contains("runs");
}

Imported read_pyperf(const Node& document, const Origin& origin) {
  return PyperfReader(document, origin).read();
}

}  // namespace stackx::importers
