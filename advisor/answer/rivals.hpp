// What displaces an answer's candidate: versions of its framework that one source has faster at the same shapes.
//
// Kinds of work and shapes of all that was asked for are taken together. A version counts as faster
//   - over six shapes or more: where the interval of its ratio lies above a band of 2 %, by which the medians of two
//     collections of one version differ (evidence: aiconfigurator, SGLang 0.5.12 on L40S x1.022 over 109 shapes);
//   - over fewer: where the ratio is a tenth or more, and above 1 at each.
// Where nobody published the candidate on the hardware, other models of its architecture are looked at, and all shapes
// of the kind that is asked for. Measured by `./run bench advice` (bench/README.md).
//
// Rejected: one kind of work that has it faster. A family such as infer_timm is hundreds of models, and of hundreds of
// pairs of numbers some differ by a tenth always: asked for the family, that rule was within 3 % of the best in 65 % of
// 19,160 cases, the newest version in 91 %. The row that is best at the shape asked for as the only rival: vllm within
// 3 % in 74 % of 816 cases, all rows 79 %. Numbers of two sources as a pair.
#pragma once

#include <string>
#include <vector>

#include "analysis/published/ranking.hpp"

namespace stackx::advisor {

struct Rival {
  const analysis::PublishedGroup* group = nullptr;  // the first that has both
  const analysis::PublishedRow* row = nullptr;
  analysis::ShapeComparison over;  // its rate over the candidate's
};
struct Rivals {
  const analysis::PublishedGroup* group = nullptr;
  const analysis::PublishedRow* own = nullptr;  // of the candidate; null: nobody published it
  std::vector<Rival> faster;                    // the best first
};
// `cuda` "": of any.
Rivals rivals_of(const analysis::PublishedRanking& published, const std::string& package, const std::string& version,
                 const std::string& cuda);

// Of a family's results those on other models of the architecture; of a workload its words, without the numbers: what
// to rank where the candidate was not published on the hardware itself.
std::vector<specs::Published> on_like_hardware(const std::vector<specs::Published>& family,
                                               const specs::Accelerator& gpu, const specs::Accelerators& accelerators);
specs::Workload kind_of_work(specs::Workload workload);

}  // namespace stackx::advisor
