// The recipe as a Kubernetes Pod: YAML, of which every value is a JSON string or number.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/recipes/cluster.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/yaml.hpp"

namespace stackx::advisor {
namespace {

// Kubernetes puts variables into values and arguments: $(NAME); $$( is the text.
std::string literal(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$') result += '$';
    result += text[i];
  }
  return specs::yaml_text(result);
}

}  // namespace

std::string pod_recipe(const Recipe& recipe) {
  RecipeParts parts(recipe);
  const bool gpu = parts.gpu, amd = recipe.accelerator && recipe.accelerator->vendor == "amd";
  parts.notes.push_back(
      fmt::format("The image is made of what --format containerfile prints: podman build -t {} "
                  "...; push it where the nodes can pull it.",
                  image_name(parts)));
  if (gpu && !amd)
    parts.notes.push_back(
        "The node's label comes from NVIDIA's GPU feature discovery: kubectl get nodes -L "
        "nvidia.com/gpu.product");
  const auto mig = gpu ? mig_profile(recipe) : "";
  auto product = gpu && !amd ? gpu_product(recipe) : "";
  if (!mig.empty()) {
    parts.notes.push_back(fmt::format("A MIG instance, by the device plugin's strategy \"mixed\". With \"single\" ask for nvidia.com/gpu instead{}.",
                                      product.empty() ? "" : ", on nodes labelled " + product));
    product.resize(std::min(product.size(), product.find("-MIG-")));  // with "mixed" the label is the card's
  }
  std::string text = recipe_head(recipe, parts, "Kubernetes Pod");
  text += "apiVersion: \"v1\"\nkind: \"Pod\"\nmetadata:\n";
  text += fmt::format(
      "  name: {}\n  labels:\n    app.kubernetes.io/name: \"stackx\"\n    stackx/stack: {}\n",
      specs::yaml_text(job_name(recipe, parts)), specs::yaml_text(parts.named.short_id()));
  text += "spec:\n  restartPolicy: \"Never\"\n";
  if (!product.empty())
    text += fmt::format("  nodeSelector:\n    nvidia.com/gpu.product: {}\n", specs::yaml_text(product));
  text += "  containers:\n    - name: \"pi\"\n";
  text += fmt::format("      image: {}\n", specs::yaml_text(image_name(parts)));
  if (!parts.variables.empty()) {
    text += "      env:\n";
    for (const auto& [name, value] : parts.variables)
      text +=
          fmt::format("        - name: {}\n          value: {}\n", specs::yaml_text(name), literal(value));
  }
  const auto cpus = threads(parts);
  const auto memory = memory_gib(parts) + "Gi";
  text += "      resources:\n        requests:\n";
  text += fmt::format("          cpu: \"{}\"\n          memory: \"{}\"\n        limits:\n", cpus,
                      memory);
  text += fmt::format("          cpu: \"{}\"\n          memory: \"{}\"\n", cpus, memory);
  if (gpu) text += fmt::format("          {}: 1\n", amd ? "amd.com/gpu" : mig.empty() ? "nvidia.com/gpu" : "nvidia.com/mig-" + mig);
  text += "      securityContext:\n        allowPrivilegeEscalation: false\n";
  return text;
}

}  // namespace stackx::advisor
