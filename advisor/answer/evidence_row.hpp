// What is known of the workload on the hardware beside what this store measured, a line each: what others have published,
// context of an answer; and what comes with stackx because it was measured with it on such hardware.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/published/ranking.hpp"

namespace stackx::advisor {

struct EvidenceRow {
  double value = 0;       // in the unit as people say it: 112 TFLOP/s
  std::string unit;       // "TFLOP/s"
  std::string kind;       // what tells it from the others: "float16"
  std::string stack;      // "cuda 10.1.243, cudnn 7.6.2"
  std::string year;       // "2019", of the round where the source is one of a benchmark; "" if the source does not say
  std::uint64_t devices = 1;
  std::string sizes;      // of a product, where they are not those that were asked for: "m=n=k=8192"
  std::string share;      // "90% of peak"; "" if it is not known
  std::string remark;     // "90% of peak", "not told apart: x0.999 [0.987, 1.000], 160 shapes"
  std::string hardware;   // as published
  std::string title, url;  // of the source
  std::uint64_t processes = 0;  // fresh ones that it is the median of, where it was measured with stackx; 0: others' number
  std::optional<analysis::Interval> interval;
};

// " on 8 A10", where there are several
std::string on_devices(const EvidenceRow& row);

EvidenceRow evidence_row(const analysis::PublishedGroup& group, const analysis::PublishedRow& row);

// Of others. At most `most`, those of the largest groups first, of each group the best first, of several kinds some of each.
std::vector<EvidenceRow> evidence_rows(const analysis::PublishedRanking& published, std::size_t most);

// Measured with stackx: of each kind the one of most processes first (what one process says comes after what ten say),
// then the others.
std::vector<EvidenceRow> own_rows(const analysis::PublishedRanking& published);

// "112 TFLOP/s" for 112276 GFLOP/s; two or three digits that count.
struct Figure {
  double value = 0;
  std::string unit;
};
Figure readable(double value, const std::string& unit);
std::string figure_text(double value);

}  // namespace stackx::advisor
