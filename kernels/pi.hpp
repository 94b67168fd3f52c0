// A performance indicator: what stackx-pi can measure. Each is one function from words to one JSON
// object (the PI protocol); kernels/operations/matmul.cpp and kernels/operations/hello_world.cpp hold one each.
//
//   {"name", "component", "parameters": {all, as used}, "samples_ns": [whole numbers],
//    "work": {"flop", "bytes", "items"} per sample, "check": {"reference", "max_relative_error",
//    "bound", "pass", "max_ulps" and what bits.hpp adds}, "loaded": {component: version as the library itself reports it}, "library":
//    {...}, "files": [mapped shared objects], "phases": [{"name", "start_ns", "duration_ns"}],
//    "notes": []}, and for collective operations "work_formula": text, "metrics": {NAME: number}
// or, if library or machine cannot do it: {"name", ..., "unsupported": "<reason>"} without samples.
// Where several processes measure together, the document is that of the first; the others have null
// and print nothing.
// A wrong result has check.pass false and no samples. Both exit with status 0: the answer is valid.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/parameters.hpp"
#include "kernels/timing/measure.hpp"

namespace stackx::kernels {

struct PiArguments {
  std::optional<std::string> library, component;
  std::vector<std::string> with;   // further libraries of the stack: libcudart, libnvrtc, ...
  std::vector<std::string> words;  // key=value
};

struct Pi {
  const char* name;
  const char* summary;
  std::vector<Parameter> parameters;
  nlohmann::json (*run)(const Pi& pi, const PiArguments& arguments, const Clock& clock);
};

// Kept until the document is printed: what may wait for other processes at its end, as an MPI's world does.
void keep(std::shared_ptr<void> what);
void let_go();

std::vector<Pi> all_pis();
Pi matmul_pi();
Pi conv2d_pi();
Pi lstm_pi();
Pi gru_pi();
Pi softmax_pi();
Pi layer_norm_pi();
Pi attention_pi();
Pi transformer_ops_pi();
Pi stream_pi();
Pi hello_world_pi();
Pi memory_bandwidth_pi();
Pi launch_latency_pi();
Pi transfer_pi();
Pi all_reduce_pi();
Pi all_gather_pi();
Pi reduce_scatter_pi();
Pi broadcast_pi();
Pi alltoall_pi();

// The parameters that say how to measure, the same in every PI, and the plan they make.
std::vector<Parameter> with_plan_parameters(std::vector<Parameter> own);
Plan plan_from(const Parameters& parameters);
// A time in that unit, up to 10^6 s.
std::int64_t nanoseconds(const Parameters& parameters, std::string_view key, double unit_ns);

// The members that every PI fills in the same way.
void put_measurement(nlohmann::json& document, Parameters& parameters, const Plan& plan,
                     const Measurement& measurement);
nlohmann::json json_of(const std::vector<Phase>& phases);
nlohmann::json memory_of(const std::vector<Phase>& phases);  // {"check": bytes, ...}: phases.hpp

}  // namespace stackx::kernels
