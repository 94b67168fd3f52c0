#include "specs/catalog/driver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/catalog/open.hpp"
#include "specs/format/json.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::specs {
namespace {

// A driver's version; "" where there is none.
std::string driver_at(const Node& node, std::string_view key) {
  const auto found = node.find(key);
  if (!found) return "";
  const auto text = found->scalar();
  if (!Version::parse(text, Versioning::pep440))
    found->fail(fmt::format("\"{}\": expected a driver such as 525.60.13", text));
  return text;
}

Version version_of(const std::string& text) {
  return Version::parse(text, Versioning::pep440).value_or(Version());
}

Constraint exactly(const std::string& compute_capability, const std::string& words) {
  return {{{*SpecifierSet::parse("==" + compute_capability, Versioning::pep440), {}}}, words};
}

std::string branch_in(const Node& node) {
  const auto text = node.scalar();
  if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != text.npos)
    node.fail(fmt::format("\"{}\": expected a branch such as 470", text));
  return text;
}

// No GPU satisfies it.
Constraint none(const std::string& words) {
  return {{{*SpecifierSet::parse("<0", Versioning::pep440), {}}}, words};
}

}  // namespace

bool is_branch(const std::string& driver) { return !driver.empty() && driver.find_first_not_of("0123456789") == driver.npos; }
std::string newest_of_branch(const std::string& driver) { return is_branch(driver) ? driver + ".9999" : driver; }

void DriverFacts::read(const Node& document) {
  const auto list = document.find("facts");
  if (!list) return;
  for (const auto& fact : list->items()) {
    const auto of = fact.at("of").text();
    if (of == "cuda") {
      fact.only({"of", "versions", "driver", "minor", "note", "known", "source"});
      for (const auto& cuda : fact.at("versions").texts()) cuda_[cuda] = {driver_at(fact, "driver"), driver_at(fact, "minor")};
    } else if (of == "driver") {
      fact.only({"of", "gpu", "since", "branch", "last_for", "note", "known", "source"});
      read_gpus(fact);
    } else if (of == "cuda-compat") {
      fact.only({"of", "cuda", "branches", "note", "known", "source"});
      auto& branches = compat_[fact.at("cuda").scalar()];
      branches.clear();
      for (const auto& one : fact.at("branches").items()) branches.push_back(branch_in(one));
    }
  }
}

void DriverFacts::read_gpus(const Node& fact) {
  if (const auto gpus = fact.find("gpu"))
    if (const auto since = driver_at(fact, "since"); !since.empty())
      for (const auto& one : gpus->texts()) since_[one] = since;
  if (const auto gpus = fact.find("last_for")) {
    const auto branch = branch_in(fact.at("branch"));
    for (const auto& one : gpus->texts()) last_[one] = branch;
  }
}

void DriverFacts::add_toolkit(const std::string& cuda, const std::string& driver) {
  auto& release = cuda_[cuda];
  if (release.driver.empty()) release.driver = driver;
  if (!release.minor.empty()) return;
  for (const auto& [other, known] : cuda_)  // one rule a major version
    if (major_release(other) == major_release(cuda) && !known.minor.empty()) release.minor = known.minor;
}

std::optional<std::string> DriverFacts::least(const std::string& cuda, GpuBuild::Reach reach) const {
  const auto found = cuda_.find(minor_release(cuda));
  if (found != cuda_.end()) {
    const auto& [driver, minor] = found->second;
    if (reach != GpuBuild::Reach::ptx && !minor.empty()) return minor;
    if (!driver.empty()) return driver;
  }
  for (const auto& [release, drivers] : cuda_)  // a release that is not listed: its major's rule
    if (major_release(release) == major_release(cuda) && !drivers.minor.empty()) return drivers.minor;
  return std::nullopt;
}

std::vector<std::string> DriverFacts::toolkits() const {
  std::vector<std::string> known;
  for (const auto& [cuda, release] : cuda_) known.push_back(cuda);
  std::ranges::sort(known, [](const auto& a, const auto& b) { return is_newer(b, a); });
  return known;
}

std::vector<std::string> DriverFacts::compatible_branches(const std::string& cuda) const {
  const auto found = compat_.find(minor_release(cuda));
  return found == compat_.end() ? std::vector<std::string>{} : found->second;
}

