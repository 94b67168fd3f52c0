// Which versions security advisories name: a file in the OSV format (https://ossf.github.io/osv-schema/).
//
//   one object, an array of objects, or one object a line (JSON Lines)
// Read is what decides: id, withdrawn, affected[].package, .versions and .ranges of type ECOSYSTEM and SEMVER, with
// events introduced, fixed, last_affected, limit, evaluated as the schema's "Evaluation" says, in the order of the
// component's versions (PEP 440 for PyPI). The format is open, so unknown keys are fine; wrong types are errors that
// name file and pointer. Ranges of Git commits say nothing of versions. A range with an event that is no version of its
// component's scheme counts as affecting every version: what cannot be judged is not called safe.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "specs/catalog/catalog.hpp"

namespace stackx::specs {

class Node;

class Advisories {
 public:
  static Advisories load(const std::filesystem::path& file);  // throws Error(bad_input)
  static Advisories parse(std::string_view text, const std::string& name);

  // Ids of those that name this version, in the order of the file. `ecosystem` as catalogs write it ("pypi"); names of
  // PyPI are compared in normal form (PEP 503), ecosystems without case and what follows a colon ("Debian:12").
  std::vector<std::string> affecting(const std::string& ecosystem, const std::string& name,
                                     const Version& version) const;

  std::size_t size() const { return size_; }            // without the withdrawn
  std::size_t withdrawn() const { return withdrawn_; }  // which are ignored

 private:
  enum class Event { introduced, fixed, last_affected, limit };
  using Range = std::vector<std::pair<Event, std::string>>;
  struct Affected {
    std::string id;
    std::vector<Range> ranges;
    std::vector<std::string> versions;
  };
  void read(const Node& document);
  void read_affected(const Node& node, const std::string& id);
  static Range read_range(const Node& events);
  static bool in(const Range& range, const Version& version);
  static bool names(const Affected& affected, const Version& version);

  std::map<std::pair<std::string, std::string>, std::vector<Affected>>
      affected_;  // by ecosystem and name
  std::size_t size_ = 0, withdrawn_ = 0;
};

struct Excluded {
  std::string component, version;
  std::vector<std::string> ids;
};
// Takes the versions away that advisories name: by the component's name, or by what an artifact calls itself.
std::vector<Excluded> exclude(Catalog& catalog, const Advisories& advisories);

}  // namespace stackx::specs
