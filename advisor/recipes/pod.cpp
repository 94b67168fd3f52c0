// The recipe as a Kubernetes Pod: YAML, of which every value is a JSON string or number.
#include <fmt/format.h>

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
  std::string text = recipe_head(recipe, parts, "Kubernetes Pod");
  text += "apiVersion: \"v1\"\nkind: \"Pod\"\nmetadata:\n";
  text += fmt::format(
      "  name: {}\n  labels:\n    app.kubernetes.io/name: \"stackx\"\n    stackx/stack: {}\n",
      specs::yaml_text(job_name(recipe, parts)), specs::yaml_text(parts.named.short_id()));
  text += "spec:\n  restartPolicy: \"Never\"\n";
  if (const auto product = gpu && !amd ? gpu_product(recipe) : ""; !product.empty())
    text += fmt::format("  nodeSelector:\n    nvidia.com/gpu.product: {}\n", specs::yaml_text(product));
  text += "  containers:\n    - name: \"pi\"\n";
  text += fmt::format("      image: {}\n", specs::yaml_text(image_name(parts)));
  if (!parts.variables.empty()) {
    text += "      env:\n";
    for (const auto& [name, value] : parts.variables)
      text +=
          fmt::format("        - name: {}\n          value: {}\n", specs::yaml_text(name), literal(value));
  }
  const auto cpus = threads(recipe);
  const std::string memory = gpu ? "16Gi" : "4Gi";
  text += "      resources:\n        requests:\n";
  text += fmt::format("          cpu: \"{}\"\n          memory: \"{}\"\n        limits:\n", cpus,
                      memory);
  text += fmt::format("          cpu: \"{}\"\n          memory: \"{}\"\n", cpus, memory);
  if (gpu) text += fmt::format("          {}: 1\n", amd ? "amd.com/gpu" : "nvidia.com/gpu");
  text += "      securityContext:\n        allowPrivilegeEscalation: false\n";
  return text;
}

}  // namespace stackx::advisor
