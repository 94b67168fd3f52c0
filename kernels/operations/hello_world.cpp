// hello_world: a sum of whole numbers. No library, milliseconds in all: it tries the harness, not
// the machine.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/pi.hpp"
#include "kernels/shared_object.hpp"

namespace stackx::kernels {
namespace {

nlohmann::json run_hello_world(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  if (arguments.library) throw UsageError("hello_world takes no --library");
  Parameters parameters(pi.parameters, arguments.words);
  const Plan plan = plan_from(parameters);
  const std::uint64_t items = parameters.whole("items", 1, 1'000'000'000);
  volatile std::uint64_t sum = 0;  // volatile: the loop is the work, and must stay one
  const auto call = [&] {
    sum = 0;
    for (std::uint64_t i = 1; i <= items; ++i) sum = sum + i;
  };

  std::vector<Phase> phases;
  const bool pass = record(phases, clock, "check", [&] {
    call();
    return sum == items * (items + 1) / 2;
  });
  nlohmann::json document = {{"name", pi.name},
                             {"component", arguments.component.value_or("stackx-pi")},
                             {"notes", nlohmann::json::array()},
                             {"loaded", nlohmann::json::object()}};
  document["loaded"][arguments.component.value_or("stackx-pi")] = STACKX_VERSION;
  document["check"] = {{"reference", "n (n + 1) / 2"},
                       {"max_relative_error", pass ? 0 : 1},
                       {"bound", 0},
                       {"pass", pass}};
  Measurement measurement;
  ClockSampler sampler(call, clock);
  if (pass) measurement = measure(sampler, plan, clock, phases);
  put_measurement(document, parameters, plan, measurement);
  const double done = static_cast<double>(items) * static_cast<double>(measurement.mini_batch);
  document["work"] = {{"flop", 0}, {"bytes", 0}, {"items", done}};
  document["files"] = mapped_files();
  document["phases"] = json_of(phases);
  return document;
}

}  // namespace

Pi hello_world_pi() {
  Pi pi{"hello_world", "a sum of whole numbers: tries the harness, needs no library",
        with_plan_parameters({{"items", "1000", "numbers to add"}}), run_hello_world};
  for (Parameter& parameter : pi.parameters) {
    if (parameter.key == "min_sample_ms") parameter.fallback = "0.1";
    if (parameter.key == "warmup_ms") parameter.fallback = "1";
  }
  return pi;
}

}  // namespace stackx::kernels
