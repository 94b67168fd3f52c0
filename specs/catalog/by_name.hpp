// Whether a version is in stacks only because some requirement in force there names it, as pip has it:
//   pre-release  by a specifier that mentions one (>=2.0b1), or that no other version of the component meets
//   yanked       by == or === (PEP 592)
// pip looks at what all requirements on a project say together, and falls back on pre-releases where all of them together
// leave nothing else; here each requirement is looked at by itself, so that a catalog can be counted. Stacks that only that
// fall-back would give are not found.
#pragma once

namespace stackx::specs {

class SpecifierSet;
class Version;

enum class ByName { no, prerelease, yanked };
const char* to_string(ByName by_name);  // "no", "pre-release", "yanked"

// A requirement of this range may bring the version, which it contains. `alone`: it contains no version that need not be named.
bool brings(const SpecifierSet& range, const Version& version, ByName by_name, bool alone);

}  // namespace stackx::specs
