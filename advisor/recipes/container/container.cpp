// The recipe's container: the stack's own base, an image of the Python whose wheels bring CUDA, NVIDIA's framework
// container, or an image of CUDA.
#include "advisor/recipes/container/container.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/facts/frameworks.hpp"
#include "advisor/recipes/container/containerfile.hpp"
#include "advisor/recipes/container/cuda_image.hpp"
#include "specs/error.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

constexpr const char* site_packages = "/opt/stackx/site";

bool newer_release(const std::string& version, const char* than) {
  const auto a = specs::Version::parse(version, specs::Versioning::pep440);
  const auto b = specs::Version::parse(than, specs::Versioning::pep440);
  return a && b && *a > *b;
}

// Wheels of these bring CUDA and cuDNN, or need none: any Python image will do.
bool brings_cuda(const StackPackages& packages) {
  if (packages.contains("torch")) return true;
  for (const char* name : {"jax", "tensorflow"})
    if (const auto at = packages.find(name); at != packages.end() && !at->second.extras.empty()) return true;
  return false;
}

// The catalog's files are brought with their hashes; where it lacks those of a package, pip is asked for all by name.
bool lacks_files(const Recipe& recipe, const RecipeParts& parts) {
  if (parts.python.empty() || parts.packages.empty() || parts.hashed()) return false;
  return std::ranges::none_of(parts.brought.components, [&](const auto& one) {
    const auto* component = recipe.catalog.find(one.first);
    return component && component->kind == specs::Kind::image;
  });
}

// Another Python on which the same holds will do where an image has it.
std::optional<CudaImage> image_with_cuda(RecipeParts& parts) {
  if (auto image = cuda_image(parts.cuda, parts.cudnn, parts.python)) return image;
  for (const auto& python : parts.other_pythons)
    if (auto image = cuda_image(parts.cuda, parts.cudnn, python)) {
      parts.notes.push_back(fmt::format("Python {}, since no image of NVIDIA with CUDA {} has {}.", python, parts.cuda, parts.python));
      parts.python = parts.named.components["python"] = python;
      parts.other_pythons.clear();
      return image;
    }
  return std::nullopt;
}

// vLLM's own image of the release holds the same build with the ROCm that it loads (docs.vllm.ai, Installation, AMD ROCm).
ContainerBase vllm_on_rocm(RecipeParts& parts) {
  for (const auto& [name, package] : parts.packages)
    if (!package.index)
      throw bad_input(fmt::format("--format containerfile: vLLM's image, which has the ROCm that its build loads, holds no {}; "
                                  "--format requirements on a machine that has ROCm {} will do",
                                  name, parts.system_libraries.at("rocm")));
  parts.system_libraries.clear();
  return {"docker.io/vllm/vllm-openai-rocm:v" + specs::public_version(parts.packages.at("vllm").version), {}, "python3", {}};
}

// AMD's own image of all of ROCm, for what brings none of it: JAX's plugin (rocm.docs.amd.com, JAX on ROCm, which sets LLVM_PATH, too).
ContainerBase rocm_base(RecipeParts& parts) {
  constexpr const char *rocm = "7", *tag = "24.04:7.2.4-complete", *python = "3.12";  // Ubuntu's
  const auto& asked = parts.system_libraries.at("rocm");
  const bool has_python = specs::minor_release(parts.python) == python ||
                          std::ranges::any_of(parts.other_pythons, [&](const auto& one) { return specs::minor_release(one) == python; });
  if (asked != rocm || !has_python)
    throw bad_input(fmt::format("--format containerfile: no image with ROCm {} and Python {} is known; --format requirements on a "
                                "machine that has them will do",
                                asked, specs::minor_release(parts.python)));
  if (specs::minor_release(parts.python) != python) {
    parts.notes.push_back(fmt::format("Python {}, since no image with ROCm {} and Python {} is known.", python, rocm, parts.python));
    parts.python = parts.named.components["python"] = python;
  }
  parts.other_pythons.clear();
  parts.system_libraries.erase("rocm");
  const auto program = std::string("python") + python;
  return {std::string("docker.io/rocm/dev-ubuntu-") + tag, {program, "python3-pip", "ca-certificates"}, program, parts.pip_words(),
          site_packages, "", {{"LLVM_PATH", "/opt/rocm/llvm"}}};
}

