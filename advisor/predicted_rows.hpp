// What the model predicts where nobody measured or published: the newest stack that computes with the
// recommended library, at the shapes that the tables above show, on hardware of the catalog.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/valid_space.hpp"
#include "analysis/prediction/rate_prediction.hpp"
#include "analysis/published/ranking.hpp"

namespace stackx::advisor {

struct PredictedRow {
  specs::Workload workload;
  specs::Stack stack;  // valid
  analysis::Prediction prediction;
  std::optional<double> share;  // of the peak
};

struct PredictedRows {
  std::vector<PredictedRow> rows;
  std::vector<std::string> refused;  // why there is none: a sentence each
  std::string written_otherwise;     // of them, that the framework writes its products in another type than was asked for
};

class RowPredictor {
 public:
  // `here`, `elsewhere`: all published of the workload's family, on the hardware and on other; they must outlive the rows.
  // `measured`: what was measured on the hardware asked for.
  RowPredictor(const specs::Workload& asked, const analysis::PublishedRanking& published,
               const std::vector<specs::Published>& here, const std::vector<specs::Published>& elsewhere,
               const std::vector<store::Measurement>& measured,
               const specs::Accelerators& accelerators, const specs::Accelerator& accelerator);

  PredictedRows rows(const specs::Stack& stack);

 private:
  std::vector<specs::Workload> shapes_;
  std::string result_;  // the type of a product's result that was asked for; "": any
  const specs::Accelerator* accelerator_;
  std::optional<analysis::Predictor> predictor_;  // none without a shape
};

// The shapes: the one that was asked for, those of the first groups, else a usual one of the family. Without the type in which
// products are written, which is none of a shape: who writes in another is not predicted.
std::vector<specs::Workload> shapes_to_predict(const specs::Workload& of,
                                               const analysis::PublishedRanking& published);

}  // namespace stackx::advisor
