// A published result (format stackx/published/1): a number that somebody else measured and wrote down,
// with the place where it stands. It may know only part of the stack, and rarely says how it spread.
//
// The id is the SHA-256 of the canonical JSON without `id`. Kept as the source states it: names of
// hardware and versions are not "repaired" here; matching them is the reader's business. Rejected:
// inspections with holes, which would let numbers nobody can check stand among measured ones.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "specs/catalog/stack.hpp"
#include "specs/project/workload.hpp"

namespace stackx::specs {

class Node;

// Where the number stands, so that anybody can look: a row without a URL is refused. stackx's own measurements that come
// with it have no page: stackx://bench/measured/h200/once.jsonl is that file of its source. Rejected: an address of the
// web that the source might have one day.
struct Source {
  std::string url, title;
  std::string revision;  // commit, release or tag; "" if the source has none
  std::string date;      // of that revision, YYYY-MM-DD; "" if not stated
  std::string read;      // when it was read, YYYY-MM-DD
  std::string license;
  std::string tool;  // the format it came in: "evidence:deepbench", "thoth", "pyperf", ...
  auto operator<=>(const Source&) const = default;
};

struct Published {
  std::string id;  // set by seal()
  Source source;
  std::string hardware;  // model as published: "Tesla V100-SXM2-16GB"; "" if not stated
  std::optional<std::uint64_t> devices;  // how many worked together
  Workload workload;
  Stack stack;  // only what the source states
  std::string metric;  // "elapsed_ms", "images_per_s", "minutes_to_train", ... (specs/result/metric.hpp)
  double value = 0;
  std::string statistic;  // what `value` is of the runs: "median", "mean", "best", "single", "p90",
                          // "trimmed_mean"; "" if not stated
  std::optional<std::uint64_t> runs;
  std::optional<double> min, max, stdev;      // of the runs, in the metric's unit
  std::vector<double> values;                 // the single runs, where the source has them
  std::map<std::string, std::string> details; // what else it says: host, submitter, date of the run
};

nlohmann::json to_json(const Published& published);
Published published_from(const Node& node);  // verifies the id
void seal(Published& published);             // sets the id

nlohmann::json to_json(const Source& source);
Source source_from(const Node& node);  // url and read are required

// A file of stackx's own source: fresh processes, each checked and timed by stackx, on a machine of whoever wrote it.
bool measured_with_stackx(const Source& source);

}  // namespace stackx::specs
