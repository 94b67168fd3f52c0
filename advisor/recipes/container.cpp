// The recipe as a Containerfile: the stack's own base, NVIDIA's framework container, or an image of CUDA.
#include <fmt/format.h>

#include "advisor/recipes/containerfile.hpp"
#include "advisor/recipes/cuda_image.hpp"
#include "advisor/recipes/parts.hpp"
#include "specs/error.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

std::vector<std::string> pinned(const StackPackages& packages) {
  std::vector<std::string> words;
  for (const auto& [name, package] : packages)
    words.push_back(fmt::format(
        "{}{}=={}", name,
        package.extras.empty() ? "" : fmt::format("[{}]", fmt::join(package.extras, ",")),
        package.version));
  return words;
}

// Wheels of these bring CUDA and cuDNN: any Python image will do.
bool brings_cuda(const StackPackages& packages) {
  for (const char* name : {"torch"})
    if (packages.contains(name)) return true;
  for (const char* name : {"jax", "tensorflow"})
    if (const auto at = packages.find(name); at != packages.end() && !at->second.extras.empty())
      return true;
  return false;
}

ContainerBase gpu_base(const RecipeParts& parts) {
  if (!parts.image.empty()) return {parts.image, {}, "python3", {}};
  if (!parts.python.empty() && brings_cuda(parts.packages)) {
    check_python_version("python", specs::minor_release(parts.python));
    return {fmt::format("docker.io/library/python:{}-slim", specs::minor_release(parts.python)),
            {},
            "python3",
            pinned(parts.packages)};
  }
  const auto image = cuda_image(parts.cuda, parts.cudnn, parts.python);
  if (!image)
    throw bad_input(fmt::format(
        "--format containerfile: no image of NVIDIA with CUDA {}{}{} is known; an NGC image, or "
        "--format requirements on a machine that has them, will do",
        parts.cuda, parts.cudnn.empty() ? "" : ", cuDNN " + parts.cudnn,
        parts.python.empty() ? "" : " and Python " + specs::minor_release(parts.python)));
  return {image->reference, image->system, image->program, pinned(parts.packages)};
}

}  // namespace

std::string containerfile_recipe(const Recipe& recipe) {
  RecipeParts parts(recipe);
  ContainerText text;
  if (!parts.cuda.empty() || recipe.accelerator != nullptr) {
    text.base = gpu_base(parts);
    if (text.base->image.starts_with("docker.io/nvidia/cuda:") && !parts.cudnn.empty())
      parts.notes.push_back(
          fmt::format("The image has the last cuDNN {} for its CUDA, not {} itself.",
                      specs::major_release(parts.cudnn), parts.cudnn));
  }
  text.head = recipe_head(recipe, parts, "Containerfile");
  return containerfile(recipe.stack, {recipe.workload.pi, parts.parameters}, recipe.catalog, text);
}

}  // namespace stackx::advisor
