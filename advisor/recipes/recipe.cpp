#include "advisor/recipes/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "advisor/recipes/parts.hpp"
#include "specs/error.hpp"

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

// How a container or a job gets a TPU depends on how many chips a host has, which no stack says; an image for Intel's GPUs
// must hold their driver's part outside the kernel, one for Trainium Neuron's runtime, and no stock image of Python does.
void refuse_devices(RecipeFormat format, const std::string& vendor) {
  using enum RecipeFormat;
  const auto found = std::ranges::find(formats, format, &Format::format);
  if (vendor == "google" && (format == docker || format == sbatch || format == pod))
    throw bad_input(fmt::format("--format {}: not written for TPUs; --format containerfile makes the image, and requirements "
                                "or uv install on a TPU VM",
                                found->name));
  if (vendor == "intel" && (format == docker || format == containerfile || format == pod))
    throw bad_input(fmt::format("--format {}: no image that holds the driver of Intel's GPUs is known; --format requirements, uv "
                                "or sbatch install where the driver is",
                                found->name));
  if (vendor == "aws" && (format == docker || format == containerfile || format == pod))
    throw bad_input(fmt::format("--format {}: not written for Trainium and Inferentia, whose images must hold Neuron's runtime (AWS's are at "
                                "public.ecr.aws/neuron); --format requirements, uv or sbatch install where it is",
                                found->name));
}

// Only pip's lines can say that one package comes after another.
void refuse_compiled(RecipeFormat format, const Recipe& recipe) {
  if (format == RecipeFormat::requirements || recipe.pinned == nullptr) return;
  for (const auto& one : recipe.pinned->packages)
    if (one.compiled())
      throw bad_input(fmt::format("--format {}: {} {} is compiled when it is installed, after torch and with the compiler of CUDA or ROCm, which "
                                  "this format cannot say; --format requirements says how, where that compiler is",
                                  std::ranges::find(formats, format, &Format::format)->name, one.name, one.version));
}

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
  if (recipe.accelerator != nullptr) refuse_devices(format, recipe.accelerator->vendor);
  refuse_compiled(format, recipe);
  for (const auto& one : formats)
    if (one.format == format) return one.writer(recipe);
  return "";
}

}  // namespace stackx::advisor
