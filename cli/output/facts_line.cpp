#include "cli/output/facts_line.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "workspace/words.hpp"

namespace stackx::cli {

std::string facts_lines(const specs::Catalog& catalog) {
  std::string text;
  if (!catalog.as_of.empty()) text = workspace::freshness(catalog.as_of, workspace::today()) + ".\n";
  for (const auto& overlay : catalog.overlays) text += fmt::format("With your catalog {}.\n", overlay);
  return text;
}

std::string facts_warnings(const specs::Catalog& catalog) {
  if (workspace::is_stale(catalog.as_of, workspace::today())) return facts_lines(catalog);
  std::string text;
  for (const auto& overlay : catalog.overlays) text += fmt::format("With your catalog {}.\n", overlay);
  return text;
}

nlohmann::json facts_json(const specs::Catalog& catalog) {
  return {{"as_of", catalog.as_of}, {"overlays", catalog.overlays}};
}

}  // namespace stackx::cli
