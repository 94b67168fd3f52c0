#include "kernels/layer/cublas.hpp"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>

#include "kernels/cuda/cudnn.hpp"
#include "kernels/cuda/gpu_operation.hpp"
#include "kernels/cuda/products/multiplier.hpp"
#include "kernels/layer/mask.hpp"

namespace stackx::kernels::cuda {
namespace {

constexpr int kAccurate = 1, kOverChannels = 1;  // cudnnSoftmaxAlgorithm_t, cudnnSoftmaxMode_t
constexpr double kLargestTensor = 0x1p31;        // cuDNN's sizes are ints

// Results of bfloat16 are bfloat16.
Layer as_frameworks(Layer layer) {
  if (layer.dtype == Dtype::bfloat16) layer.stored = Element::bfloat16;
  return layer;
}

class CublasLayer : public GpuOperation {
 public:
  CublasLayer(const PiArguments& arguments, const Parameters& parameters, const Layer& layer)
      : GpuOperation(parameters, arguments), parameters_(parameters), case_(as_frameworks(layer), parameters) {}

  ~CublasLayer() override {
    if (handle_ != nullptr) cudnn_.cudnnDestroy(handle_);
  }

  // The scores are on the device alone, once.
  Need need() const override {
    const Layer& layer = case_.layer();
    const double both = layer.bytes() + layer.mask_bytes();
    return case_.need(both, both + layer.scores_bytes());
  }

  std::optional<Unsupported> prepare() override {
    case_.make_data();
    for (auto& operands : case_.data().products()) {
      if (std::string_view(operands.product.name) == "o")
        if (auto refusal = add_attention()) return refusal;
      if (auto refusal = add_product(operands)) return refusal;
    }
    // Only now: what cuBLAS tried out has written results.
    for (auto& operands : case_.data().products()) device().fill(*of(operands.c), 0xff);
    device().fill(*of(case_.data().attention().o), 0xff);
    return std::nullopt;
  }

  void call() override {
    for (const auto& step : steps_) step();
  }

  Check check() override {
    fetch();
    return case_.check(case_.layer().dtype == Dtype::float32 ? Unit::scalar : Unit::tensor_cores);
  }

  std::vector<std::span<const std::byte>> result() override {
    fetch();
    return case_.data().results();
  }

  OperationWork work() const override { return case_.work(); }

  std::unique_ptr<Sampler> sampler(const Clock& clock) override {
    return case_.sampler(GpuOperation::sampler(clock), [this] { return stamped(); });
  }

 protected:
  std::optional<Unsupported> load_library() override {
    auto multiplier = make_cublas(device(), stack(), parameters_);
    if (!multiplier) return multiplier.error();
    multiplier_ = std::move(*multiplier);
    try {
      cudnn_ = load_api<Cudnn>(stack().open("cudnn"));
    } catch (const LoadError& error) {
      return fmt::format("the softmax of the attention takes cuDNN: {}", error.what());
    }
    if (auto why = driver_too_old(device().driver().version, static_cast<int>(cudnn_.cudnnGetCudartVersion())))
      return fmt::format("cuDNN {}: {}", cudnn_version_text(cudnn_.version), *why);
    if (const int status = cudnn_.cudnnCreate(&handle_); status != 0) return refused("cudnnCreate", status);
    if (const int status = cudnn_.cudnnSetStream(handle_, device().stream()); status != 0)
      return refused("cudnnSetStream", status);
    return std::nullopt;
  }

  void describe_library(nlohmann::json& document) const override {
    if (multiplier_ == nullptr) {
      GpuOperation::describe_library(document);
    } else {
      LibraryInfo info = multiplier_->info();
      info.core = through_;
      info.partners["cudart"] = cuda_version_text(device().cudart().version);
      if (cudnn_.version != 0) info.partners["cudnn"] = cudnn_version_text(cudnn_.version);
      put_library(document, info, stack().library(), component());
    }
    case_.describe(document);
  }

 private:
  Unsupported refused(const char* function, int status) const {
    return fmt::format("cuDNN {}: {}: {} ({})", cudnn_version_text(cudnn_.version), function,
                       cudnn_.cudnnGetErrorString(status), status);
  }

  struct Copy {
    const Matrix* host;
    Buffer buffer;
  };
  Buffer* of(const Matrix& host) {
    for (Copy& copy : copies_)
      if (copy.host == &host) return &copy.buffer;
    return nullptr;
  }
  // Memory for a matrix; its elements, if it is an input that is not there yet.
  std::expected<void*, Unsupported> place(const Matrix& host, bool input) {
    if (Buffer* there = of(host)) return there->data();
    auto made = device().allocate(host.bytes());
    if (!made) return std::unexpected(made.error());
    if (input) device().upload(*made, host.data(), host.bytes());
    copies_.push_back({&host, std::move(*made)});
    return copies_.back().buffer.data();
  }

  std::optional<Unsupported> add(const std::string& name, DeviceProduct product) {
    product.result = case_.layer().stored;
    auto multiply = multiplier_->prepare(product);
    if (!multiply) return multiply.error();
    if (name == "q" || name == "scores") through_ += (through_.empty() ? "" : ", ") + multiplier_->info().core;
    add_step(name, std::move(*multiply));
    return std::nullopt;
  }
  void add_step(const std::string& name, Enqueue step) {
    steps_.push_back(std::move(step));
    case_.add_operation(name);
  }

  std::optional<Unsupported> add_product(LayerData::Operands& operands) {
    const auto a = place(operands.a, true), b = place(operands.b, true), c = place(operands.c, false);
    for (const auto* placed : {&a, &b, &c})
      if (!*placed) return placed->error();
    const LayerProduct& p = operands.product;
    return add(p.name, {case_.layer().dtype, p.rows, p.columns, p.depth, *a, *b, *c});
  }

