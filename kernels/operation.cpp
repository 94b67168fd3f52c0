#include "kernels/operation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/bits.hpp"
#include "kernels/shared_object.hpp"
#include "kernels/timing/scenario.hpp"

namespace stackx::kernels {
namespace {

using nlohmann::json;

std::optional<ScenarioPlan> scenario_of(const Pi& pi, const Parameters& parameters) {
  const bool has = std::ranges::find(pi.parameters, "scenario", &Parameter::key) !=
                   pi.parameters.end();
  return has ? scenario_plan_from(parameters) : std::nullopt;
}

class Run {
 public:
  Run(const Pi& pi, Parameters parameters, Operation& operation, const Clock& clock)
      : parameters_(std::move(parameters)),
        plan_(plan_from(parameters_)),
        scenario_(scenario_of(pi, parameters_)),
        operation_(operation),
        clock_(clock),
        document_({{"name", pi.name},
                   {"parameters", parameters_.json()},
                   {"loaded", json::object()},
                   {"notes", json::array()}}) {}

  json operator()() {
    if (auto refusal = refusal_of_all()) document_["unsupported"] = *refusal;
    operation_.describe(document_);
    document_["files"] = mapped_files();
    document_["phases"] = json_of(phases_);
    document_["memory"] = memory_of(phases_);
    return std::move(document_);
  }

 private:
  std::optional<Unsupported> refusal_of_all() {
    Need need;
    try {
      if (auto refusal = record(phases_, clock_, "load", [&] { return operation_.load(); })) return refusal;
      need = operation_.need();
      const auto host = free_host_memory(need.processes);
      auto refusal = operation_.agreed(too_large(need, parameters_, host, operation_.free_device_memory()));
      return refusal ? refusal : check_and_measure();
    } catch (const OutOfMemory& error) {
      return ran_short(error, need, operation_.free_device_memory());
    }
  }

  std::optional<Unsupported> check_and_measure() {
    std::optional<Unsupported> refusal;
    const Check check = record(phases_, clock_, "check", [&] {
      refusal = operation_.prepare();
      return refusal ? Check{} : checked();
    });
    if (refusal) return refusal;
    if (check.pass && scenario_) return measure_scenario();
    Measurement measurement;
    if (check.pass) {
      const auto sampler = operation_.sampler(clock_);
      measurement = measure(*sampler, plan_, clock_, phases_);
    }
    put_measurement(document_, parameters_, plan_, measurement);
    put_work(static_cast<double>(measurement.mini_batch));
    return std::nullopt;
  }

  Check checked() {
    const std::int64_t begin = clock_.steady_ns();
    operation_.call();
    const std::int64_t call_ns = clock_.steady_ns() - begin;
    Check check = operation_.check();
    json& document = document_["check"] = json_of(check);
    if (check.pass) put_bits(document, operation_, parameters_.json().value("seed", json()).dump(), call_ns, clock_);
    return check;
  }

  // A sampler's run() ends when the calls are complete, on a GPU too.
  std::optional<Unsupported> measure_scenario() {
    const auto sampler = operation_.sampler(clock_);
    scenario_->items_per_call = operation_.work().items;
    const Scenario scenario = run_scenario(
        [&](std::size_t samples) { sampler->run(samples); }, *scenario_, clock_, phases_);
    document_["scenario"] = json_of(scenario);
    if (scenario.unsupported) return scenario.unsupported;
    document_["samples_ns"] = scenario.samples_ns;
    document_["work"] = {{"flop", 0}, {"bytes", 0}, {"items", scenario.items}};
    if (scenario.stopped_early)
      document_["notes"].push_back("stopped before the scenario's rules were met: max_seconds=" +
                                   parameters_.text("max_seconds"));
    return std::nullopt;
  }

  void put_work(double calls) {
    const OperationWork work = operation_.work();
    document_["work"] = {
        {"flop", work.flop * calls}, {"bytes", work.bytes * calls}, {"items", work.items * calls}};
  }

  Parameters parameters_;
  Plan plan_;
  std::optional<ScenarioPlan> scenario_;
  Operation& operation_;
  const Clock& clock_;
  json document_;
  std::vector<Phase> phases_;
};

}  // namespace

std::unique_ptr<Sampler> Operation::sampler(const Clock& clock) {
  return std::make_unique<ClockSampler>([this] { call(); }, clock);
}

json run_operation(const Pi& pi, Parameters parameters, Operation& operation, const Clock& clock) {
  return Run(pi, std::move(parameters), operation, clock)();
}

void put_library(json& document, const LibraryInfo& info, const std::string& path,
                 const std::optional<std::string>& component) {
  const std::string name = component.value_or(info.kind);
  document["component"] = name;
  document["loaded"] = info.partners;
  if (info.version) document["loaded"][name] = *info.version;
  json& library = document["library"] = {{"path", path}, {"kind", info.kind}};
  for (const auto& [key, value] : {std::pair{"interface", &info.interface},
                                   {"threading", &info.threading},
                                   {"config", &info.config},
                                   {"core", &info.core},
                                   {"note", &info.note}})
    if (!value->empty()) library[key] = *value;
}

json json_of(const Check& check) {
  json document = {{"reference", check.reference},
                   {"max_relative_error", check.max_relative_error},
                   {"bound", check.bound},
                   {"pass", check.pass}};
  if (check.max_ulps) document["max_ulps"] = *check.max_ulps;
  if (!check.detail.empty()) document["detail"] = check.detail;
  return document;
}

}  // namespace stackx::kernels
