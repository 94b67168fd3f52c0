// Which packages stackx's PIs can measure, and what is run of the others.
#include <algorithm>
#include <array>
#include <utility>

#include "advisor/recipes/parts.hpp"
#include "specs/version/version.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

// Package and what imports it; the first that was asked for speaks for all.
constexpr std::array<std::pair<const char*, const char*>, 13> import_tests{{
    {"vllm", "import vllm, torch; print('vllm', vllm.__version__, 'GPU', torch.cuda.is_available())"},
    {"torch",
     "import torch; print('torch', torch.__version__, 'CUDA', torch.version.cuda, 'GPU', torch.cuda.is_available())"},
    {"jax", "import jax; print('jax', jax.__version__, jax.devices())"},
    {"tensorflow",
     "import tensorflow as tf; print('tensorflow', tf.__version__, tf.config.list_physical_devices())"},
    {"tensorflow-cpu",
     "import tensorflow as tf; print('tensorflow', tf.__version__, tf.config.list_physical_devices())"},
    {"tensorflow-gpu", "import tensorflow as tf; print('tensorflow', tf.__version__, tf.test.is_gpu_available())"},
    {"onnxruntime", "import onnxruntime as ort; print('onnxruntime', ort.__version__, ort.get_available_providers())"},
    {"onnxruntime-gpu",
     "import onnxruntime as ort; print('onnxruntime', ort.__version__, ort.get_available_providers())"},
    {"cupy-cuda12x", "import cupy; print('cupy', cupy.__version__, 'GPUs', cupy.cuda.runtime.getDeviceCount())"},
    {"cupy-cuda13x", "import cupy; print('cupy', cupy.__version__, 'GPUs', cupy.cuda.runtime.getDeviceCount())"},
    {"transformers", "import transformers; print('transformers', transformers.__version__)"},
    {"mxnet", "import mxnet; print('mxnet', mxnet.__version__, 'GPUs', mxnet.context.num_gpus())"},
    {"numpy", "import numpy; print('numpy', numpy.__version__)"},
}};

}  // namespace

bool has_framework(const StackPackages& packages) {
  return std::ranges::any_of(packages, [](const auto& one) {
    const auto& name = one.first;
    return one.second.root && (name == "torch" || name == "jax" || name == "jaxlib" || name == "numpy" ||
                               name == "tensorflow" || name == "tensorflow-cpu" || name == "tensorflow-gpu" ||
                               name == "onnxruntime" || name == "onnxruntime-gpu" || name == "mxnet");
  });
}

bool is_for_intel(const StackPackages& packages) {
  const auto torch = packages.find("torch");
  return torch != packages.end() && specs::local_label(torch->second.version) == "xpu";
}

// Wheels of torch before 2.3 are built for NumPy 1.
std::vector<std::string> wanted_by_pi(const StackPackages& packages) {
  const auto torch = packages.find("torch");
  if (torch == packages.end() || packages.contains("numpy")) return {};
  const auto version = specs::Version::parse(torch->second.version, specs::Versioning::pep440);
  const auto first = specs::Version::parse("2.3", specs::Versioning::pep440);
  return {version && first && *version < *first ? "numpy<2" : "numpy"};
}

// Versions of what is known by no module: an import of a guessed name would fail for nothing.
std::string import_test_of(const StackPackages& packages) {
  if (is_for_intel(packages)) return "import torch; print('torch', torch.__version__, 'GPU', torch.xpu.is_available())";
  for (const bool asked : {true, false})
    for (const auto& [name, test] : import_tests)
      if (const auto at = packages.find(name); at != packages.end() && (at->second.root || !asked)) return test;
  std::string text = "from importlib.metadata import version\nfor name in (";
  for (const auto& [name, package] : packages) text += "'" + name + "', ";
  return text + "): print(name, version(name))";
}

}  // namespace stackx::advisor
