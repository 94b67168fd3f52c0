#include "inspector/run/findings.hpp"

#include <fmt/format.h>

#include "inspector/run/plain_output.hpp"
#include "inspector/run/protocol.hpp"
#include "inspector/run/verify.hpp"

namespace stackx::inspector {
namespace {

using specs::Inspection;
using specs::Outcome;

specs::Usage usage_of(const Supervision& report) {
  specs::Usage usage;
  usage.user_s = static_cast<double>(report.user_us) / 1e6;
  usage.system_s = static_cast<double>(report.system_us) / 1e6;
  usage.max_rss_bytes = static_cast<std::uint64_t>(report.max_rss_kib) * 1024;
  usage.minor_faults = report.minor_faults;
  usage.major_faults = report.major_faults;
  usage.voluntary_switches = report.voluntary;
  usage.involuntary_switches = report.involuntary;
  return usage;
}

void put_report(Inspection& result, PiReport report) {
  for (auto& [name, value] : report.parameters) result.parameters[name] = value;
  for (auto& phase : report.phases) result.phases.push_back(std::move(phase));
  result.samples_ns = std::move(report.samples_ns);
  result.conditions = std::move(report.conditions);
  result.work = report.work;
  result.check = report.check;
  result.scenario = std::move(report.scenario);
  result.memory = std::move(report.memory);
  result.metrics = std::move(report.metrics);
}

Verdict judge_check(const std::optional<specs::Check>& check) {
  if (!check || check->pass) return {};
  return {Outcome::wrong_result,
          fmt::format("the result differs from the reference ({}) by {:.3g}; the bound is {:.3g}",
                      check->reference, check->max_relative_error, check->bound)};
}

}  // namespace

void put(Inspection& result, const Verdict& verdict) {
  result.outcome = verdict.outcome;
  result.reason = verdict.reason;
}

void put_supervision(Inspection& result, const Supervision& report) {
  if (report.end == Supervision::End::not_started) return;
  result.usage = usage_of(report);
  result.phases.push_back({"run", report.start_ns, report.duration_ns});
  if (report.end == Supervision::End::exited) result.exit_code = report.status;
}

void put_output(Inspection& result, const StackEnvironment& environment, const specs::PiProgram& planned,
                const Secrets& secrets, const RunResult& ran) {
  const auto& text = ran.process.out;
  auto report = planned.plain ? parse_plain_output(text, planned.number, ran.supervision->duration_ns) : parse_pi_output(text);
  if (!report) return put(result, {report.error().outcome, report.error().reason});
  mask(*report, secrets);
  auto verified = verify(environment, *report, planned.plain);
  const std::string gpu = report->gpu;
  put_report(result, std::move(*report));
  result.loaded.merge(verified.loaded);
  if (verified.wrong) return put(result, {Outcome::wrong_stack, *verified.wrong});
  if (!gpu.empty() && gpu != result.device)
    return put(result, {Outcome::wrong_stack,
                        fmt::format("the PI ran on {}, it was told to use {}", gpu, result.device)});
  put(result, judge_check(result.check));
}

void put_memory_together(Inspection& result, std::uint64_t together_bytes) {
  if (together_bytes > result.usage.max_rss_bytes)
    result.metrics.try_emplace("peak_memory_bytes", static_cast<double>(together_bytes));
}

}  // namespace stackx::inspector
