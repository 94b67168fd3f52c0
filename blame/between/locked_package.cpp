#include "blame/between/locked_package.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "pypi/index/locked_files.hpp"
#include "specs/error.hpp"
#include "specs/python/build_index.hpp"

namespace stackx::blame {
namespace {

// "3.11" leaves open which 3.11.2 states.
bool is_start_of(const std::string& python, const std::string& of) { return of == python || of.starts_with(python + "."); }

class ReadingLocked {
 public:
  ReadingLocked(const End& old_end, const End& new_end, const Pythons& pythons, pypi::Index& index)
      : ends_{&old_end, &new_end}, pythons_(pythons), index_(index) {}

  LockedPackages run() {
    list();
    if (!missing_.empty())
      refuse_missing(fmt::format("{} and {}", ends_[0]->text, ends_[1]->text), missing_, common_ && !common_->empty() ? common_->back() : "");
    read_facts();
    return std::move(result_);
  }

 private:
  struct Asked {
    std::string name, version;
    std::size_t python;
    pypi::File file;
  };
  using Files = std::vector<std::expected<pypi::LockedFiles, pypi::NoLockedFile>>;  // for each of the Pythons

  std::size_t python_of(bool is_new) const { return is_new ? pythons_.size() - 1 : 0; }

  void list() {
    std::set<std::string> names;
    for (const auto* end : ends_)
      for (const auto& [name, version] : end->packages) names.insert(name);
    listings_ = index_.listings({names.begin(), names.end()});
    for (const bool is_new : {false, true})
      for (const auto& [name, version] : ends_[is_new]->packages)
        if (auto& of_name = result_[name]; !of_name.contains(version)) choose(name, version, of_name[version]);  // not at both ends
  }

  std::vector<std::string> hashes_of(const std::string& name, const std::string& version) const {
    std::vector<std::string> result;
    for (const auto* end : ends_) {
      const auto packages = end->packages.find(name);
      const auto hashes = end->hashes.find(name);
      if (packages != end->packages.end() && packages->second == version && hashes != end->hashes.end())
        result.insert(result.end(), hashes->second.begin(), hashes->second.end());
    }
    return result;
  }

  bool is_own(const std::string& name, const std::string& version, std::size_t python) const {
    return (has(false, name, version) && python_of(false) == python) || (has(true, name, version) && python_of(true) == python);
  }

  Files files_of(const std::string& name, const std::string& version) const {
    const auto hashes = hashes_of(name, version);
    const auto& listing = listings_.at(name);
    Files result;
    for (const auto& python : pythons_)
      result.push_back(pypi::locked_files(name, version, hashes, listing ? *listing : pypi::Listing{}, python));
    return result;
  }

  void choose(const std::string& name, const std::string& version, LockedPackage& package) {
    const auto files = files_of(name, version);
    const auto lacks = [&](std::size_t i) { return !files[i] && is_own(name, version, i); };
    for (std::size_t i = 0; i < pythons_.size(); ++i)
      if (lacks(i)) return miss(name, version, files[i].error(), package);
    take(name, version, files, package);
  }