bool DriverFacts::compat_runs(const std::string& compat, const std::string& cuda, GpuBuild::Reach reach) const {
  const auto release = version_of(minor_release(compat)), built = version_of(minor_release(cuda));
  if (release >= built) return true;
  const auto own = cuda_.find(minor_release(compat));
  const auto needed = least(cuda, reach);
  return needed && own != cuda_.end() && !own->second.driver.empty() && !is_newer(*needed, own->second.driver);
}

std::optional<std::string> DriverFacts::compat_for(const std::string& cuda, GpuBuild::Reach reach, const std::string& branch) const {
  std::optional<std::string> newest;
  for (const auto& [release, branches] : compat_) {
    const bool takes_it = std::ranges::find(branches, branch) != branches.end();
    if (!takes_it || major_release(release) != major_release(cuda) || !compat_runs(release, cuda, reach)) continue;
    if (release == minor_release(cuda)) return release;
    if (!newest || is_newer(release, *newest)) newest = release;
  }
  return newest;
}

std::optional<std::string> DriverFacts::since(const std::string& compute_capability, const FirstDriver& product) const {
  if (!product.since.empty()) return product.since;
  const auto found = since_.find(compute_capability);
  return found == since_.end() ? std::nullopt : std::optional(found->second);
}

// `since` is the driver of the first toolkit that has the GPU's target.
std::optional<std::string> DriverFacts::first_toolkit(const std::string& compute_capability) const {
  std::optional<std::string> oldest, first;
  for (const auto& [capability, driver] : since_) {
    const bool runs = major_release(capability) == major_release(compute_capability) && !is_newer(capability, compute_capability);
    if (runs && (!oldest || is_newer(*oldest, driver))) oldest = driver;
  }
  if (!oldest) return std::nullopt;
  for (const auto& [cuda, release] : cuda_)
    if (!release.driver.empty() && !is_newer(*oldest, release.driver) && (!first || is_newer(*first, cuda))) first = cuda;
  return first;
}

std::optional<std::string> DriverFacts::last_branch(const std::string& compute_capability) const {
  const auto found = last_.find(compute_capability);
  return found == last_.end() ? std::nullopt : std::optional(found->second);
}

namespace {

// The version of the driver that `point` is, with whether it drives the GPU; its words are what check makes sentences of.
VersionEntry driver_entry(const Version& point, const std::string& compute_capability, bool older, bool newer) {
  VersionEntry entry;
  entry.version = point;
  auto constraint = older   ? none("older than " + compute_capability)
                    : newer ? none("newer than " + compute_capability)
                            : exactly(compute_capability, "known to it");
  entry.requires_.push_back({"gpu", "compute_capability", std::move(constraint)});
  return entry;
}

}  // namespace

Component DriverFacts::component(const std::string& compute_capability, const FirstDriver& product, const std::string& asked) const {
  Component driver;
  driver.name = "driver";
  driver.kind = Kind::driver;
  driver.open = true;
  driver.description = "NVIDIA's Linux driver";
  const auto first = since(compute_capability, product);
  const auto last = last_branch(compute_capability);
  const auto end = last ? std::optional(version_of(std::to_string(std::stoi(*last) + 1))) : std::nullopt;
  const auto is_newer_than_last = [&](const Version& point) { return end && point >= *end; };
  std::vector<std::string> points{"0"};
  if (first) points.push_back(*first);
  if (end) points.push_back(end->text());
  for (const auto& point : points) {
    const auto version = version_of(point);
    driver.versions.push_back(driver_entry(version, compute_capability, first && version < version_of(*first), is_newer_than_last(version)));
  }
  const auto judge = [&](const std::string& point) {
    if (point.empty() || add_open(driver, point) == nullptr || product.since.empty()) return;
    auto& there = *std::ranges::find_if(driver.versions, [&](const auto& entry) { return entry.version == version_of(point); });
    there = driver_entry(there.version, compute_capability, product.is_older(point), is_newer_than_last(there.version));
  };
  if (product.since.empty()) return judge(asked), driver;
  for (const auto& point : {major_release(asked), product.in_branch_of(asked), asked})  // of its branch, those from the product's first on
    if (!is_newer(point, asked)) judge(point);
  return driver;
}

}  // namespace stackx::specs
