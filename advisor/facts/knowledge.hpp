// What is known of Python packages: releases, wheels and requirements as an index states them (specs/data/generated), what
// people read about builds (specs/data/facts), and the user's overlays over both.
//
// Files are read when a package is first asked for: an answer about torch reads torch and what it pins. Builds that no
// index here lists (2.8.0+cu126, on PyTorch's own index) are releases like those of the plain version: the same wheels
// and requirements, without NVIDIA's wheels where the CUDA is another one, unless a fact says what they are.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specs/catalog/driver.hpp"
#include "specs/catalog/fact.hpp"
#include "specs/catalog/report.hpp"
#include "specs/package/package.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::advisor {

// What package metadata can say, too: one range of a package, or of Python.
bool in_metadata(const specs::Requirement& requirement);

class Knowledge {
 public:
  struct Places {
    std::vector<std::filesystem::path> generated;  // directories of packages; of several the one read last counts
    std::filesystem::path facts;                   // directory of hand-read catalogs
    std::vector<std::filesystem::path> overlays;   // catalogs of the user, later ones win
    std::filesystem::path reports = {};            // directory of reports.json; "": none are told
  };
  explicit Knowledge(Places places);

  // Null: nobody lists it. `name` is normalised.
  const specs::Package* package(const std::string& name) const;
  const std::vector<specs::Dependency>* requirements(const std::string& name, const specs::PackageRelease& release) const;

  // What the facts say of one release together; `extra` "": without one.
  specs::Fact about(const std::string& name, const specs::Version& version, const std::string& extra = {},
                    const std::string& machine = {}) const;
  // Of a build of another index its cuDNN is known, and of NVIDIA's other libraries not which it pins: no installer takes their newest.
  bool leaves_libraries_open(const std::string& name, const specs::PackageRelease& release) const;
  // False for a build that nobody is known to have seen (facts: exists), and of whose minor version nobody has seen another
  // patch release in that build: what cannot be installed is no advice.
  bool is_seen(const specs::Package& package, const specs::Version& version, const std::string& machine) const;
  // What must be installed before that version is compiled, which is all there is of it: {"torch"}; empty: it has wheels.
  std::vector<std::string> compiled_beside(const std::string& name, const std::string& version) const;
  // What that version works with alone, where it is there: {"numpy": "<2"}; of a local build what holds for its release.
  std::map<std::string, std::string> beside(const std::string& name, const std::string& version) const;
  // Where builds for an accelerator are that nobody lists here, as of the newest release: a sentence without its end; "".
  // `accelerator`: its architecture, its vendor: the first of which something is said.
  std::string elsewhere(const std::string& name, const std::vector<std::string>& accelerator) const;
  bool has_gpu_facts(const std::string& name) const;  // somebody says of its builds what they are built for
  bool is_told_of(const std::string& name) const { return facts_.contains(name); }
  const specs::DriverFacts& drivers() const { return drivers_; }
  const std::vector<specs::Report>& reports() const { return reports_; }
  // What the user's catalogs say of a version; null: nothing. Of what it requires, in_metadata() stands among requirements().
  const specs::VersionEntry* own(const std::string& name, const specs::Version& version) const;
  // "pytorch" -> "torch"; else the same.
  std::string real_name(const std::string& name) const;
  std::vector<std::string> names() const;  // of all packages, for suggestions

  // Packages that were fetched for this question alone (--deep) count like listed ones.
  void add(specs::Package package);

  std::string as_of() const;  // the latest day on which something that was asked for was read
  std::vector<std::string> overlays_used() const;

 private:
  void read_facts_of(const specs::Node& document);
  void add_alias(const std::string& alias, const std::string& name, const std::string& file);
  std::unique_ptr<specs::Package> read(const std::string& name) const;
  void add_builds(specs::Package& package) const;
  void lay_over(specs::Package& package, const specs::Component& component) const;

  Places places_;
  std::map<std::string, std::vector<specs::Fact>> facts_;
  specs::DriverFacts drivers_;
  std::vector<specs::Report> reports_;
  specs::Catalog overlay_;
  std::map<std::string, std::string> aliases_;
  mutable std::map<std::string, std::unique_ptr<specs::Package>> packages_;
  mutable std::map<std::pair<std::string, std::string>, std::optional<std::vector<specs::Dependency>>> requirements_;
  mutable std::string as_of_;
  mutable std::set<std::string> overlays_used_;
};

}  // namespace stackx::advisor
