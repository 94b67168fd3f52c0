#include "workspace/doctor/abilities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "specs/format/listed.hpp"

namespace stackx::workspace {
namespace {

bool is(const Findings& findings, const char* what, Status status) {
  const auto* found = find(findings, what);
  return found != nullptr && found->status == status;
}

bool works(const Findings& findings, const char* what) { return is(findings, what, Status::ok) || is(findings, what, Status::poor); }

std::string how_it_measures(const Findings& findings, bool gpu) {
  const char* confined = is(findings, "sandbox", Status::ok)     ? "sandboxed"
                         : is(findings, "sandbox", Status::poor) ? "without a sandbox"
                                                                 : "sandbox unknown";
  return fmt::format("measure ({}, {})", confined, gpu ? "CPU and GPU" : "CPU");
}

// Of what it takes all, and what is unknown leaves open.
void add(Abilities& result, const Findings& findings, const std::string& what, std::initializer_list<const char*> needs) {
  const auto any = [&](Status status) {
    return std::ranges::any_of(needs, [&](const char* need) { return is(findings, need, status); });
  };
  const bool all = std::ranges::all_of(needs, [&](const char* need) { return is(findings, need, Status::ok); });
  const bool lacks = any(Status::poor) || any(Status::broken) || any(Status::none);
  (all ? result.can : lacks ? result.cannot : result.unsure).push_back(what);
}

}  // namespace

Abilities abilities(const Findings& findings) {
  Abilities result;
  const bool knows = works(findings, "catalogs"), runs = works(findings, "programs");
  const bool keeps = !is(findings, "store", Status::broken) && !is(findings, "disk", Status::broken);
  for (const char* what : {"advise", "check", "resolve"}) (knows ? result.can : result.cannot).emplace_back(what);
  add(result, findings, "fetch packages", {"uv", "package index"});
  const bool gpu = is(findings, "GPU", Status::ok);
  if (runs)
    result.can.push_back(how_it_measures(findings, gpu));
  else
    result.cannot.emplace_back("measure");
  if (!keeps) result.cannot.emplace_back("keep results");
  if (runs && !gpu) (is(findings, "GPU", Status::unknown) ? result.unsure : result.cannot).emplace_back("measure GPUs");
  add(result, findings, "run containers", {"containers"});
  result.basic = knows && runs && keeps;
  return result;
}

std::string Abilities::sentence() const {
  std::string text;
  if (!can.empty()) text = "This machine can " + specs::listed(can, "and");
  if (!cannot.empty()) text += (can.empty() ? "This machine cannot " : "; it cannot ") + specs::listed(cannot, "or");
  if (!unsure.empty()) text += (text.empty() ? "Whether this machine can " : "; whether it can ") + specs::listed(unsure, "or") + " was not found out";
  return text + ".";
}

}  // namespace stackx::workspace