  std::optional<Unsupported> add_attention() {
    const Attention attention = case_.layer().attention();
    AttentionData& data = case_.data().attention();
    const std::size_t groups = attention.heads / attention.group, rows = attention.group * attention.queries;
    if (static_cast<double>(groups) * static_cast<double>(rows) * static_cast<double>(attention.sequence) >= kLargestTensor)
      return "the scores are more than a tensor of cuDNN holds (2^31); a smaller batch or context fits";
    const auto q = place(data.q, true), k = place(data.k, true), v = place(data.v, true), o = place(data.o, false);
    for (const auto* placed : {&q, &k, &v, &o})
      if (!*placed) return placed->error();
    auto scores = device().allocate(groups * rows * attention.sequence * size_of(attention.element));
    if (!scores) return scores.error();
    scores_ = std::move(*scores);
    const float scale = 1 / std::sqrt(static_cast<float>(attention.size));
    const Dtype dtype = case_.layer().dtype;
    if (auto refusal = add("scores", {dtype, rows, attention.sequence, attention.size, *q, *k, scores_.data(), groups, true, scale}))
      return refusal;
    if (attention.causal)
      if (auto refusal = add_mask(attention, groups, rows)) return refusal;
    if (auto refusal = add_softmax(groups * rows, attention.sequence)) return refusal;
    return add("values", {dtype, rows, attention.size, attention.sequence, scores_.data(), *v, *o, groups});
  }

  std::optional<Unsupported> describe_tensor(CudnnDescriptor& tensor, std::size_t n, std::size_t c, std::size_t h) {
    if (const int status = tensor.make(cudnn_.cudnnCreateTensorDescriptor, cudnn_.cudnnDestroyTensorDescriptor); status != 0)
      return refused("cudnnCreateTensorDescriptor", status);
    const Dtype dtype = case_.layer().dtype;
    const int type = dtype == Dtype::float16 ? kHalf : dtype == Dtype::bfloat16 ? kBfloat16 : kFloat;
    if (const int status = cudnn_.cudnnSetTensor4dDescriptor(tensor.get(), kNchw, type, static_cast<int>(n),
                                                             static_cast<int>(c), static_cast<int>(h), 1);
        status != 0)
      return refused("cudnnSetTensor4dDescriptor", status);
    return std::nullopt;
  }

  // The mask of one group of heads, added to all.
  std::optional<Unsupported> add_mask(const Attention& attention, std::size_t groups, std::size_t rows) {
    mask_.emplace(causal_mask(attention));
    const auto mask = place(*mask_, true);
    if (!mask) return mask.error();
    if (auto refusal = describe_tensor(mask_type_, 1, rows, attention.sequence)) return refusal;
    if (auto refusal = describe_tensor(masked_type_, groups, rows, attention.sequence)) return refusal;
    const auto run = [this, mask = *mask] {
      const float one = 1;
      return cudnn_.cudnnAddTensor(handle_, &one, mask_type_.get(), mask, &one, masked_type_.get(), scores_.data());
    };
    return add_checked("mask", "cudnnAddTensor", run);
  }

  std::optional<Unsupported> add_softmax(std::size_t rows, std::size_t length) {
    if (auto refusal = describe_tensor(rows_type_, rows, length, 1)) return refusal;
    const auto run = [this] {
      const float one = 1, zero = 0;
      return cudnn_.cudnnSoftmaxForward(handle_, kAccurate, kOverChannels, &one, rows_type_.get(), scores_.data(), &zero,
                                        rows_type_.get(), scores_.data());
    };
    return add_checked("softmax", "cudnnSoftmaxForward", run);
  }

  // Tried once: what the library cannot is a refusal, what fails later an error.
  template <typename Run>
  std::optional<Unsupported> add_checked(const char* name, const char* function, Run run) {
    if (const int status = run(); status != 0) {
      device().synchronize();  // throws where the GPU itself has failed
      return refused(function, status);
    }
    add_step(name, [this, function, run] {
      if (const int status = run(); status != 0) device().fail(refused(function, status));
    });
    through_ += fmt::format(", {}", function);
    return std::nullopt;
  }

  void fetch() {
    device().synchronize();
    const auto download = [&](Matrix& host) {
      host.poison();
      device().download(host.data(), *of(host), host.bytes());
    };
    for (auto& operands : case_.data().products()) download(operands.c);
    download(case_.data().attention().o);
  }

  std::vector<double> stamped() {
    while (events_.size() <= steps_.size()) events_.emplace_back(device());
    events_[0].record();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      steps_[i]();
      events_[i + 1].record();
    }
    device().synchronize();
    std::vector<double> ns;
    for (std::size_t i = 0; i < steps_.size(); ++i) ns.push_back(1e6 * events_[i + 1].milliseconds_since(events_[i]));
    return ns;
  }

  Parameters parameters_;
  LayerCase case_;
  std::unique_ptr<Multiplier> multiplier_;
  Cudnn cudnn_;
  void* handle_ = nullptr;
  std::deque<Copy> copies_;
  Buffer scores_;
  std::optional<Matrix> mask_;
  CudnnDescriptor mask_type_, masked_type_, rows_type_;
  std::vector<Enqueue> steps_;
  std::deque<Event> events_;
  std::string through_;
};

}  // namespace

bool computes_layers(const std::string& library) {
  const std::string name = library_name(library);
  return name == "cublas" || name == "cudnn";
}

std::unique_ptr<Operation> layer_by_cublas(const PiArguments& arguments, const Parameters& parameters, const Layer& layer) {
  return std::make_unique<CublasLayer>(arguments, parameters, layer);
}

}  // namespace stackx::kernels::cuda
