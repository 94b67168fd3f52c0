// transformer_ops: the products and the attention of one layer of a decoder (layer/layer.hpp), through the library that
// --library names: oneDNN, a BLAS, or cuBLAS with cuDNN (layer/onednn.cpp, layer/blas.cpp, layer/cublas.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/layer/case.hpp"
#include "kernels/layer/cublas.hpp"
#include "kernels/onednn/engine.hpp"
#include "kernels/pi.hpp"
#include "kernels/timing/scenario.hpp"

namespace stackx::kernels {
namespace {

const std::vector<std::string> kDtypes{"float32", "bfloat16", "float16", "tf32"};
const std::vector<Parameter> kOfGpus{
    {"device", "", "GPU: index among the visible ones or UUID; empty: the first"},
    {"l2", "keep", "L2 cache before each call: keep or flush"}};

bool layer_takes(const std::string& key, bool gpu) {
  if (key == "threads") return !gpu;
  return gpu || std::ranges::find(kOfGpus, key, &Parameter::key) == kOfGpus.end();
}

nlohmann::json run_layer(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  if (!arguments.library) throw UsageError(fmt::format("{} needs --library PATH: the library to measure", pi.name));
  const bool gpu = cuda::computes_layers(*arguments.library);
  std::vector<Parameter> known = pi.parameters;
  std::erase_if(known, [&](const Parameter& p) { return !layer_takes(p.key, gpu); });
  Parameters parameters(std::move(known), arguments.words);
  const Layer layer(parameters, kDtypes);
  std::unique_ptr<Operation> operation;
  if (gpu)
    operation = cuda::layer_by_cublas(arguments, parameters, layer);
  else if (onednn::Engine::recognises(SharedObject(*arguments.library)))
    operation = layer_by_onednn(pi, arguments, parameters, layer);
  else
    operation = layer_by_blas(arguments, parameters, layer);
  return run_operation(pi, parameters, *operation, clock);
}

}  // namespace

Pi transformer_ops_pi() {
  std::vector<Parameter> own = layer_parameters();
  own.insert(own.end(), {{"dtype", "float32", "float32; oneDNN also bfloat16, GPU also tf32, float16, bfloat16"},
                         {"threads", "1", "threads that the library may use (CPU)"}});
  own.insert(own.end(), kOfGpus.begin(), kOfGpus.end());
  return {"transformer_ops",
          "products and attention of one layer of a decoder, by oneDNN, a BLAS library, or cuBLAS with cuDNN",
          with_scenario_parameters(with_plan_parameters(std::move(own))), run_layer};
}

}  // namespace stackx::kernels
