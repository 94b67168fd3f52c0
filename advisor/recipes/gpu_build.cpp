#include "advisor/recipes/gpu_build.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "advisor/recipes/parts.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

// The CUDA of the wheels on the default index: that of the build with files in the catalog, else its attribute, and before
// 1.13, whose wheels do not state it, what pytorch.org/get-started/previous-versions says (read 2026-11-20): from the
// release on.
constexpr std::array<std::pair<const char*, const char*>, 5> default_cuda{
    {{"1.13", ""}, {"1.5", "10.2"}, {"1.3", "10.1"}, {"1.2", "10.0"}, {"1.0", "9.0"}}};

std::string cuda_of_default_wheel(const std::string& released, const specs::Catalog& catalog) {
  if (const auto* component = catalog.find("torch"))
    for (const auto& entry : component->versions) {
      const auto& text = entry.version.text();
      if (specs::public_version(text) != released) continue;
      if (const auto at = entry.attributes.find("pypi_cuda"); at != entry.attributes.end())
        if (const auto* cuda = std::get_if<std::string>(&at->second)) return *cuda;
      const auto local = text.find("+cu");  // 2.14.1+cu130
      if (entry.artifacts.empty() || local == text.npos || text.size() < local + 5) continue;
      return text.substr(local + 3, text.size() - local - 4) + "." + text.back();
    }
  for (const auto& [from, cuda] : default_cuda)
    if (!specs::is_newer(from, released)) return cuda;
  return "";
}

std::string digits(const std::string& cuda) {  // "101" of "10.1.243"
  std::string result;
  for (const char c : specs::minor_release(cuda))
    if (c != '.') result += c;
  return result;
}

// Catalogs may write the build behind the version (2.1.0+cu118), as PyTorch does.
std::string torch(StackPackage& package, const std::string& cuda, const specs::Catalog& catalog) {
  const auto released = specs::public_version(package.version);
  const auto usual = cuda_of_default_wheel(released, catalog);
  package.version = released;
  if (usual == specs::minor_release(cuda)) return "";
  package.version += "+cu" + digits(cuda);
  package.files.clear();  // those of the default index
  return fmt::format(
      "torch {} for CUDA {} is on the wheel index of PyTorch for {}; the default index has {}.",
      released, specs::minor_release(cuda), specs::local_label(package.version),
      usual.empty() ? "another build" : "the build for CUDA " + usual);
}

std::string jax(StackPackage& package, const std::string& cuda) {
  const auto major = specs::major_release(cuda);
  package.version = specs::public_version(package.version);  // jaxlib has builds, jax itself has none
  if (specs::is_newer("0.4.26", package.version) || specs::is_newer("12", cuda))
    return fmt::format(
        "jaxlib for CUDA {} is on the wheel index of JAX (pip: --find-links); the default index "
        "has the build for CPUs.",
        specs::minor_release(cuda));
  package.extras.insert("cuda" + major);
  return fmt::format(
      "The extra cuda{} of jax brings CUDA and cuDNN as wheels, in versions of its own choice.",
      major);
}

std::string tensorflow(StackPackages& packages, const std::string& name) {
  auto& package = packages[name];
  if (specs::is_newer("2.1", package.version)) {
    auto node = packages.extract(name);
    node.key() = "tensorflow-gpu";
    packages.insert(std::move(node));
    return "";
  }
  if (specs::is_newer("2.14", package.version))
    return "CUDA and cuDNN must be on the machine: the wheel brings neither.";
  package.extras.insert("and-cuda");
  return "The extra and-cuda of tensorflow brings CUDA and cuDNN as wheels, in the versions it was "
         "built with.";
}

}  // namespace

std::vector<std::string> choose_gpu_builds(StackPackages& packages, const specs::Stack& stack,
                                           const specs::Catalog& catalog) {
  const auto cuda = stack.components.find("cuda");
  std::vector<std::string> notes;
  if (cuda == stack.components.end()) return notes;
  const auto say = [&](std::string text) {
    if (!text.empty()) notes.push_back(std::move(text));
  };
  if (const auto at = packages.find("torch"); at != packages.end())
    say(torch(at->second, cuda->second, catalog));
  if (const auto at = packages.find("jax"); at != packages.end())
    say(jax(at->second, cuda->second));
  if (packages.contains("tensorflow")) say(tensorflow(packages, "tensorflow"));
  if (packages.contains("tensorflow-gpu"))
    say("Before 2.1 TensorFlow for GPUs is the package tensorflow-gpu; CUDA and cuDNN must be on "
        "the machine.");
  return notes;
}

}  // namespace stackx::advisor
