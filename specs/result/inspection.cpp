#include "specs/result/inspection.hpp"

#include <fmt/format.h>

#include <charconv>

#include "specs/format/json.hpp"
#include "specs/format/seal.hpp"
#include "specs/result/metric.hpp"
#include "specs/result/text_limits.hpp"

namespace stackx::specs {
namespace {

using Texts = std::map<std::string, std::string>;

Texts texts_from(const Node& node) {
  Texts result;
  for (const auto& [key, value] : node.members()) result[key] = value.text();
  return result;
}

Json to_json(const Phase& phase) {
  return {{"name", phase.name},
          {"start_ns", phase.start_ns},
          {"end_ns", phase.start_ns + phase.duration_ns},
          {"duration_ns", phase.duration_ns}};
}

Phase phase_from(const Node& node) {
  node.only({"name", "start_ns", "end_ns", "duration_ns"});
  Phase phase{node.at("name").text(), node.at("start_ns").integer(),
              node.at("duration_ns").integer()};
  std::int64_t end = 0;
  if (__builtin_add_overflow(phase.start_ns, phase.duration_ns, &end) ||
      node.at("end_ns").integer() != end)
    node.at("end_ns").fail("expected start_ns + duration_ns");
  return phase;
}

Json to_json(const Work& work) {
  return {{"flop", work.flop}, {"bytes", work.bytes}, {"items", work.items}};
}

Work work_from(const Node& node) {
  node.only({"flop", "bytes", "items"});
  return {node.at("flop").number(), node.at("bytes").number(), node.at("items").number()};
}

Json to_json(const Check& check) {
  Json json = {{"reference", check.reference},
               {"max_relative_error", check.max_relative_error},
               {"bound", check.bound},
               {"pass", check.pass}};
  if (check.max_ulps) json["max_ulps"] = *check.max_ulps;
  if (!check.result_digest.empty()) json["result_digest"] = check.result_digest;
  if (!check.inputs.empty()) json["inputs"] = check.inputs;
  if (check.deterministic) json["deterministic"] = *check.deterministic;
  return json;
}

Check check_from(const Node& node) {
  node.only({"reference", "max_relative_error", "bound", "pass", "max_ulps", "result_digest", "inputs", "deterministic"});
  Check check;
  check.reference = node.at("reference").text();
  check.max_relative_error = node.at("max_relative_error").number();
  check.bound = node.at("bound").number();
  check.pass = node.at("pass").boolean();
  bits_from(check, node);
  return check;
}

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Json to_json(const Usage& usage) {
  return {{"user_s", usage.user_s},
          {"system_s", usage.system_s},
          {"max_rss_bytes", usage.max_rss_bytes},
          {"minor_faults", usage.minor_faults},
          {"major_faults", usage.major_faults},
          {"voluntary_switches", usage.voluntary_switches},
          {"involuntary_switches", usage.involuntary_switches}};
}

Usage usage_from(const Node& node) {
  node.only({"user_s", "system_s", "max_rss_bytes", "minor_faults", "major_faults",
             "voluntary_switches", "involuntary_switches"});
  return {node.at("user_s").number(),
          node.at("system_s").number(),
          node.at("max_rss_bytes").unsigned_integer(),
          node.at("minor_faults").integer(),
          node.at("major_faults").integer(),
          node.at("voluntary_switches").integer(),
          node.at("involuntary_switches").integer()};
}

int exit_code_from(const Node& node) {
  const std::int64_t code = node.integer();
  if (code < 0 || code > 255) node.fail("expected an exit status, 0 to 255");
  return static_cast<int>(code);
}

double load_from(const Node& node) {
  const double load = node.number();
  if (!(load >= 0 && load <= most_load)) node.fail("expected a load average, 0 to 1000000");
  return load;
}

Outcome outcome_from(const Node& node) {
  if (const auto outcome = specs::outcome_from(node.text())) return *outcome;
  node.fail(fmt::format("unknown outcome \"{}\"", node.text()));
}

// Who ran what, where: everything but the measurement.
void identity_to(Json& json, const Inspection& inspection) {
  json["campaign"] = inspection.campaign;
  json["round"] = inspection.round;
  json["position"] = inspection.position;
  json["arm"] = inspection.arm;
  json["sentinel"] = inspection.sentinel;
  json["stack"] = inspection.stack.components;
  json["loaded"] = inspection.loaded;
  json["workload"] = to_json(inspection.workload);
  if (inspection.program) json["program"] = to_json(*inspection.program);
  json["parameters"] = inspection.parameters;
  json["host"] = to_json(inspection.host);
  json["load_1m"] = inspection.load_1m;
  if (inspection.steal) json["steal"] = *inspection.steal;
  json["device"] = inspection.device;
  json["runner"] = inspection.runner;
  if (!inspection.nodes.empty()) json["nodes"] = inspection.nodes;
  json["artifacts"] = inspection.artifacts;
  json["stackx_version"] = inspection.stackx_version;
  json["finished"] = inspection.finished;
}

void identity_from(Inspection& inspection, const Node& node) {
  inspection.campaign = node.at("campaign").text();
  inspection.round = node.at("round").unsigned_integer();
  inspection.position = node.at("position").unsigned_integer();
  inspection.arm = node.at("arm").text();
  inspection.sentinel = node.at("sentinel").boolean();
  inspection.stack.components = texts_from(node.at("stack"));
  inspection.loaded = texts_from(node.at("loaded"));
  inspection.workload = workload_from(node.at("workload"));
  if (const auto program = node.find("program")) {
    inspection.program = program_from(*program);
    inspection.workload.program = inspection.program->identity();
  }
  inspection.parameters = texts_from(node.at("parameters"));
  inspection.host = host_from(node.at("host"));
  inspection.load_1m = load_from(node.at("load_1m"));
  if (const auto steal = node.find("steal")) {
    inspection.steal = steal->number();
    if (!(*inspection.steal >= 0 && *inspection.steal <= 1)) steal->fail("expected a share, 0 to 1");
  }
  inspection.device = node.at("device").text();
  inspection.runner = node.at("runner").text();
  if (const auto nodes = node.find("nodes")) {
    inspection.nodes = nodes->texts();
    if (inspection.nodes.size() < 2) nodes->fail("expected two nodes or more");
  }
  inspection.artifacts = texts_from(node.at("artifacts"));
  inspection.stackx_version = node.at("stackx_version").text();
  inspection.finished = node.at("finished").text();
}

void measurement_to(Json& json, const Inspection& inspection) {
  json["phases"] = Json::array();
  for (const auto& phase : inspection.phases) json["phases"].push_back(to_json(phase));
  json["samples_ns"] = inspection.samples_ns;
  put(json, inspection.conditions);
  json["work"] = to_json(inspection.work);
  if (!inspection.memory.empty()) json["memory"] = inspection.memory;
  if (!inspection.metrics.empty()) json["metrics"] = inspection.metrics;
  if (inspection.device_memory) json["device_memory"] = to_json(*inspection.device_memory);
  if (!inspection.energy.empty()) json["energy"] = to_json(inspection.energy);
  if (inspection.check) json["check"] = to_json(*inspection.check);
  if (inspection.scenario) json["scenario"] = to_json(*inspection.scenario);
  json["usage"] = to_json(inspection.usage);
  if (inspection.exit_code) json["exit_code"] = *inspection.exit_code;
  json["outcome"] = to_string(inspection.outcome);
  json["reason"] = to_utf8(inspection.reason);
  json["stdout_tail"] = to_utf8(inspection.stdout_tail);
  json["stderr_tail"] = to_utf8(inspection.stderr_tail);
}

void measurement_from(Inspection& inspection, const Node& node) {
  figures_from(inspection, node);
  for (const auto& item : node.at("samples_ns").items())
    inspection.samples_ns.push_back(item.integer());
  inspection.conditions = sample_conditions_from(node, inspection.samples_ns.size());
  inspection.work = work_from(node.at("work"));
  if (const auto code = node.find("exit_code")) inspection.exit_code = exit_code_from(*code);
  inspection.outcome = outcome_from(node.at("outcome"));
  inspection.reason = node.at("reason").text();
  inspection.stdout_tail = node.at("stdout_tail").text();
  inspection.stderr_tail = node.at("stderr_tail").text();
}

// What a stack, its image or its PI named at length is cut; of what is beyond all measure, the rest is left out.
void shorten(Texts& texts) {
  Texts result;
  std::size_t together = 0;
  for (const auto& [name, text] : texts) {
    auto key = cut(name, longest_text), value = cut(to_utf8(text), longest_text);
    together += key.size() + value.size();
    if (together > longest_together) break;
    result.emplace(std::move(key), std::move(value));
  }
  texts = std::move(result);
}

void shorten(Inspection& inspection) {
  for (Texts* texts : {&inspection.loaded, &inspection.parameters, &inspection.artifacts}) shorten(*texts);
  inspection.runner = cut(std::move(inspection.runner), longest_text);
  for (std::string* text : {&inspection.reason, &inspection.stdout_tail, &inspection.stderr_tail})
    *text = cut(to_utf8(*text), longest_reason);
}

}  // namespace

Json to_json(const Inspection& inspection) {
  Json json = {{"$schema", "stackx/inspection/1"}, {"id", inspection.id}};
  identity_to(json, inspection);
  measurement_to(json, inspection);
  require_finite(json);
  return json;
}

double runs_a_sample(const Inspection& inspection) {
  const auto found = inspection.parameters.find("mini_batch");
  if (found == inspection.parameters.end()) return 1;
  const auto& text = found->second;
  double runs = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), runs);
  return error == std::errc{} && end == text.data() + text.size() && runs >= 1 ? runs : 1;
}

