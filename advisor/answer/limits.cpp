#include "advisor/answer/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "advisor/answer/expectation.hpp"
#include "advisor/candidate/newest_candidate.hpp"
#include "advisor/check/forward_compatibility.hpp"
#include "specs/format/listed.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

std::optional<std::string> capability_in(const std::string& why) {
  static const std::regex capability(R"(gpu\.compute_capability >=([\d.]+))");
  std::smatch found;
  return std::regex_search(why, found, capability) ? std::optional(found[1].str()) : std::nullopt;
}

// The GPU is too old for it. A range below the GPU's comes from elsewhere: a project that takes old versions alone.
bool is_too_new(const std::string& why, const AskedGpu& gpu) {
  const auto needed = capability_in(why);
  return needed && specs::is_newer(*needed, gpu.compute_capability);
}

// A row of the table, of what the catalogs know of a component; nothing of components that it does not show.
std::optional<Limit> limit_of(const Grounds& from, const NewestVersion& row, const Candidate& candidate) {
  const auto& gpu = *from.known.wish->question.gpu;
  const bool root = row.component == candidate.package;
  Limit limit{row.component, "", row.version, row.first_out, ""};
  if (row.component == "driver") {
    limit.here = ">=" + candidate.least_driver;
    // A range of drivers that one entry stands for does not name the branch.
    if (const auto branch = from.knowledge.drivers().last_branch(gpu.compute_capability);
        branch && specs::is_newer(limit.last, *branch + ".999"))
      limit.last = *branch;
  } else if (row.component == "cuda") {
    limit.here = candidate.cuda;
  } else if (row.component == "cudnn") {
    limit.here = candidate.cudnn;
  } else if (root) {
    limit.here = candidate.version;
    if (std::ranges::find(candidate.unsure, row.version) != candidate.unsure.end()) limit.last = candidate.version;
  } else {
    return std::nullopt;
  }
  // What the user asks for is out for no fault of the hardware's.
  if (row.newer == 0 || !is_too_new(row.why, gpu)) return std::nullopt;
  limit.why = fmt::format("needs compute capability {}; {} has {}", *capability_in(row.why), from.hardware(),
                          gpu.compute_capability);
  return limit;
}

// ", which needs Python 3.11 to 3.15 and driver >=580": what of it the user does not have.
std::string needs_of(const Candidate& newest, const Candidate& kept, const Have& have) {
  std::vector<std::string> needs;
  if (!have.python.empty() && std::ranges::find(newest.pinned.pythons, specs::minor_release(have.python)) == newest.pinned.pythons.end())
    needs.push_back(pythons_text(newest.pinned));
  if (!have.glibc.empty() && specs::is_newer(newest.pinned.glibc, have.glibc))
    needs.push_back("glibc " + newest.pinned.glibc);
  if (!newest.least_driver.empty() && kept.least_driver != newest.least_driver)
    needs.push_back("driver >=" + newest.least_driver);
  return needs.empty() ? "" : fmt::format(", which needs {}", fmt::join(needs, " and "));
}

// "Driver 535.183.01: CUDA up to 12.9.2, cuDNN up to 9.26.0, torch up to 2.14.1+cu126; CUDA 13.2.2 needs driver >=580." With a
// project CUDA and cuDNN are those that it allows. All three are those of whole stacks, so what else is kept counts, too.
std::string driver_limit(const Grounds& from, const Candidate& candidate, const Candidate& newest) {
  if (!from.known.space || newest.least_driver.empty() || newest.cuda.empty()) return "";
  const auto cuda = from.known.space->possible("cuda"), cudnn = from.known.space->possible("cudnn");
  if (cuda.empty()) return "";
  const auto allowed = from.options.project.empty() ? "" : fmt::format(", of what {} allows", from.project_called());
  const auto& have = from.options.have;
  std::vector<std::string> with;
  if (!have.python.empty()) with.push_back("Python " + have.python);
  if (!have.cuda.empty()) with.push_back("CUDA " + have.cuda);
  if (!have.glibc.empty()) with.push_back("glibc " + have.glibc);
  return fmt::format("Driver {}{}{}: CUDA up to {}, {}{} up to {}; CUDA {} needs driver >={}.", have.driver, with.empty() ? "" : " with " + specs::listed(with), allowed,
                     cuda.back(), cudnn.empty() ? "" : fmt::format("cuDNN up to {}, ", cudnn.back()), candidate.package,
                     candidate.version, newest.cuda, newest.least_driver);
}

}  // namespace