  // The Pythons that it has files for here, the oldest first.
  std::vector<std::string> pythons_with(const std::string& name, const std::string& version) const {
    std::vector<std::string> result;
    const auto& listing = listings_.at(name);
    const auto& variables = pythons_.front().environment().variables;
    for (const char* python : {"2.7", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15"}) {
      const specs::Target target(python, "linux " + variables.at("platform_machine"));
      if (listing && pypi::locked_files(name, version, hashes_of(name, version), *listing, target)) result.emplace_back(python);
    }
    return result;
  }

  // Another Python has it: which, in place of what the index lacks.
  bool miss_on_this_python(const std::string& name, const std::string& version, const pypi::NoLockedFile& why) {
    const auto there = why.why == pypi::NoLockedFile::Why::other_target ? pythons_with(name, version) : std::vector<std::string>{};
    if (there.empty()) {
      common_.emplace();
      return false;
    }
    std::vector<std::string> both;
    for (const auto& one : there)
      if (!common_ || std::ranges::find(*common_, one) != common_->end()) both.push_back(one);
    common_ = std::move(both);
    missing_.push_back(fmt::format("{} {} is for Python {}", name, version,
                                   there.size() == 1 ? there.front() : fmt::format("{} to {}", there.front(), there.back())));
    return true;
  }

  void miss(const std::string& name, const std::string& version, const pypi::NoLockedFile& why, LockedPackage& package) {
    const auto reason = fmt::format("{} {}: {}", name, version, why.reason);
    if (why.why != pypi::NoLockedFile::Why::other_target || !is_for_all_platforms(name, version)) {
      if (miss_on_this_python(name, version, why)) return;
      const auto index = specs::build_index(name, version);
      return missing_.push_back(reason + (index ? fmt::format(" (PIP_EXTRA_INDEX_URL={} has it)", index->url) : ""));
    }
    package.missing = reason;
    package.on.resize(pythons_.size());
  }

  void take(const std::string& name, const std::string& version, const Files& files, LockedPackage& package) {
    std::set<std::string> seen;
    const auto keep = [&](specs::ArtifactType type, const std::vector<pypi::File>& some) {
      for (const auto& file : some)
        if (seen.insert(file.name).second) package.artifacts.push_back(pypi::artifact_of(type, file));
    };
    for (const auto& one : files)
      if (one) keep(specs::ArtifactType::wheel, one->wheels);
    for (const auto& one : files)
      if (one) keep(specs::ArtifactType::sdist, one->sources);

    // What is installed from a wheel here need not build elsewhere.
    bool from_source = true;
    for (std::size_t i = 0; i < pythons_.size(); ++i)
      from_source = from_source && (!is_own(name, version, i) || files[i]->wheels.empty());
    package.on.resize(pythons_.size());
    for (std::size_t i = 0; i < pythons_.size(); ++i)
      if (files[i] && (!files[i]->wheels.empty() || from_source || is_own(name, version, i)))
        asked_.push_back(
            {name, version, i, files[i]->wheels.empty() ? files[i]->sources.front() : files[i]->wheels.front()});
      else
        package.on[i].fault = fmt::format("has no wheel for Python {}", pythons_[i].python());
  }

  bool has(bool is_new, const std::string& name, const std::string& version) const {
    const auto found = ends_[is_new]->packages.find(name);
    return found != ends_[is_new]->packages.end() && found->second == version;
  }

  bool is_for_all_platforms(const std::string& name, const std::string& version) const {
    return (!has(false, name, version) || ends_[0]->is_for_all_platforms) &&
           (!has(true, name, version) || ends_[1]->is_for_all_platforms);
  }

  void read_facts() {
    std::vector<pypi::File> files;
    for (const auto& one : asked_) files.push_back(one.file);
    const auto metadata = index_.metadata(files);
    for (std::size_t i = 0; i < asked_.size(); ++i) read_facts(asked_[i], metadata[i]);
  }

  void read_facts(const Asked& asked, const std::expected<pypi::Metadata, std::string>& metadata) {
    auto& on = result_.at(asked.name).at(asked.version).on[asked.python];
    if (!metadata) {
      on.unread = metadata.error();
      return;
    }
    const auto& file = asked.file;
    if (!pypi::serves_python(file, *metadata, pythons_[asked.python]))
      on.fault =
          fmt::format("requires Python {}", file.requires_python.empty() ? metadata->requires_python : file.requires_python);
    auto facts = pypi::read_facts(file, *metadata);
    if (facts)
      on.facts = std::move(*facts);
    else
      on.unread = facts.error();
  }

  const End* ends_[2];
  const Pythons& pythons_;
  pypi::Index& index_;
  std::map<std::string, std::optional<pypi::Listing>> listings_;
  LockedPackages result_;
  std::vector<Asked> asked_;
  std::vector<std::string> missing_;
  std::optional<std::vector<std::string>> common_;  // Pythons for which there is all that is missing; none: nothing is missing yet
};

}  // namespace

void refuse_missing(const std::string& ends, const std::vector<std::string>& missing, const std::string& python) {
  constexpr std::size_t most = 5;
  const auto shown = missing.begin() + static_cast<std::ptrdiff_t>(std::min(missing.size(), most));
  const auto more = missing.size() > most ? fmt::format("; and {} more", missing.size() - most) : "";
  if (!python.empty())
    throw bad_input(fmt::format("{}: not for the Python that is meant: {}{}; with --python {} there are all of these", ends,
                                fmt::join(missing.begin(), shown, "; "), more, python));
  throw bad_input(fmt::format(
      "{}: the package index does not have what they name: {}{}; name the index that has these builds (pip's --index-url "
      "or extra-index-url), or leave out the packages that do not matter",
      ends, fmt::join(missing.begin(), shown, "; "), more));
}

Pythons pythons_of(const End& old_end, const End& new_end, const std::string& usual, const std::string& platform) {
  auto before = old_end.python, after = new_end.python;
  if (before.empty()) before = after.empty() ? usual : after;
  if (after.empty()) after = before;
  if (is_start_of(before, after)) before = after;
  if (is_start_of(after, before)) after = before;
  Pythons result{specs::Target(before, platform)};
  if (after != before) result.emplace_back(after, platform);
  return result;
}

LockedPackages read_locked(const End& old_end, const End& new_end, const Pythons& pythons,
                           pypi::Index& index) {
  return ReadingLocked(old_end, new_end, pythons, index).run();
}

}  // namespace stackx::blame
