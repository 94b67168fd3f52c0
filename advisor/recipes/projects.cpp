// Recipes that are projects of uv and conda: pyproject.toml, environment.yml.
#include <fmt/format.h>

#include "advisor/recipes/parts.hpp"
#include "specs/error.hpp"
#include "specs/format/yaml.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

std::string minor_python(const RecipeParts& parts) {
  if (parts.python.empty()) return "";
  const auto minor = specs::minor_release(parts.python);
  check_python_version("python", minor);
  return minor;
}

}  // namespace

// The index of a build is for that build alone (explicit): uv would look there first for all others, too. Where it has what the
// build requires, it is for all, of which uv then takes the newest.
std::string uv_recipe(const Recipe& recipe) {
  const RecipeParts parts(recipe);
  require_packages(parts, "uv");
  const auto python = minor_python(parts);
  std::string text = recipe_head(recipe, parts, "pyproject.toml of uv");
  text += "# uv sync installs it into .venv and pins the rest in uv.lock; uv run python ... runs it\n" + exports(parts);
  text += fmt::format("[project]\nname = {}\nversion = \"0\"\n", toml_text("stackx-" + parts.named.short_id()));
  text += fmt::format("requires-python = {}\ndependencies = [\n",
                      toml_text(python.empty() ? ">=3.9" : "==" + python + ".*"));
  for (const auto& [name, package] : parts.packages) text += "  " + toml_text(requirement_text(name, package)) + ",\n";
  const bool arm = (recipe.accelerator ? recipe.accelerator->machine : recipe.machine) == "aarch64";
  const bool whole = std::ranges::any_of(parts.indexes, &specs::BuildIndex::whole);
  text += "]\n\n[tool.uv]\npackage = false\n";
  if (whole) text += "index-strategy = \"unsafe-best-match\"\n";
  text += fmt::format("environments = [\"sys_platform == 'linux' and platform_machine == '{}'\"]\n",
                      arm ? "aarch64" : "x86_64");
  for (const auto& index : parts.indexes)
    text += fmt::format("\n[[tool.uv.index]]\nname = {}\nurl = {}\n{}", toml_text(index.name), toml_text(index.url),
                        index.whole ? "" : "explicit = true\n");
  if (parts.indexes.empty()) return text;
  text += "\n[tool.uv.sources]\n";
  for (const auto& [name, package] : parts.packages)
    if (package.index) text += fmt::format("{} = {{ index = {} }}\n", toml_text(name), toml_text(package.index->name));
  return text;
}

// Every value is a JSON string, which YAML reads as it is.
std::string conda_recipe(const Recipe& recipe) {
  const RecipeParts parts(recipe);
  require_packages(parts, "conda");
  const auto python = minor_python(parts);
  std::string text = recipe_head(recipe, parts, "environment.yml of conda");
  text += "# conda env create -f THIS\n";
  text += "# The packages come from pip: stackx does not know conda-forge's own builds (pytorch, jaxlib, ...).\n";
  text += fmt::format("name: {}\nchannels:\n  - \"conda-forge\"\n  - \"nodefaults\"\ndependencies:\n",
                      specs::yaml_text("stackx-" + parts.named.short_id()));
  text += fmt::format("  - {}\n  - \"pip\"\n  - pip:\n", specs::yaml_text(python.empty() ? "python" : "python=" + python));
  for (const auto& index : parts.indexes) text += "      - " + specs::yaml_text("--extra-index-url " + index.url) + "\n";
  for (const auto& [name, package] : parts.packages)
    text += "      - " + specs::yaml_text(requirement_text(name, package)) + "\n";
  if (parts.variables.empty()) return text;
  text += "variables:\n";
  for (const auto& [name, value] : parts.variables)
    text += fmt::format("  {}: {}\n", specs::yaml_text(name), specs::yaml_text(value));
  return text;
}

}  // namespace stackx::advisor
