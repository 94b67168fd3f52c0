// What people name of a version: a release series, the version without its local build, the one version of a pin.
//
// Texts, not Versions: what comes in is often no version of the scheme ("R580", "12.x"), and then it stays as it is.
#pragma once

#include <string>
#include <string_view>

#include "specs/version/specifier.hpp"

namespace stackx::specs {

std::string major_release(std::string_view version);   // "12.8.1" -> "12"
std::string minor_release(std::string_view version);   // "12.8.1" -> "12.8", "12" -> "12"
std::string public_version(std::string_view version);  // "2.8.0+cu126" -> "2.8.0"
bool is_local(std::string_view version);               // "2.8.0+cu126"
std::string patch_release(std::string_view version);   // "9.10.2.21" -> "9.10.2"
std::string local_label(std::string_view version);     // "2.8.0+cu126" -> "cu126"; "" without one
std::string label_from(std::string_view text);         // of any words, such a label: "NumPy 2.2" -> "numpy.2.2"

// Of PEP 440, a text that is known to be one; else std::bad_expected_access.
Version pep440_version(std::string_view version);

// By PEP 440 and without local builds; false where one of them is no such version.
bool is_newer(std::string_view version, std::string_view than);

// "==2.7.1+cu128" -> "2.7.1+cu128"; "" where the range names no single version.
std::string single_version(const SpecifierSet& range);

// One of its clauses holds for a single version (==1.0, ===1.0; not ==1.*): then pip takes that one though it is yanked.
bool is_pin(const SpecifierSet& range);

// Of package metadata: what is no range says nothing, as for pip.
SpecifierSet range_or_any(std::string_view text);

}  // namespace stackx::specs
