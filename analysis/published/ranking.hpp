// Ranks stacks by what others have published of them (evidence grade "published").
//
// Groups. Only rates that can be compared stand in one table: same model as published, same number
// of devices and nodes, same unit, same kind of workload (dtype, mul, acc, pass, precision, suite,
// ...: every parameter that is a word, but for those that vary within one benchmark: ta, tb, cell,
// image, ...), and stacks that share shapes, directly or through others. A shape is the whole
// workload.
//
// A family is asked for ("matmul", "matmul:dtype=float16"): stacks are compared in pairs over the
// shapes that both have: the median ratio, with the sign test's interval over shapes. That is a
// spread over shapes, not over runs: each published number is one, without an interval of its own.
// The order is that of a median polish over stacks and shapes, so that stacks with different shapes
// stand in one order, and then of the paired medians of neighbours. A stack shares the rank of
// those above it unless the interval of its ratio to one of them lies below the band of +-delta;
// with fewer than six shared shapes there is no interval and the numbers alone decide
// (`by_numbers`). The rate shown is that at one shape for the whole table: of the shapes that most
// stacks have, the one where the best stack is fastest (for mere times: slowest, the largest). A
// shape is asked for ("matmul:m=4096,n=4096,k=4096"): in each group the nearest shape
// (near_workload.hpp) is shown and decides; ratios over all shared shapes stand beside.
//
// Rates of items (training, inference) are taken at each stack's best published batch size, unless
// a batch is asked for: it is a setting of the run, not of the work.
//
// Results that name no component of a stack recommend nothing: they are counted, and the best of
// each kind is named apart. Several results of one stack at one shape are one, their median.
// Rejected: the mean of rates over shapes, which a few large shapes decide; each stack's own best
// shape, which compares different work.
//
// What was measured with stackx and comes along (specs::measured_with_stackx) stands among them, its tables first: it has
// an interval over fresh processes where there are six of them.
//
// Each stack is held against all others of its group: of more than 1,000, which no source has, the results are left
// out, and a note says so.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/statistics.hpp"
#include "analysis/text/table.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/result/published.hpp"

namespace stackx::analysis {

struct PeakShare {
  double share = 0;         // of `peak`
  specs::Peak peak;         // of all devices together
  std::string accelerator;  // "v100-sxm2-16gb"
  std::size_t models = 1;   // that the published name may mean; the usual one is taken
  std::string remark;       // how the share can be above 1 (peak_remark.hpp); "" where it is not
};

struct ShapeComparison {
  double ratio = 1;  // median over shapes, this stack / the other; above 1 is better
  std::optional<Interval> interval;  // over shapes; absent below six
  std::size_t shapes = 0, better = 0, worse = 0;
};

// Of log ratios, one a shape.
ShapeComparison over_shapes(const std::vector<double>& logs, double confidence);

struct PublishedRow {
  std::size_t rank = 0;     // ties share one
  bool by_numbers = false;  // set apart from the rank above without an interval
  specs::Stack stack;
  std::map<std::string, std::string> besides;  // what the source says besides: os, openmpi, ...
  double value = 0;                            // at the group's shape, in its unit
  std::optional<PeakShare> peak;
  bool own = false;                      // measured with stackx, every result of it
  std::optional<Interval> interval;      // then: of the median over processes, where there are enough
  std::optional<double> versus_best;  // at that shape; absent for the best
  std::optional<ShapeComparison>
      over_shapes;                      // with the best; absent for it, or without shared ones
  std::map<std::string, double> logs;   // of its rates, by shape: more is better
  std::vector<specs::Published> shown;  // the results that `value` is: nearly always one
  std::vector<std::string> documents;   // ids of all results that the row rests on, sorted
  std::vector<specs::Source> sources;   // of these
};

struct PublishedGroup {
  std::string hardware;  // as published
  std::string model;     // of the catalog, if the name means one only
  std::optional<std::uint64_t> devices;
  std::string nodes;                          // "" if not stated
  std::map<std::string, std::string> params;  // what all its workloads share, words only
  std::string unit;                           // "GFLOP/s", "items/s", "min", "ms"
  bool smaller_is_better = false;
  specs::Workload shape;          // at which `value` stands
  std::optional<double> octaves;  // from the one asked for
  std::string nearness;           // "nearest published shape ...", "as asked"; "" for a family
  std::size_t shapes = 0, results = 0;
  std::vector<PublishedRow> rows;
  std::vector<specs::Stack> elsewhere;  // stacks of the group that have nothing at `shape`
};

// A result of some stack that its source does not name: what the hardware reached, no
// recommendation.
struct UnnamedResult {
  specs::Published published;
  double value = 0;
  std::string unit;
  std::optional<PeakShare> peak;
};

struct PublishedRanking {
  specs::Workload asked;
  std::vector<PublishedGroup> groups;  // those that rank most first, then the usual order
  std::size_t results = 0;             // in the groups
  std::vector<UnnamedResult>
      unnamed;  // those without a stack: the best of each model, unit and kind
  std::size_t without_stack = 0, without_shape = 0, of_too_many = 0;  // left out
  std::vector<std::string> notes;  // which results of too many stacks are left out, and what to do
  double delta = 0.01, confidence = 0.95;
};

// `published`: all results of the asked family on some hardware; those that are of another kind
// than `asked` are passed over.
PublishedRanking rank_published(const std::vector<specs::Published>& published,
                                const specs::Workload& asked,
                                const specs::Accelerators& accelerators, double delta = 0.01);

// Why a row has no confidence interval, or what its runs say: "single published number",
// "5 runs, trimmed mean, 12.39 to 12.72".
std::string spread_text(const specs::Published& published);
// "fp16 tensor", ...: the words that tell this group from the others.
std::string group_title(const PublishedGroup& group);
// What of its shape the title does not say: "m=8192, n=8192, k=8192", where all are one size "m=n=k=8192".
std::string shape_text(const PublishedGroup& group);

struct PublishedTableOptions {
  std::size_t groups = 3, rows = 10;  // 0: all
  bool colour = false;
  std::size_t width = page_width;
};
nlohmann::json to_json(const PublishedRanking& ranking);
nlohmann::json to_json(const PublishedGroup& group, const PublishedRow& row);
std::string table(const PublishedRanking& ranking, const PublishedTableOptions& options);
// From each row of the table to its documents and to their addresses.
std::string explain(const PublishedRanking& ranking, const PublishedTableOptions& options);

}  // namespace stackx::analysis