void bits_from(Check& check, const Node& node) {
  if (const auto ulps = node.find("max_ulps")) {
    check.max_ulps = ulps->number();
    if (!(*check.max_ulps >= 0)) ulps->fail("expected units in the last place, not below 0");
  }
  if (const auto digest = node.find("result_digest")) {
    check.result_digest = digest->text();
    if (!is_digest(check.result_digest)) digest->fail("expected a SHA-256: 64 hexadecimal digits");
  }
  if (const auto inputs = node.find("inputs")) check.inputs = inputs->text();
  if (const auto same = node.find("deterministic")) check.deterministic = same->boolean();
}

std::map<std::string, std::uint64_t> memory_from(const Node& node) {
  std::map<std::string, std::uint64_t> result;
  for (const auto& [phase, bytes] : node.members()) {
    result[phase] = bytes.unsigned_integer();
    if (result[phase] > most_memory) bytes.fail("expected bytes of memory, fewer than 2^50");
  }
  return result;
}

void figures_from(Inspection& inspection, const Node& node) {
  for (const auto& item : node.at("phases").items()) inspection.phases.push_back(phase_from(item));
  if (const auto memory = node.find("memory")) inspection.memory = memory_from(*memory);
  if (const auto metrics = node.find("metrics")) inspection.metrics = metrics_from(*metrics);
  if (const auto memory = node.find("device_memory")) inspection.device_memory = device_memory_from(*memory);
  if (const auto energy = node.find("energy")) inspection.energy = energies_from(*energy);
  if (const auto check = node.find("check")) inspection.check = check_from(*check);
  if (const auto scenario = node.find("scenario")) inspection.scenario = scenario_result_from(*scenario);
  inspection.usage = usage_from(node.at("usage"));
}

Inspection inspection_from(const Node& node, TextLengths texts) {
  node.schema("stackx/inspection/1");
  node.only({"$schema",     "id",        "campaign",       "round",    "position",   "arm",
             "sentinel",    "stack",     "loaded",         "workload", "parameters", "host",
             "load_1m",     "steal",     "device",    "runner",         "phases",   "samples_ns", "work",
             "check",       "usage",     "exit_code",      "outcome",  "reason",     "stdout_tail",
             "stderr_tail", "artifacts", "stackx_version", "finished", "conditions",  "throttled",
              "scenario",    "program",   "metrics",    "memory",   "energy",    "device_memory",  "nodes"});
  if (texts == TextLengths::bounded)
    for (const auto& [key, member] : node.members()) check_texts(key, member);
  Inspection inspection;
  inspection.id = node.at("id").text();
  identity_from(inspection, node);
  measurement_from(inspection, node);
  verify_id(node, to_json(inspection));
  return inspection;
}

void seal(Inspection& inspection) {
  shorten(inspection);
  inspection.id = content_id(to_json(inspection));
}

}  // namespace stackx::specs
