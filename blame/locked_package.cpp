#include "blame/locked_package.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "pypi/locked_files.hpp"
#include "specs/error.hpp"

namespace stackx::blame {
namespace {

specs::Artifact artifact_of(specs::ArtifactType type, const pypi::File& file) {
  specs::Artifact result{};
  result.type = type;
  result.file = file.name;
  result.sha256 = file.sha256;
  result.size = file.size;
  return result;
}

// "3.11" leaves open which 3.11.2 states.
bool is_start_of(const std::string& python, const std::string& of) { return of == python || of.starts_with(python + "."); }

class ReadingLocked {
 public:
  ReadingLocked(const End& old_end, const End& new_end, const Pythons& pythons, pypi::Index& index)
      : ends_{&old_end, &new_end}, pythons_(pythons), index_(index) {}

  LockedPackages run() {
    list();
    if (!missing_.empty()) refuse();
    read_facts();
    return std::move(result_);
  }

 private:
  struct Asked {
    std::string name, version;
    std::size_t python;
    pypi::File file;
  };

  std::size_t python_of(bool is_new) const { return is_new ? pythons_.size() - 1 : 0; }

  void list() {
    std::set<std::string> names;
    for (const auto* end : ends_)
      for (const auto& [name, version] : end->packages) names.insert(name);
    const auto listings = index_.listings({names.begin(), names.end()});
    for (const bool is_new : {false, true})
      for (const auto& [name, version] : ends_[is_new]->packages) {
        auto& of_name = result_[name];
        if (of_name.contains(version)) continue;  // at both ends
        const auto& listing = listings.at(name);
        choose(name, version, is_new, listing ? *listing : pypi::Listing{}, of_name[version]);
      }
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

  void choose(const std::string& name, const std::string& version, bool is_new, const pypi::Listing& listing,
              LockedPackage& package) {
    const auto hashes = hashes_of(name, version);
    std::vector<std::expected<pypi::LockedFiles, pypi::NoLockedFile>> files;
    for (const auto& python : pythons_) files.push_back(pypi::locked_files(name, version, hashes, listing, python));
    std::set<std::string> seen;
    const auto keep = [&](specs::ArtifactType type, const std::vector<pypi::File>& some) {
      for (const auto& file : some)
        if (seen.insert(file.name).second) package.artifacts.push_back(artifact_of(type, file));
    };
    for (const auto& one : files)
      if (one) keep(specs::ArtifactType::wheel, one->wheels);
    for (const auto& one : files)
      if (one) keep(specs::ArtifactType::sdist, one->sources);

    // What is installed from a wheel here need not build elsewhere.
    const bool at_end[] = {has(false, name, version), has(true, name, version)};
    const auto& own = files[python_of(is_new)];
    const bool from_source = own && own->wheels.empty();
    package.on.resize(pythons_.size());
    for (std::size_t i = 0; i < pythons_.size(); ++i) {
      const bool is_own = (at_end[0] && python_of(false) == i) || (at_end[1] && python_of(true) == i);
      if (!files[i] && is_own) missing_.push_back(fmt::format("{} {}: {}", name, version, files[i].error().reason));
      if (files[i] && (!files[i]->wheels.empty() || from_source || is_own))
        asked_.push_back({name, version, i, files[i]->wheels.empty() ? files[i]->sources.front() : files[i]->wheels.front()});
      else
        package.on[i].fault = fmt::format("has no wheel for Python {}", pythons_[i].python());
    }
  }

  bool has(bool is_new, const std::string& name, const std::string& version) const {
    const auto found = ends_[is_new]->packages.find(name);
    return found != ends_[is_new]->packages.end() && found->second == version;
  }

  [[noreturn]] void refuse() const {
    constexpr std::size_t most = 5;
    const auto shown = std::min(missing_.size(), most);
    throw bad_input(fmt::format(
        "{} and {}: the package index does not have what they name: {}{}; name the index that has these builds with --index-url, "
        "or leave out the packages that do not matter",
        ends_[0]->text, ends_[1]->text, fmt::join(missing_.begin(), missing_.begin() + shown, "; "),
        missing_.size() > most ? fmt::format("; and {} more", missing_.size() - most) : ""));
  }

  void read_facts() {
    std::vector<pypi::File> files;
    for (const auto& one : asked_) files.push_back(one.file);
    const auto metadata = index_.metadata(files);
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const auto& [name, version, python, file] = asked_[i];
      auto& on = result_.at(name).at(version).on[python];
      if (!metadata[i]) {
        on.unread = metadata[i].error();
        continue;
      }
      if (!pypi::serves_python(file, *metadata[i], pythons_[python]))
        on.fault = fmt::format("requires Python {}",
                               file.requires_python.empty() ? metadata[i]->requires_python : file.requires_python);
      auto facts = pypi::read_facts(file, *metadata[i]);
      if (facts)
        on.facts = std::move(*facts);
      else
        on.unread = facts.error();
    }
  }

  const End* ends_[2];
  const Pythons& pythons_;
  pypi::Index& index_;
  LockedPackages result_;
  std::vector<Asked> asked_;
  std::vector<std::string> missing_;
};

}  // namespace

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

LockedPackages read_locked(const End& old_end, const End& new_end, const Pythons& pythons, pypi::Index& index) {
  return ReadingLocked(old_end, new_end, pythons, index).run();
}

}  // namespace stackx::blame
