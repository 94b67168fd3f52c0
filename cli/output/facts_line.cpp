#include "cli/output/facts_line.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "workspace/words.hpp"

namespace stackx::cli {

std::string overlay_lines(const specs::Catalog& catalog) {
  std::string text;
  for (const auto& overlay : catalog.overlays) text += fmt::format("With your catalog {}.\n", overlay);
  return text;
}

std::string facts_lines(const specs::Catalog& catalog) {
  if (catalog.as_of.empty()) return overlay_lines(catalog);
  constexpr const char* to_renew = "stackx catalog import pypi PACKAGE --python X.Y writes a catalog of today";  // refresh brings facts alone
  return workspace::freshness(catalog.as_of, workspace::today(), to_renew) + ".\n" + overlay_lines(catalog);
}

std::string facts_warnings(const specs::Catalog& catalog) {
  return workspace::is_stale(catalog.as_of, workspace::today()) ? facts_lines(catalog) : overlay_lines(catalog);
}

nlohmann::json facts_json(const specs::Catalog& catalog) {
  return {{"as_of", catalog.as_of}, {"overlays", catalog.overlays}};
}

}  // namespace stackx::cli
