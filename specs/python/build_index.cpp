#include "specs/python/build_index.hpp"

#include <algorithm>
#include <cctype>

#include "specs/python/pep508.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::specs {
namespace {

// Both become part of an address.
bool is_plain(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80 && (std::isalnum(c) || c == '.'); });
}

// PyTorch's only release of long-term support, torch 1.8.2 with what goes with it: its builds are below the others'.
bool has_long_term_support(const std::string& package, const std::string& release) {
  constexpr std::pair<std::string_view, std::string_view> all[] = {{"torch", "1.8.2"}, {"torchvision", "0.9.2"}, {"torchaudio", "0.8.2"}};
  return std::ranges::any_of(all, [&](const auto& one) { return one.first == package && one.second == release; });
}

}  // namespace

std::optional<BuildIndex> build_index(const std::string& package, const std::string& version) {
  const auto build = local_label(version), release = public_version(version);
  if (!is_plain(build) || !is_plain(release)) return std::nullopt;
  const bool rocm = build.starts_with("rocm");
  if (has_long_term_support(package, release) && (build == "cpu" || build.starts_with("cu")))
    return BuildIndex{"pytorch-lts-" + build, "https://download.pytorch.org/whl/lts/1.8/" + build, false};
  if (package == "xformers" && build.starts_with("cu")) return BuildIndex{"pytorch-" + build, "https://download.pytorch.org/whl/" + build, false};
  if (package.starts_with("torch") && (build == "cpu" || build == "xpu" || build.starts_with("cu") || rocm))
    return BuildIndex{"pytorch-" + build, "https://download.pytorch.org/whl/" + build, rocm || build == "xpu"};
  if (package == "vllm" && rocm) return BuildIndex{"vllm-" + build, "https://wheels.vllm.ai/rocm/" + release + "/" + build, true};
  if (package == "torch-neuronx" || package == "neuronx-cc") return BuildIndex{"neuron", "https://pip.repos.neuron.amazonaws.com", true};
  return std::nullopt;
}

std::string links_page(const std::string& package, const std::string& extra, const std::string& version) {
  constexpr const char* of_jax = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html";
  if (package == "jaxlib") return local_label(version).starts_with("cuda") ? of_jax : "";
  const auto name = normalized_name(extra);
  if (package != "jax" || !name.starts_with("cuda")) return "";
  const bool always = name.starts_with("cuda11") || name == "cuda12-pip" || name == "cuda12-local" || name == "cuda";
  return always && !version.empty() && is_newer("0.4.30", version) ? of_jax : "";
}

bool is_usual_index(std::string_view url) {
  const std::string_view usual = usual_index;
  return url.contains(usual.substr(usual.find("://"))) || url.contains("://pypi.python.org/simple");
}

std::string pytorch_label(std::string_view url) {
  for (const std::string_view begin : {"https://", "http://"})
    if (url.starts_with(begin)) url.remove_prefix(begin.size());
  constexpr std::string_view place = "download.pytorch.org/whl/";
  if (!url.starts_with(place)) return "";
  url.remove_prefix(place.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  const std::string label(url);
  return build_index("torch", "1+" + label) ? label : "";
}

}  // namespace stackx::specs
