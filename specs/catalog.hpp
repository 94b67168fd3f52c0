// The catalog: components, their versions, and what each version requires (format stackx/catalog/1).
//
// The format is in schemas/catalog.json; README and examples show it. A requirement key is a component or
// `component.attribute`; its value is a specifier set, {"any": [value, ...]} for alternatives, or
// {"contains": [...]} for attributes that are sets. Loading checks everything: names, specifiers (file,
// pointer, column), duplicate versions, and that every required component is declared or provided.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "specs/specifier.hpp"

namespace stackx::specs {

class Node;

enum class Kind { hardware, driver, runtime, package, image, setting };

// Numbers keep the text they were written in ("7.0" and 7.0 alike), because they compare as versions.
using Attribute = std::variant<std::string, std::vector<std::string>>;
using Attributes = std::map<std::string, Attribute>;

// What a version (or an attribute) must satisfy: any one alternative.
struct Alternative {
  SpecifierSet range;                 // holds for a version or a scalar attribute
  std::vector<std::string> contains;  // non-empty: holds for a set attribute with all of these
};
struct Constraint {
  std::vector<Alternative> any;
  std::string text;  // for messages: ">=3.9", "<1 or >=2", "contains avx512f"
};

struct Requirement {
  std::string component;  // a component, or a virtual one that others provide
  std::string attribute;  // empty: the version itself
  Constraint constraint;
  std::string text() const;  // "python >=3.9", "cpu.isa contains avx512f"
};

// All of `if_` hold (false on absent components) => all of `then` must.
struct ConditionalRequirement {
  std::vector<Requirement> if_;
  std::vector<Requirement> then;
};

enum class ArtifactType { wheel, system, debootstrap, oci, path };

// What the inspector installs or looks for.
//   wheel   file, sha256, size (bytes); name and version are the component's own, or `package`/`package_version`
//   system  package (Debian name): must be installed, in this version if the versioning is debian
//   path    file: something already on this machine
//   debootstrap, oci  a base image: suite or reference in `file`
// `library`, for those that hold one: what the PI loads, relative to the environment for wheels, else absolute.
struct Artifact {
  ArtifactType type;
  std::string file;
  std::string sha256;
  std::uint64_t size = 0;
  std::string package;
  std::string package_version;
  std::string library;
};

struct VersionEntry {
  Version version;
  Attributes attributes;
  std::vector<Requirement> requires_;
  std::vector<ConditionalRequirement> requires_if;
  std::vector<Requirement> conflicts;
  std::map<std::string, Version> provides;
  std::vector<Artifact> artifacts;
  std::map<std::string, std::string> environment;  // settings: exported into the run
  std::map<std::string, std::string> parameters;   // settings: PI parameters (scalars as text: "2", "float32")
  std::string reports;  // the version that the loaded library states of itself, where it differs from ours
};

struct Component {
  std::string name;
  Kind kind = Kind::package;
  Versioning versioning = Versioning::pep440;
  std::string ecosystem;    // "pypi", "debian", "" (none)
  std::string description;  // one line
  std::vector<std::string> sources;   // URLs, with the date read
  std::vector<VersionEntry> versions;  // in listed order

  const VersionEntry* find(std::string_view version) const;  // by text or by normal form
};

struct Catalog {
  std::map<std::string, Component> components;

  const Component* find(std::string_view name) const;
  // Components with a version that provides `name`.
  std::vector<const Component*> providers(std::string_view name) const;
  bool is_virtual(std::string_view name) const;  // provided by somebody and declared by nobody
};

// Components of one name in two files: an error that names both. Call check() once everything is merged.
Catalog load_catalog(const std::filesystem::path& file);
Catalog parse_catalog(const Node& document);
Catalog merge(std::vector<Catalog> catalogs);
void check(const Catalog& catalog, const std::string& where);  // dangling requirements, with the nearest known name

// "component" or "component.attribute" and its value, as they stand in catalogs, projects and pins.
// `scheme` gives the scheme of a component's versions; attributes compare as pep440.
Requirement parse_requirement(const std::string& key, const Node& value, Versioning scheme);

// One version (or attribute set) against a constraint; a missing attribute satisfies nothing.
bool holds(const Requirement& requirement, const VersionEntry& entry);

const char* to_string(Kind kind);

}  // namespace stackx::specs
