#include "specs/result/outcome.hpp"

#include <array>
#include <utility>

namespace stackx::specs {
namespace {

constexpr std::array<std::pair<Outcome, const char*>, 19> names{{
    {Outcome::ok, "ok"},
    {Outcome::build_failed, "build_failed"},
    {Outcome::hash_mismatch, "hash_mismatch"},
    {Outcome::build_timed_out, "build_timed_out"},
    {Outcome::disk_full, "disk_full"},
    {Outcome::unsupported, "unsupported"},
    {Outcome::wrong_result, "wrong_result"},
    {Outcome::wrong_stack, "wrong_stack"},
    {Outcome::timed_out, "timed_out"},
    {Outcome::crashed, "crashed"},
    {Outcome::failed, "failed"},
    {Outcome::out_of_memory, "out_of_memory"},
    {Outcome::output_limit, "output_limit"},
    {Outcome::bad_output, "bad_output"},
    {Outcome::invalid_samples, "invalid_samples"},
    {Outcome::left_processes, "left_processes"},
    {Outcome::missing_pi, "missing_pi"},
    {Outcome::too_large, "too_large"},
    {Outcome::implausible, "implausible"},
}};

}  // namespace

const char* to_string(Outcome outcome) {
  for (const auto& [value, name] : names)
    if (value == outcome) return name;
  return "?";
}

std::optional<Outcome> outcome_from(std::string_view name) {
  for (const auto& [value, text] : names)
    if (text == name) return value;
  return std::nullopt;
}

}  // namespace stackx::specs
