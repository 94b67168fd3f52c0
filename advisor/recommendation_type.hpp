// What kind of recommendation is asked for: Thoth's four, in our terms.
//
//   performance  the highest rate by the best evidence (Thoth: PERFORMANCE)
//   stable       what has proven itself: no pre-releases; the lowest CV among what was measured, the most inspections in a
//                tie (Thoth: STABLE)
//   latest       the newest versions that are a valid stack, whatever their rate (Thoth: LATEST)
//   security     performance without the versions that an advisory file lists (Thoth: SECURITY, which had its own database)
// A type changes the catalog before anything is resolved or ranked, and says what decides afterwards.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/catalog/advisory.hpp"
#include "specs/catalog/catalog.hpp"

namespace stackx::advisor {

enum class RecommendationType { performance, stable, latest, security };
std::optional<RecommendationType> recommendation_type_from(std::string_view name);
std::vector<std::string> recommendation_types();

// What was taken out of the catalog, and what to say of it.
struct Prepared {
  std::vector<specs::Excluded> excluded;  // by advisories; with ids
  std::vector<std::string> prereleases;   // "torch 1.1.0a0"
  std::vector<std::string> notes;
  // "excluded by PYSEC-2021-1, GHSA-x (advisories.json)"; "" for a version that nothing was done to
  std::string why_not(const std::string& component, const std::string& version) const;
  std::string file;  // of the advisories
  std::shared_ptr<const specs::Advisories> advisories;  // of type security; null else
};

// `advisories` "" : none. Throws Error(bad_input) where security has no file, another type has one, or it cannot be read.
Prepared prepare(specs::Catalog& catalog, RecommendationType type,
                 const std::filesystem::path& advisories);

// For `stable`: does a stand before b? Measured before not measured, then the smaller CV, then more inspections.
struct Steadiness {
  std::optional<double> cv;  // between inspections
  std::size_t inspections = 0;
};
bool steadier(const Steadiness& a, const Steadiness& b);

}  // namespace stackx::advisor
