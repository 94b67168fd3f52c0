#include "specs/result/energy.hpp"

#include <cmath>
#include <numeric>

#include "specs/format/json.hpp"
#include "specs/format/json_reader.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::specs {
namespace {

double rounded_share(double share) { return std::round(share * 1e4) / 1e4; }

double share_of_idle(const Energy& energy) { return rounded_share(energy.idle_joules() / energy.joules); }

const char* covered_by(const std::string& source) { return source == rapl_source ? "machine" : "device"; }

double positive_from(const Node& node) {
  const double value = node.number();
  if (!(value > 0 && value <= 1e15)) node.fail("expected a number above 0, up to 1e15");
  return value;
}

// What is said of others is held against them, as the end of a phase is.
Energy energy_from(const std::string& source, const Node& node) {
  node.only({"counters", "covers", "joules", "seconds", "updates", "idle_watts", "idle_share"});
  Energy energy{node.at("counters").texts(), positive_from(node.at("joules")), positive_from(node.at("seconds")),
                node.at("updates").unsigned_integer(), std::nullopt};
  if (energy.updates < least_updates) node.at("updates").fail("expected 20 or more: of fewer nothing is recorded");
  if (node.at("covers").text() != covered_by(source)) node.at("covers").fail(std::string("expected ") + covered_by(source));
  const auto watts = node.find("idle_watts"), share = node.find("idle_share");
  if (watts.has_value() != share.has_value()) node.fail("expected idle_watts and idle_share, or neither");
  if (!watts) return energy;
  energy.idle_watts = watts->number();
  if (!(*energy.idle_watts >= 0 && *energy.idle_watts <= 1e9)) watts->fail("expected watts, 0 to 1e9");
  if (share->number() != share_of_idle(energy)) share->fail("expected idle_watts * seconds / joules, to four digits");
  return energy;
}

// Whether the samples are what was done for so long: gaps between them are small, as reading a GPU's state is.
bool fills(const Inspection& inspection, double seconds) {
  const auto& samples = inspection.samples_ns;
  const double together = std::accumulate(samples.begin(), samples.end(), 0.0) / 1e9;
  return together >= 0.5 * seconds && together <= 1.05 * seconds;
}

std::optional<EnergyOfRun> of_phase(const Energy& energy, const Inspection& inspection) {
  const double net = energy.joules - energy.idle_joules();
  if (!fills(inspection, energy.seconds) || !(net > 0)) return std::nullopt;
  EnergyOfRun result{net / static_cast<double>(inspection.samples_ns.size()) / runs_a_sample(inspection), std::nullopt};
  if (energy.idle_watts) result.idle_share = energy.idle_joules() / energy.joules;
  return result;
}

// By the counter as it stood after each sample, from one of its updates to another: documents without `energy` have no more.
std::optional<EnergyOfRun> of_samples(const std::vector<double>& counter, double runs) {
  std::vector<std::size_t> updates;  // the samples after which it had moved
  for (std::size_t i = 1; i < counter.size(); ++i)
    if (counter[i] != counter[i - 1]) updates.push_back(i);
  if (updates.size() < least_updates) return std::nullopt;
  const auto first = updates.front(), last = updates.back();
  return EnergyOfRun{(counter[last] - counter[first]) / static_cast<double>(last - first) / runs, std::nullopt};
}

}  // namespace

Json to_json(const Energies& energies) {
  Json json = Json::object();
  for (const auto& [source, energy] : energies) {
    Json& one = json[source];
    one = {{"counters", energy.counters}, {"covers", covered_by(source)}, {"joules", energy.joules},
           {"seconds", energy.seconds},   {"updates", energy.updates}};
    if (!energy.idle_watts) continue;
    one["idle_watts"] = *energy.idle_watts;
    one["idle_share"] = share_of_idle(energy);
  }
  return json;
}

Energies energies_from(const Node& node) {
  node.only({rapl_source, nvml_source});
  Energies result;
  for (const auto& [source, energy] : node.members()) result[source] = energy_from(source, energy);
  return result;
}

std::optional<EnergyOfRun> energy_of_run(const Inspection& inspection) {
  if (inspection.samples_ns.empty() || inspection.scenario) return std::nullopt;
  const auto& columns = inspection.conditions.columns;
  const bool on_gpu = inspection.device.starts_with("GPU-") || inspection.device.starts_with("MIG-");
  const auto gpus = inspection.energy.find(nvml_source), processors = inspection.energy.find(rapl_source);
  if (gpus != inspection.energy.end()) return of_phase(gpus->second, inspection);
  if (const auto counter = columns.find("energy_j"); counter != columns.end()) return of_samples(counter->second, runs_a_sample(inspection));
  if (on_gpu || processors == inspection.energy.end()) return std::nullopt;  // what it drew is not in the processors' energy
  return of_phase(processors->second, inspection);
}

}  // namespace stackx::specs
