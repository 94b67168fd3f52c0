// The recipe as one `docker run`: what the Containerfile does, done anew at each start of a stock image.
#include <fmt/format.h>

#include "advisor/recipes/container/container.hpp"
#include "specs/error.hpp"

namespace stackx::advisor {
namespace {

std::string device_words(const Recipe& recipe) {
  const bool amd = recipe.accelerator != nullptr && recipe.accelerator->vendor == "amd";
  return amd ? " --device /dev/kfd --device /dev/dri" : " --gpus all";
}

// For `sh -c`: exits with the first step that fails, and becomes the PI, which alone speaks on standard output.
std::string in_one_shell(const ContainerSteps& steps) {
  std::string text;
  for (const auto& run : steps.runs) {
    if (!run.file.empty()) text += "mkdir -p /opt/stackx && printf \"%s\\n\" ";
    for (const auto& word : run.words) text += shell_word(word) + " ";
    text += (run.file.empty() ? ">&2" : "> " + run.file) + " && \\\n    ";
  }
  text += "exec";
  for (const auto& word : steps.entry) text += " " + shell_word(word);
  return text;
}

}  // namespace

std::string docker_recipe(const Recipe& recipe) {
  RecipeParts parts(recipe);
  const auto text = container_text(recipe, parts);
  const auto steps = container_steps(parts.brought, {recipe.workload.pi, parts.parameters}, recipe.catalog, text);
  if (!steps.cuda.empty())
    throw bad_input(fmt::format(
        "--format docker: no stock image has both {} and a glibc that runs stackx-pi; --format containerfile makes one",
        steps.cuda));
  std::string result = recipe_head(recipe, parts, "docker run");
  result += parts.gpu && device_words(recipe).find("--gpus") != std::string::npos
                ? "# podman: the same with --device nvidia.com/gpu=all in place of --gpus all\n"
                : "# podman: the same\n";
  if (!steps.runs.empty()) result += "# Installs anew at each start; --format containerfile makes an image instead.\n";
  if (!steps.context.empty())
    result += fmt::format("# STACKX_PI: the directory of {}\n",
                          steps.context == "python" ? "python/ (kernels/ of the source tree)" : "stackx-pi");
  result += "docker run --rm";
  if (parts.gpu) result += device_words(recipe);
  for (const auto& [name, value] : steps.variables) result += " \\\n  -e " + shell_word(name + "=" + value);
  if (!steps.context.empty())
    result += fmt::format(" \\\n  -v \"${{STACKX_PI:?the directory of {0}}}/{0}:/opt/stackx/{0}:ro\"", steps.context);
  result += fmt::format(" \\\n  --entrypoint sh {} \\\n  -ec {}\n", shell_quoted(steps.from),
                        shell_quoted(in_one_shell(steps)));
  return result;
}

}  // namespace stackx::advisor