void add_limits(const Grounds& from, const Candidate& candidate, Advice& answer) {
  const auto& gpu = from.known.wish->question.gpu;
  if (!from.known.space || !gpu || gpu->vendor != "nvidia" || from.options.have.any()) return;
  for (const auto& row : from.known.space->newest())
    if (auto limit = limit_of(from, row, candidate)) answer.limits.push_back(std::move(*limit));
  if (from.known.selection.asked.pi != "matmul" || !from.known.space->catalog().find("cublas")) return;
  const auto cuda = from.known.space->possible("cuda"), cublas = from.known.space->possible("cublas");
  if (!cuda.empty() && !cublas.empty())
    answer.besides = fmt::format("Without a framework: cuda {}, cublas {}.", cuda.back(), cublas.back());
}

namespace {

// What a pin keeps from, not the machine; nothing where the newest release is pinned.
std::optional<std::string> kept_by_pin(const Grounds& from, Wish wish, const Candidate& candidate) {
  const auto pin = pin_of(from.knowledge, wish);
  if (pin.empty()) return std::nullopt;
  for (auto& placed : wish.question.asked)
    if (from.knowledge.real_name(placed.dependency.name) == wish.root)
      placed.dependency.versions = specs::SpecifierSet::any(specs::Versioning::pep440);
  const auto newest = newest_candidate(from.knowledge, wish);
  if (!newest || !specs::is_newer(newest->version, candidate.version)) return std::nullopt;
  return fmt::format("{} is what is asked for: that, not {}, keeps you from {}.", pin, from.options.have.text(), newest->name());
}

void add_compat(const Grounds& from, const Candidate& newest, Advice& answer) {
  const auto& question = from.known.wish->question;
  const auto build = from.knowledge.about(newest.package, specs::pep440_version(newest.version), "", question.machine).built_for;
  const auto release = build ? compat_release(from.knowledge, question, *build) : std::nullopt;
  if (release)
    answer.cautions.push_back(fmt::format("With NVIDIA's package {} driver R{} runs {}, too.", compat_package(*release),
                                          specs::major_release(question.driver), newest.name()));
}

}  // namespace

void add_what_is_lost(const Grounds& from, const Candidate& candidate, Advice& answer) {
  const auto& have = from.options.have;
  if (!have.any()) return;
  auto free = *from.known.wish;
  free.cuda.clear();
  if (!have.driver.empty()) free.question.driver.clear();
  if (!have.python.empty()) free.question.python.clear();
  if (!have.glibc.empty()) free.question.glibc.clear();
  const auto newest = newest_candidate(from.knowledge, free);
  if (!newest || !specs::is_newer(newest->version, candidate.version)) {
    const auto pinned = kept_by_pin(from, free, candidate);
    answer.cautions.push_back(pinned ? *pinned
                                     : fmt::format("Staying with {} loses nothing: {} is the newest release on {} anyway.", have.text(),
                                                   candidate.name(), from.hardware()));
    return;
  }
  answer.cautions.push_back(fmt::format("Staying with {} keeps you from {}{}; {}.", have.text(), newest->text(),
                                        needs_of(*newest, candidate, have), newer_elsewhere(from)));
  add_compat(from, *newest, answer);
  if (!have.driver.empty()) answer.besides = driver_limit(from, candidate, *newest);
}

}  // namespace stackx::advisor
