#include "advisor/facts/driver_span.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "specs/catalog/driver.hpp"
#include "specs/error.hpp"
#include "specs/format/listed.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

bool is_older(const std::string& version, const std::string& than) { return specs::is_newer(than, version); }

bool is_after(const std::string& driver, const std::string& branch) { return specs::is_newer(specs::major_release(driver), branch); }

std::string names_of(const std::vector<DriverSpan>& spans) {
  std::vector<std::string> names;
  for (const auto& one : spans) names.push_back(one.gpu);
  return specs::listed(names);
}

const DriverSpan& newest_of(const std::vector<DriverSpan>& spans) {
  return *std::ranges::max_element(spans, [](const auto& a, const auto& b) { return is_older(a.since, b.since); });
}

// Of those that a branch was the last for.
const DriverSpan* oldest_of(const std::vector<DriverSpan>& spans) {
  const DriverSpan* oldest = nullptr;
  for (const auto& one : spans)
    if (!one.last_branch.empty() && (!oldest || is_older(one.last_branch, oldest->last_branch))) oldest = &one;
  return oldest;
}

// "; of branch 535 from 535.183.01 on, too": older branches that were kept alive and learnt of the products.
std::string in_older_branches(const std::vector<DriverSpan>& spans, const std::string& since) {
  std::vector<std::string> firsts;
  for (const auto& one : spans)
    for (const auto& first : one.product.also) {
      const auto all = std::ranges::all_of(spans, [&](const auto& other) { return other.holds(first); });
      if (!all || !is_older(specs::major_release(first), specs::major_release(since))) continue;
      const auto same = std::ranges::find_if(firsts, [&](const auto& known) { return specs::major_release(known) == specs::major_release(first); });
      if (same == firsts.end()) firsts.push_back(first);
      else if (is_older(first, *same)) *same = first;
    }
  std::ranges::sort(firsts, is_older);
  std::vector<std::string> words;
  for (const auto& first : firsts) words.push_back(fmt::format("{} from {} on", specs::major_release(first), first));
  return words.empty() ? "" : fmt::format("; of branch {}, too", specs::listed(words));
}

std::string which_drive(const std::vector<DriverSpan>& spans) {
  const auto common = common_span(spans);
  if (!common)
    return fmt::format("No driver drives {}: {} begins with {}, and {} ends with branch {}.", names_of(spans), newest_of(spans).gpu,
                       newest_of(spans).since, oldest_of(spans)->gpu, oldest_of(spans)->last_branch);
  auto text = fmt::format("Drivers {} drive {}", common->text(), names_of(spans));
  const auto older = in_older_branches(spans, common->since);
  if (spans.size() == 1) return text + older + ".";
  text += fmt::format(": {} sets the first", newest_of(spans).gpu);
  if (const auto* oldest = oldest_of(spans)) text += fmt::format(", {} the last", oldest->gpu);
  return text + older + ".";
}

}  // namespace

bool DriverSpan::holds(const std::string& driver) const {
  const auto newest = specs::newest_of_branch(driver);
  const bool older = product.since.empty() ? is_older(newest, since) : product.is_older(newest);
  return !older && (last_branch.empty() || !is_after(driver, last_branch));
}

std::string DriverSpan::text() const {
  if (!last_branch.empty()) return fmt::format("from {} to the end of branch {}", since, last_branch);
  const auto also = product.also.empty() ? "" : fmt::format("; in other branches from {}", specs::listed(product.also));
  return fmt::format("from {} on{}", since, also);
}

DriverSpan driver_span(const specs::DriverFacts& drivers, const std::string& gpu, const std::string& compute_capability,
                       const specs::FirstDriver& product) {
  return {gpu, compute_capability, drivers.since(compute_capability, product).value_or(""),
          drivers.last_branch(compute_capability).value_or(""), product};
}

std::optional<DriverSpan> common_span(const std::vector<DriverSpan>& spans) {
  if (spans.empty()) return std::nullopt;
  const auto* oldest = oldest_of(spans);
  DriverSpan common{"", "", newest_of(spans).since, oldest ? oldest->last_branch : ""};
  return common.holds(common.since) ? std::optional(std::move(common)) : std::nullopt;
}

DriverAnswer driver_answer(const std::vector<DriverSpan>& spans, const std::string& driver) {
  std::vector<DriverSpan> with, without;
  std::vector<std::string> unknown;
  for (const auto& one : spans) {
    if (one.since.empty()) unknown.push_back(one.gpu);
    else (driver.empty() || one.holds(driver) ? with : without).push_back(one);
  }
  if (!without.empty()) {
    std::vector<std::string> why;
    for (const auto& one : without) why.push_back(fmt::format("{} ({})", one.gpu, one.text()));
    return {fmt::format("No: driver {} does not drive {}{}.", driver, specs::listed(why), with.empty() ? "" : "; it drives " + names_of(with)), false};
  }
  if (!unknown.empty())
    return {fmt::format("Unknown for {}: no branch of NVIDIA's drivers is known for it.{}", specs::listed(unknown),
                        with.empty() ? "" : driver.empty() ? " " + which_drive(with) : fmt::format(" Driver {} drives {}.", driver, names_of(with))),
            std::nullopt};
  if (driver.empty()) return {which_drive(with), common_span(with).has_value()};
  std::string begins;  // in the branch, with the youngest of the products
  for (const auto& one : with)
    if (const auto first = one.product.since.empty() ? one.since : one.product.in_branch_of(driver);
        specs::is_branch(driver) && specs::is_newer(first, driver) && (begins.empty() || specs::is_newer(first, begins)))
      begins = first;
  return {fmt::format("Yes: driver {} drives {}{}.", driver, names_of(with), begins.empty() ? "" : fmt::format(", from {} on", begins)), true};
}

void check_driver(const specs::DriverFacts& drivers, const std::string& driver) {
  if (driver.empty()) return;
  const auto version = specs::Version::parse(driver, specs::Versioning::pep440);
  if (!version) throw bad_input(fmt::format("--driver {}: expected a version such as 535.183.01", specs::in_quotes(driver)));
  constexpr std::size_t digits = 3;  // of a branch: 71 to 590 so far
  if (std::min(driver.find_first_not_of("0123456789"), driver.size()) > digits)
    throw bad_input(fmt::format("--driver {}: no driver of NVIDIA's is that new; expected the driver's own version, such as 535.183.01", specs::in_quotes(driver)));
  if (*specs::Version::parse("100", specs::Versioning::pep440) < *version) return;
  const auto of_cuda = drivers.least(driver, specs::GpuBuild::Reach::ptx);  // nvidia-smi shows both, and people take the one for the other
  if (!of_cuda)
    throw bad_input(fmt::format("--driver {}: no driver of these GPUs is that old; expected the driver's own version, such as 535.183.01", driver));
  throw bad_input(fmt::format("--driver {0}: looks like a release of CUDA, which `nvidia-smi` shows beside the driver's own version; CUDA {0} came "
                              "with driver {1}. `advise --have cuda={0}` keeps CUDA {0}",
                              driver, *of_cuda));
}

}  // namespace stackx::advisor
