#include "kernels/pi.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace stackx::kernels {
namespace {

std::vector<std::shared_ptr<void>> kept;

}  // namespace

void keep(std::shared_ptr<void> what) { kept.push_back(std::move(what)); }
void let_go() { kept.clear(); }

std::int64_t nanoseconds(const Parameters& parameters, std::string_view key, double unit_ns) {
  constexpr double kMostSeconds = 1e6;
  const double value = parameters.number(key, 0);
  if (value * unit_ns > kMostSeconds * 1e9)
    throw UsageError(
        fmt::format("{}={}: longer than {} s", key, parameters.text(key), kMostSeconds));
  return static_cast<std::int64_t>(value * unit_ns);
}

std::vector<Pi> all_pis() {
  return {matmul_pi(),         conv2d_pi(),          lstm_pi(),         gru_pi(),           softmax_pi(),
          layer_norm_pi(),     attention_pi(),       transformer_ops_pi(), stream_pi(),     memory_bandwidth_pi(),
          launch_latency_pi(), transfer_pi(),        all_reduce_pi(),   all_gather_pi(),    reduce_scatter_pi(),
          broadcast_pi(),      alltoall_pi(),        hello_world_pi()};
}

std::vector<Parameter> with_plan_parameters(std::vector<Parameter> own) {
  for (const auto& [key, fallback, help] : std::initializer_list<Parameter>{
           {"repetitions", "20", "samples to take"},
           {"mini_batch", "0", "calls a sample; 0: so many that it lasts min_sample_ms"},
           {"min_sample_ms", "5", "least duration of a sample when calibrating"},
           {"warmup_ms", "100", "time to run before the first sample"},
           {"max_seconds", "0", "stop sampling past this, but not below 3 samples; 0: no limit"},
           {"seed", "1", "of the inputs"}})
    own.push_back({key, fallback, help});
  return own;
}

Plan plan_from(const Parameters& parameters) {
  Plan plan;
  plan.repetitions = parameters.whole("repetitions", 1, 1'000'000);
  plan.mini_batch = parameters.whole("mini_batch", 0, 1'000'000'000);
  plan.min_sample_ns = nanoseconds(parameters, "min_sample_ms", 1e6);
  plan.warm_up_ns = nanoseconds(parameters, "warmup_ms", 1e6);
  plan.max_ns = nanoseconds(parameters, "max_seconds", 1e9);
  return plan;
}

void put_measurement(nlohmann::json& document, Parameters& parameters, const Plan& plan,
                     const Measurement& measurement) {
  parameters.set("mini_batch", std::to_string(measurement.mini_batch));
  document["parameters"] = parameters.json();
  document["samples_ns"] = measurement.samples_ns;
  if (measurement.stopped_early)
    document["notes"].push_back(fmt::format("stopped after {} of {} repetitions: max_seconds={}",
                                            measurement.samples_ns.size(), plan.repetitions,
                                            parameters.text("max_seconds")));
}

nlohmann::json json_of(const std::vector<Phase>& phases) {
  nlohmann::json json = nlohmann::json::array();
  for (const Phase& phase : phases)
    json.push_back(
        {{"name", phase.name}, {"start_ns", phase.start_ns}, {"duration_ns", phase.duration_ns}});
  return json;
}

nlohmann::json memory_of(const std::vector<Phase>& phases) {
  nlohmann::json json = nlohmann::json::object();
  for (const Phase& phase : phases)
    if (phase.memory_bytes > 0) json[phase.name] = phase.memory_bytes;
  return json;
}

}  // namespace stackx::kernels
