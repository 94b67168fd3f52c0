#include "kernels/layer/layer.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

namespace stackx::kernels {
namespace {

struct Size {
  const char* key;
  std::size_t Layer::* member;
  std::uint64_t most;
  const char* help;
};
constexpr std::array kSizes{
    Size{"width", &Layer::width, 1 << 16, "numbers that stand for a token between the layers"},
    Size{"heads", &Layer::heads, 1 << 12, "heads of queries"},
    Size{"kv_heads", &Layer::kv_heads, 1 << 12, "heads of keys and values, each for heads/kv_heads of queries"},
    Size{"feed_forward", &Layer::feed_forward, 1 << 18, "columns of gate and up"},
    Size{"vocabulary", &Layer::vocabulary, 1 << 20, "tokens that there are: columns of head"}};

struct Preset {
  const char* name;
  std::array<std::size_t, kSizes.size()> sizes;
};
// stackx_pi/transformer/shape.py says where each is published.
constexpr std::array kPresets{Preset{"tiny", {32, 4, 2, 48, 96}},
                              Preset{"small", {256, 8, 4, 768, 8192}},
                              Preset{"smollm2-135m", {576, 9, 3, 1536, 49152}},
                              Preset{"tinyllama-1.1b", {2048, 32, 4, 5632, 32000}},
                              Preset{"llama-3.2-1b", {2048, 32, 8, 8192, 128256}},
                              Preset{"llama-2-7b", {4096, 32, 32, 11008, 32000}},
                              Preset{"llama-3.1-8b", {4096, 32, 8, 14336, 128256}}};
constexpr const char* kOfPreset = "preset";

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

double product(std::initializer_list<std::size_t> sizes) {
  double result = 1;
  for (const std::size_t size : sizes) result *= static_cast<double>(size);
  return result;
}

void require_multiple(const Layer& layer) {
  if (layer.width % layer.heads != 0)
    throw UsageError(fmt::format("width={} is no multiple of heads={}", layer.width, layer.heads));
  if (layer.heads % layer.kv_heads != 0)
    throw UsageError(fmt::format("heads={} is no multiple of kv_heads={}", layer.heads, layer.kv_heads));
  if (layer.head_size() % 2 != 0)
    throw UsageError(fmt::format("width={} and heads={} make heads of {}: rotary positions need an even size", layer.width,
                                 layer.heads, layer.head_size()));
}

}  // namespace

Layer::Layer(Parameters& parameters, const std::vector<std::string>& dtypes)
    : model(parameters.one_of("model", preset_names())),
      phase(parameters.one_of("phase", {"prefill", "decode"}) == "prefill" ? LayerPhase::prefill : LayerPhase::decode),
      batch(parameters.whole("batch", 1, 1 << 16)),
      context(parameters.whole("context", 0, 1 << 20)),
      head(parameters.whole("head", 0, 1) == 1),
      dtype(*dtype_from(parameters.one_of("dtype", dtypes))),
      stored(elements(dtype).c) {
  if (phase == LayerPhase::prefill && context == 0)
    throw UsageError("context=0: phase=prefill needs tokens; only decode can begin with an empty cache");
  for (const Preset& preset : kPresets)
    for (std::size_t i = 0; preset.name == model && i < kSizes.size(); ++i) {
      const Size& size = kSizes[i];
      if (parameters.text(size.key) == kOfPreset) parameters.set(size.key, std::to_string(preset.sizes[i]));
      this->*size.member = parameters.whole(size.key, 1, size.most);
    }
  require_multiple(*this);
}

std::vector<LayerProduct> Layer::products() const {
  const std::size_t t = tokens(), kept = kv_heads * head_size();
  std::vector<LayerProduct> all{{"q", t, width, width},           {"k", t, kept, width},
                                {"v", t, kept, width},            {"o", t, width, width},
                                {"gate", t, feed_forward, width}, {"up", t, feed_forward, width},
                                {"down", t, width, feed_forward}};
  if (head) all.push_back({"head", batch, vocabulary, width});
  return all;
}

Attention Layer::attention() const {
  Attention attention{batch * heads, keys(), head_size(), elements(dtype).a};
  attention.queries = queries();
  attention.group = heads / kv_heads;
  attention.causal = phase == LayerPhase::prefill;
  attention.tf32 = dtype == Dtype::tf32;
  return attention;
}

double Layer::attention_flop(bool causal) const {
  const double pairs = causal && phase == LayerPhase::prefill ? product({batch, context, context + 1}) / 2
                                                              : product({tokens(), keys()});
  return 4 * static_cast<double>(width) * pairs;
}

double Layer::flop(bool causal) const {
  double sum = attention_flop(causal);
  for (const LayerProduct& product : products()) sum += product.flop();
  return sum;
}

double Layer::bytes(const LayerProduct& p) const {
  const Elements types = elements(dtype);
  return product({p.rows, p.depth, size_of(types.a)}) + product({p.depth, p.columns, size_of(types.b)}) +
         product({p.rows, p.columns, size_of(stored)});
}

double Layer::attention_bytes() const {
  const std::size_t size = size_of(elements(dtype).a);
  return 2 * product({tokens(), width, size}) + 2 * product({batch, kv_heads, keys(), head_size(), size});
}

double Layer::bytes() const {
  double sum = attention_bytes();
  for (const LayerProduct& product : products()) sum += bytes(product);
  return sum;
}

double Layer::scores_bytes() const { return product({tokens(), heads, keys(), size_of(elements(dtype).a)}); }

double Layer::mask_bytes() const {
  return phase == LayerPhase::prefill ? scores_bytes() / static_cast<double>(batch * kv_heads) : 0;
}

std::vector<Parameter> layer_parameters() {
  std::string names;
  for (const std::string& name : preset_names()) names += (names.empty() ? "" : ", ") + name;
  std::vector<Parameter> all{{"phase", "prefill", "prefill (prompts), decode (a token of each sequence)"},
                             {"batch", "1", "sequences at once"},
                             {"context", "128", "tokens of a prompt; decode: in the cache before"},
                             {"model", "small", "shape: " + names},
                             {"head", "0", "1: the product with the vocabulary, too"}};
  for (const Size& size : kSizes) all.push_back({size.key, kOfPreset, fmt::format("{}, if not the model's", size.help)});
  return all;
}

nlohmann::json json_of(const Layer& layer) {
  nlohmann::json document = {{"model", layer.model}, {"phase", layer.phase == LayerPhase::prefill ? "prefill" : "decode"}};
  for (const Size& size : kSizes) document["shape"][size.key] = layer.*size.member;
  double layers = 0, head = 0;
  for (const LayerProduct& product : layer.products())
    (std::string_view(product.name) == "head" ? head : layers) += product.flop();
  document["tokens"] = layer.tokens();
  document["flop"] = layer.flop();
  document["flop_causal"] = layer.flop(true);
  document["flop_parts"] = {{"layers", layers}, {"attention", layer.attention_flop()}, {"head", head}};
  document["bytes"] = layer.bytes();
  return document;
}

}  // namespace stackx::kernels
