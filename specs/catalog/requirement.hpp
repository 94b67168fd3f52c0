// What one component asks of another: a component or `component.attribute`, and what it must
// satisfy.
//
// The value is a specifier set (specs/version/specifier.hpp), {"any": [value, ...]} for alternatives, or
// {"contains": [text, ...]} for attributes that are sets. Attributes compare as PEP 440 versions
// where both sides are such ("7.0" >= "5.0"), else as opaque texts (vendor ==intel).
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "specs/version/specifier.hpp"

namespace stackx::specs {

class Node;

// Numbers keep the text they were written in ("7.0" and 7.0 alike), because they compare as
// versions.
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

// "component" or "component.attribute" and its value, as they stand in catalogs, projects and pins.
// `scheme` gives the scheme of a component's versions; for attributes it does not matter.
Requirement parse_requirement(const std::string& key, const Node& value, Versioning scheme);

bool holds(const Constraint& constraint, const Version& version);
bool holds(const Constraint& constraint, const Attribute& attribute);

}  // namespace stackx::specs
