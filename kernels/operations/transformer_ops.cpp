// transformer_ops: the products and the attention of one layer of a decoder (layer/layer.hpp), through the library that
// --library names: oneDNN or a BLAS (layer/onednn.cpp, layer/blas.cpp).
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/layer/case.hpp"
#include "kernels/onednn/engine.hpp"
#include "kernels/pi.hpp"
#include "kernels/timing/scenario.hpp"

namespace stackx::kernels {
namespace {

nlohmann::json run_layer(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  if (!arguments.library) throw UsageError(fmt::format("{} needs --library PATH: the library to measure", pi.name));
  Parameters parameters(pi.parameters, arguments.words);
  const bool onednn = onednn::Engine::recognises(SharedObject(*arguments.library));
  const auto operation = (onednn ? layer_by_onednn : layer_by_blas)(pi, arguments, parameters);
  return run_operation(pi, parameters, *operation, clock);
}

}  // namespace

Pi transformer_ops_pi() {
  std::vector<Parameter> own = layer_parameters();
  own.insert(own.end(), {{"dtype", "float32", "float32, bfloat16 (oneDNN)"},
                         {"threads", "1", "threads that the library may use"}});
  return {"transformer_ops", "the products and the attention of one layer of a decoder, by oneDNN or a BLAS library",
          with_scenario_parameters(with_plan_parameters(std::move(own))), run_layer};
}

}  // namespace stackx::kernels
