// How new the package facts are, without reading them: the newest date that a file of packages states. An answer names
// the date of the packages that it used (Knowledge::as_of), which is this one, unless only some were refreshed.
#pragma once

#include <filesystem>
#include <string>

namespace stackx::advisor {

// Of DIRECTORY/*.json (specs/package/package.hpp): "2026-11-22"; "" where none states a date. Never throws.
std::string facts_date(const std::filesystem::path& directory);

}  // namespace stackx::advisor
