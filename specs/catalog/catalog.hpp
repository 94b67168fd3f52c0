// The catalog: components, their versions, and what each version requires (format
// stackx/catalog/1).
//
// The format is in schemas/catalog.json; README and examples show it, requirement.hpp the
// requirements. Loading checks everything: names, specifiers (file, pointer, column), duplicate
// versions, and that every required component is declared or provided. Conflicts and conditions may
// name components that no catalog declares: they are absent from every stack.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "specs/catalog/by_name.hpp"
#include "specs/catalog/requirement.hpp"

namespace stackx::specs {

enum class Kind { hardware, driver, runtime, package, image, setting };
enum class ArtifactType { wheel, sdist, system, debootstrap, oci, path };
const char* to_string(Kind kind);
const char* to_string(ArtifactType type);

// What the inspector installs or looks for.
//
//   wheel        file, sha256, size (bytes); name and version are the component's own, or `package` and
//                `package_version`. Of several, the one that suits the stack's Python best.
//   sdist        the same for a source archive: built where no wheel suits
//   system       package (Debian name): in a stack with an image it is installed there, else it must be
//                on this machine, in this version if the versioning is debian
//   path         file: something already on this machine
//   debootstrap  a base image: the suite in `file`
//   oci          a base image: the reference in `file`
//
// `library`, for those that hold one: what the PI loads, relative to the environment for wheels, else
// absolute. `program`: the Python interpreter that it brings, absolute (system, path, debootstrap, oci).
struct Artifact {
  ArtifactType type;
  std::string file;
  std::string sha256;
  std::uint64_t size = 0;
  std::string package;
  std::string package_version;
  std::string library;
  std::string program;
};

struct VersionEntry {
  Version version;
  ByName by_name = ByName::no;
  Attributes attributes;
  std::vector<Requirement> requires_;
  std::vector<ConditionalRequirement> requires_if;
  std::vector<Requirement> conflicts;
  std::map<std::string, Version> provides;
  std::vector<Artifact> artifacts;
  std::map<std::string, std::string> environment;  // settings: exported into the run
  std::map<std::string, std::string> parameters;  // settings: PI parameters ("2", "float32")
  std::string reports;  // what the loaded library states as its version, where it differs from ours
  std::vector<std::string> sources;  // URLs, with the date read
};

// Versions that exist, and why the catalog has them not: so that an explanation can say it.
struct LeftOut {
  std::string why;                // "yanked"
  std::string to_have;            // what to do to have them: "name one: c==1.0"; "" if nothing is known
  std::vector<Version> versions;  // ascending
};

struct Component {
  std::string name;
  Kind kind = Kind::package;
  Versioning versioning = Versioning::pep440;
  std::string ecosystem;               // "pypi", "debian", "" (none)
  std::string description;             // one line
  std::string file;                    // that declares it: "a.json", "a.json and b.json"
  std::vector<std::string> sources;    // URLs, with the date read
  std::vector<VersionEntry> versions;  // in listed order
  std::vector<LeftOut> left_out;
  std::vector<std::string> aliases;    // other names of it: requirements may use them
  bool open = false;                   // any version is one: see specs/catalog/open.hpp

  const VersionEntry* find(std::string_view version) const;  // by text or by normal form
};

struct Catalog {
  std::map<std::string, Component> components;
  std::vector<std::string> overlays;  // files that lie over others here and changed something
  std::string as_of;                  // the latest day on which one of its sources was read; "" if none says

  const Component* find(std::string_view name) const;
  const VersionEntry* find(std::string_view component, std::string_view version) const;  // null where either is not there
  // Components with a version that provides `name`.
  std::vector<const Component*> providers(std::string_view name) const;
  bool is_virtual(std::string_view name) const;  // provided by somebody and declared by nobody
  std::string real_name(const std::string& name) const;  // of an alias the component's, else the same
};

// The versioning of components, by name: what their specifiers are parsed with.
using Schemes = std::map<std::string, Versioning>;

// One document, unchecked; `others` are the schemes of components that other documents declare.
Catalog parse_catalog(const Node& document, const Schemes& others = {});

// One or more files as one catalog, unchecked: aliases resolved, facts applied, overlays (overlay.hpp) over the
// others in the order given. What several that are no overlays declare must agree (merge.hpp).
Catalog load_catalog(const std::filesystem::path& file);
// Of the overlays in `usual`, which are the user's for everything, only what concerns these catalogs counts: versions of
// components that are there, whose requirements name what is there.
Catalog load_catalogs(const std::vector<std::filesystem::path>& files,
                      const std::vector<std::filesystem::path>& usual = {});
bool is_overlay(const std::filesystem::path& file);

// What only the whole shows: dangling requirements (with the nearest known name), unknown
// attributes, provided components that are also declared. `where` begins the message; `expected`
// are components that will be added later (hardware "host").
void check(const Catalog& catalog, const std::string& where,
           const std::set<std::string>& expected = {});

// One version, or its attribute, against a constraint; a missing attribute satisfies nothing.
bool holds(const Requirement& requirement, const VersionEntry& entry);

}  // namespace stackx::specs
