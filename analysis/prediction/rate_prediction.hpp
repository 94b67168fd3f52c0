// Predictions that say what they rest on and how far off such predictions were where it is known,
// or why there is none (evidence grade "predicted").
//
// A prediction is made only where the model, tried on what it is asked for (hardware that it has
// not seen, else a library version, else a shape), was better than both naive rules and its
// intervals held as they should (held_out.hpp), and where the evidence is no farther off than it
// was in those trials. Processors are not predicted: catalogs state peaks of GPUs and other
// accelerators only.
#pragma once

#include <expected>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/prediction/held_out.hpp"

namespace stackx::analysis {

struct Prediction {
  double rate = 0, low = 0, high = 0;     // GFLOP/s; 80% interval, for matmul cut at the peak
  double likely_error = 0;                // log: the median score at this distance
  double elapsed_ms = 0;                  // of one run, at `rate`
  double attainable = 0;                  // GFLOP/s that the roofline leaves here
  LeaveOut novelty = LeaveOut::hardware;  // what was left out for the errors and the interval
  Errors error, peak_ratio, nearest;      // on the same rows: of the model and of the naive rules
  double coverage = 0;                    // of the 80% intervals, on the rows left out
  double distance = 0;                    // of the evidence (rate_model.hpp)
  std::size_t results = 0, models = 0, sources = 0;  // all that the model rests on

  struct Basis {
    Observation observation;
    double share = 0, distance = 0;
  };
  std::vector<Basis> basis;  // what decides this one, up to 95% of the weight, the largest first

  // "98.1 TFLOP/s [71.2, 120] 80%, likely off by x1.15; on left-out GPUs off by x1.12 at the median
  // ..."
  std::string text() const;
};
nlohmann::json to_json(const Prediction& prediction);

// Of one PI. Its errors are found when they are first needed.
class Predictor {
 public:
  Predictor(std::string pi, const std::vector<Observation>& observations);

  // Or why there is none.
  std::expected<Prediction, std::string> predict(const specs::Workload& workload,
                                                 const specs::Accelerator& accelerator,
                                                 const specs::Stack& stack);
  const HeldOut& held_out(LeaveOut what);
  const RateModel& model() const { return model_; }

 private:
  RateModel model_;
  std::map<LeaveOut, HeldOut> held_out_;
};

std::string rate_text(double gflop_s);  // "98.1 TFLOP/s", "512 GFLOP/s"

}  // namespace stackx::analysis