// What serves models has kernels in Triton, which makes the programs that start them with the C compiler of the system
// ("Failed to find C compiler": vLLM issue 2997, SGLang issue 1067); images of Python have none.
std::vector<std::string> compiler_for(RecipeParts& parts) {
  if (std::ranges::none_of(parts.packages, [](const auto& one) { return is_server(one.first); })) return {};
  if (const auto vllm = parts.packages.find("vllm"); vllm != parts.packages.end() && !vllm->second.index)
    parts.notes.push_back(fmt::format("vLLM has an image of its own of each release: docker.io/vllm/vllm-openai:v{}.",
                                      specs::public_version(vllm->second.version)));
  return {"gcc", "libc6-dev"};
}

ContainerBase cuda_base(RecipeParts& parts) {
  const auto image = image_with_cuda(parts);
  if (!image)
    throw bad_input(fmt::format(
        "--format containerfile: no image of NVIDIA with CUDA {}{}{} is known; an NGC image, or "
        "--format requirements on a machine that has them, will do",
        parts.cuda, parts.cudnn.empty() ? "" : ", cuDNN " + parts.cudnn,
        parts.python.empty() ? "" : " and Python " + specs::minor_release(parts.python)));
  if (!parts.cudnn.empty())
    parts.notes.push_back(fmt::format("The image has the last cuDNN {} for its CUDA, not {} itself.",
                                      specs::major_release(parts.cudnn), parts.cudnn));
  // PIs of frameworks are Python; Debian forbids pip the system's own directory.
  if (!parts.python.empty()) return {image->reference, image->system, image->program, parts.pip_words(), site_packages};
  if (image->reference.ends_with("ubuntu24.04")) return {image->reference, image->system, "", {}};
  return {"docker.io/library/debian:bookworm-slim", {"libstdc++6", "libgomp1"}, "", {}, "-", image->reference};
}

}  // namespace

std::string python_image(const std::string& python, const std::string& glibc) {
  const auto minor = specs::minor_release(python);
  check_python_version("python", minor);
  constexpr std::array<std::array<const char*, 3>, 5> bases{{
      // from this Python on, Debian's name, its glibc
      {"3.7", "bookworm", "2.36"}, {"3.9", "trixie", "2.41"}, {"3.6", "bullseye", "2.31"}, {"2.7", "buster", "2.28"},
      {"3.4", "stretch", "2.24"}}};
  for (const auto& [first, suite, has] : bases) {
    if (newer_release(first, minor.c_str()) || (!glibc.empty() && newer_release(glibc, has))) continue;
    if (minor == "3.4" && std::string_view(suite) == "buster") continue;
    return fmt::format("docker.io/library/python:{}-slim-{}", minor, suite);
  }
  throw bad_input(fmt::format("--format containerfile: no image of Python {} with glibc {} is known", minor, glibc));
}

ContainerText container_text(const Recipe& recipe, RecipeParts& parts) {
  ContainerText text;
  text.import_test = parts.import_test;
  const bool by_catalog = !parts.by_name && parts.cuda.empty() && !parts.gpu;
  const bool by_name = parts.by_name || (by_catalog && lacks_files(recipe, parts));
  const bool library_wheels = parts.python.empty() && !parts.packages.empty();
  if (!parts.image.empty() && !by_catalog && !parts.by_name)
    text.base = ContainerBase{parts.image, {}, "python3", {}};
  else if (parts.packages.contains("vllm") && parts.system_libraries.contains("rocm"))
    text.base = vllm_on_rocm(parts);
  else if (parts.system_libraries.contains("rocm"))
    text.base = rocm_base(parts);
  else if (parts.by_name && !parts.cuda.empty())
    text.base = cuda_base(parts);
  else if (by_name || (!by_catalog && !parts.python.empty() && brings_cuda(parts.packages)))
    text.base = ContainerBase{python_image(parts.python, parts.glibc), compiler_for(parts), "python3", parts.pip_words()};
  else if (!by_catalog && !library_wheels)
    text.base = cuda_base(parts);
  return text;
}

std::string containerfile_recipe(const Recipe& recipe) {
  RecipeParts parts(recipe);
  auto text = container_text(recipe, parts);
  text.head = recipe_head(recipe, parts, "Containerfile");
  return containerfile(parts.brought, {recipe.workload.pi, parts.parameters}, recipe.catalog, text);
}

}  // namespace stackx::advisor
