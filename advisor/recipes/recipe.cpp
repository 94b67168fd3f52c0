#include "advisor/recipes/recipe.hpp"

#include <array>
#include <utility>

#include "advisor/recipes/parts.hpp"

namespace stackx::advisor {
namespace {

struct Format {
  const char* name;
  RecipeFormat format;
  std::string (*writer)(const Recipe&);
};
constexpr std::array<Format, 9> formats{{
    {"requirements", RecipeFormat::requirements, requirements_recipe},
    {"pipfile", RecipeFormat::pipfile, pipfile_recipe},
    {"pylock", RecipeFormat::pylock, pylock_recipe},
    {"uv", RecipeFormat::uv, uv_recipe},
    {"conda", RecipeFormat::conda, conda_recipe},
    {"containerfile", RecipeFormat::containerfile, containerfile_recipe},
    {"docker", RecipeFormat::docker, docker_recipe},
    {"sbatch", RecipeFormat::sbatch, sbatch_recipe},
    {"pod", RecipeFormat::pod, pod_recipe},
}};

}  // namespace

std::optional<RecipeFormat> recipe_format_from(std::string_view name) {
  for (const auto& one : formats)
    if (one.name == name) return one.format;
  return std::nullopt;
}

std::vector<std::string> recipe_formats() {
  std::vector<std::string> names;
  for (const auto& one : formats) names.emplace_back(one.name);
  return names;
}

std::string write_recipe(RecipeFormat format, const Recipe& recipe) {
  for (const auto& one : formats)
    if (one.format == format) return one.writer(recipe);
  return "";
}

}  // namespace stackx::advisor
