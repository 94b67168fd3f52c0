#include "kernels/cuda/cudnn_conv2d.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "kernels/cuda/cudnn.hpp"
#include "kernels/cuda/gpu_operation.hpp"
#include "kernels/cuda/tensor_layout.hpp"
#include "kernels/reference/convolution.hpp"

namespace stackx::kernels::cuda {
namespace {

using nlohmann::json;

// Values of cuDNN's enumerations, the same in 7, 8 and 9 (cudnn.h, cudnn_ops*.h, cudnn_cnn*.h).
enum Math { kCudnnDefaultMath = 0, kTensorOp = 1, kTensorOpConverting = 2, kFma = 3 };
constexpr int kCrossCorrelation = 1;
constexpr std::array kAlgorithms = {"implicit GEMM",
                                    "implicit precomputed GEMM",
                                    "GEMM",
                                    "direct",
                                    "FFT",
                                    "FFT tiling",
                                    "Winograd",
                                    "Winograd, not fused"};
constexpr int kDirectAlgorithms = 4;  // the first ones
constexpr int kCudnn8 = 8000;

struct CudnnFound {  // cudnnConvolutionFwdAlgoPerf_t
  int algorithm;
  int status;
  float ms;
  std::size_t memory;
  int determinism;
  int math;
  int reserved[3];
};
static_assert(sizeof(CudnnFound) == 48);

class CudnnConv2d : public GpuOperation {
 public:
  CudnnConv2d(const Parameters& parameters, const PiArguments& arguments)
      : GpuOperation(parameters, arguments),
        problem_(parameters, {"float32", "float64", "tf32", "float16"}),
        layout_(parameters.one_of("layout", {"default", "channels_last", "channels_first"}) ==
                        "channels_first"
                    ? Layout::channels_first
                    : Layout::channels_last),
        search_(parameters.whole("search", 0, 1) == 1),
        algorithms_(parameters.one_of("algorithms", {"direct", "all"}) == "all"
                        ? static_cast<int>(kAlgorithms.size())
                        : kDirectAlgorithms),
        most_workspace_(parameters.whole("workspace_mib", 0, 1 << 20) << 20),
        seed_(parameters.whole("seed", 0, ~std::uint64_t{0})),
        padded_rows_(problem_.rows.size + problem_.rows.high - problem_.rows.low),
        padded_columns_(problem_.columns.size + problem_.columns.high - problem_.columns.low),
        data_(problem_) {
    if (problem_.bias)
      throw UsageError("bias=1: cuDNN's convolution is measured without one; use bias=0");
  }

  ~CudnnConv2d() override {
    if (handle_ != nullptr) cudnn_.cudnnDestroy(handle_);
  }

  // On their way each image and filter is there once more, in cuDNN's layout.
  Need need() const override {
    const double padded = data_.x.need() / static_cast<double>(problem_.rows.size * problem_.columns.size) *
                          static_cast<double>(padded_rows_ * padded_columns_);
    return {.keys = {"batch", "height", "width", "in_channels", "out_channels", "dtype"},
            .arrays = data_.need(),
            .check = std::max({check_memory(problem_), padded, data_.y.need()}),
            .device = padded + data_.w.need() + data_.y.need()};
  }

  std::optional<Unsupported> prepare() override {
    if (problem_.dtype == Dtype::tf32 && (cudnn_.version < kCudnn8 || device().info().major < 8))
      return fmt::format("tf32 takes cuDNN 8 and compute capability 8.0; here are cuDNN {} and {}.{}",
                         cudnn_version_text(cudnn_.version), device().info().major,
                         device().info().minor);
    data_.fill(seed_);
    if (auto why = describe_problem()) return why;
    if (auto why = upload()) return why;
    if (auto why = choose()) return why;
    device().fill(y_, 0xff);  // NaN in every type: what is not written shows
    return std::nullopt;
  }

  void call() override {
    if (const int status = forward(); status != 0)
      device().fail(fmt::format("cudnnConvolutionForward: {}", text_of(status)));
  }

  Check check() override {
    fetch();
    const bool tensor = problem_.dtype == Dtype::float16 || problem_.dtype == Dtype::tf32;
    return check_convolution(problem_, data_, seed_, kFullCheckFlop,
                             tensor ? Unit::tensor_cores : Unit::scalar);
  }

  std::vector<std::span<const std::byte>> result() override {
    fetch();
    return {data_.y.contents()};
  }

  OperationWork work() const override { return {problem_.flop(), problem_.bytes(), 1}; }

 protected:
  std::optional<Unsupported> load_library() override {
    cudnn_ = load_api<Cudnn>(stack().open("cudnn"));
    const int runtime = static_cast<int>(cudnn_.cudnnGetCudartVersion());
    if (auto why = driver_too_old(device().driver().version, runtime))
      return fmt::format("cuDNN {}: {}", cudnn_version_text(cudnn_.version), *why);
    if (const int status = cudnn_.cudnnCreate(&handle_); status != 0)
      return refused("cudnnCreate", status);
    if (const int status = cudnn_.cudnnSetStream(handle_, device().stream()); status != 0)
      return refused("cudnnSetStream", status);
    return std::nullopt;
  }

  void describe_library(json& document) const override {
    LibraryInfo info;
    info.kind = "cudnn";
    if (cudnn_.version != 0) info.version = cudnn_version_text(cudnn_.version);
    if (loaded()) info.partners["cudart"] = cuda_version_text(device().cudart().version);
    put_library(document, info, cudnn_.version != 0 ? cudnn_.path : stack().library(), component());
    if (!chosen_) return;
    document["library"]["algorithm"] = name_of(chosen_->algorithm);
    document["library"]["math"] = name_of_math(chosen_->math);
    document["library"]["workspace_bytes"] = workspace_.bytes();
  }

 private:
  void fetch() {
    device().synchronize();
    std::vector<unsigned char> found(y_.bytes());
    device().download(found.data(), y_, found.size());
    gather(found.data(), data_.y.data(),
           {problem_.batch, problem_.rows.out, problem_.columns.out, problem_.out_channels},
           image_strides(layout_, problem_.rows.out, problem_.columns.out, problem_.out_channels),
           element());
  }

  static std::string name_of(int algorithm) {
    return algorithm >= 0 && algorithm < static_cast<int>(kAlgorithms.size())
               ? kAlgorithms[static_cast<std::size_t>(algorithm)]
               : fmt::format("algorithm {}", algorithm);
  }

  std::string name_of_math(int math) const {
    if (math == kFma) return "FMA";
    if (math == kTensorOp) return "tensor cores";
    if (math == kTensorOpConverting) return "tensor cores, converting";
    return problem_.dtype == Dtype::tf32 ? "default: TF32 allowed" : "default";
  }

  std::string text_of(int status) const {
    return fmt::format("{} ({})", cudnn_.cudnnGetErrorString(status), status);
  }
  Unsupported refused(const char* function, int status) const {
    return fmt::format("cuDNN {}: {}: {}", cudnn_version_text(cudnn_.version), function, text_of(status));
  }

  std::size_t element() const { return size_of(elements(problem_.dtype).a); }
  int data_type() const {
    if (problem_.dtype == Dtype::float64) return kDouble;
    return problem_.dtype == Dtype::float16 ? kHalf : kFloat;
  }
  int wanted_math() const {
    if (problem_.dtype == Dtype::float16) return kTensorOp;
    return problem_.dtype == Dtype::float32 && cudnn_.version >= kCudnn8 ? kFma : kCudnnDefaultMath;
  }

  std::optional<Unsupported> describe_problem() {
    const auto number = [](std::size_t value) { return static_cast<int>(value); };
    const auto& p = problem_;
    const int n = number(p.batch), type = data_type();
    const int format = layout_ == Layout::channels_last ? kNhwc : kNchw;
    struct Step {
      const char* function;
      int status;
    };
    const int compute = p.dtype == Dtype::float64 ? kDouble : kFloat;
    // In order: what fails leaves a descriptor unmade, and the next would only fail after it.
    for (const Step& step : std::initializer_list<Step>{
             {"cudnnCreateTensorDescriptor",
              x_type_.make(cudnn_.cudnnCreateTensorDescriptor, cudnn_.cudnnDestroyTensorDescriptor)},
             {"cudnnCreateTensorDescriptor",
              y_type_.make(cudnn_.cudnnCreateTensorDescriptor, cudnn_.cudnnDestroyTensorDescriptor)},
             {"cudnnCreateFilterDescriptor",
              w_type_.make(cudnn_.cudnnCreateFilterDescriptor, cudnn_.cudnnDestroyFilterDescriptor)},
             {"cudnnCreateConvolutionDescriptor",
              convolution_.make(cudnn_.cudnnCreateConvolutionDescriptor,
                                cudnn_.cudnnDestroyConvolutionDescriptor)},
             {"cudnnSetTensor4dDescriptor",
              cudnn_.cudnnSetTensor4dDescriptor(x_type_.get(), format, type, n,
                                                number(p.in_channels), number(padded_rows_),
                                                number(padded_columns_))},
             {"cudnnSetTensor4dDescriptor",
              cudnn_.cudnnSetTensor4dDescriptor(y_type_.get(), format, type, n,
                                                number(p.out_channels), number(p.rows.out),
                                                number(p.columns.out))},
             {"cudnnSetFilter4dDescriptor",
              cudnn_.cudnnSetFilter4dDescriptor(w_type_.get(), type, format,
                                                number(p.out_channels), number(p.in_channels),
                                                number(p.rows.kernel), number(p.columns.kernel))},
             {"cudnnSetConvolution2dDescriptor",
              cudnn_.cudnnSetConvolution2dDescriptor(
                  convolution_.get(), number(p.rows.low), number(p.columns.low),
                  number(p.rows.stride), number(p.columns.stride), 1, 1, kCrossCorrelation,
                  compute)},
             {"cudnnSetConvolutionMathType",
              cudnn_.cudnnSetConvolutionMathType(convolution_.get(), wanted_math())}})
      if (step.status != 0) return refused(step.function, step.status);
    int found[4] = {};
    if (const int status = cudnn_.cudnnGetConvolution2dForwardOutputDim(
            convolution_.get(), x_type_.get(), w_type_.get(), &found[0], &found[1], &found[2],
            &found[3]);
        status != 0)
      return refused("cudnnGetConvolution2dForwardOutputDim", status);
    if (found[0] != n || found[1] != number(p.out_channels) || found[2] != number(p.rows.out) ||
        found[3] != number(p.columns.out))
      throw CudaError(fmt::format("cuDNN makes {} x {} x {} x {} of it; expected {} x {} x {} x {}",
                                  found[0], found[1], found[2], found[3], n, p.out_channels,
                                  p.rows.out, p.columns.out));
    return std::nullopt;
  }

  std::optional<Unsupported> place(Buffer& buffer, std::size_t bytes) {
    auto made = device().allocate(bytes);
    if (!made) return made.error();
    buffer = std::move(*made);
    return std::nullopt;
  }

  std::optional<Unsupported> upload() {
    const auto& p = problem_;
    if (auto why =
            place(x_, p.batch * padded_rows_ * padded_columns_ * p.in_channels * element()))
      return why;
    if (auto why = place(w_, p.depth() * p.out_channels * element())) return why;
    if (auto why = place(y_, p.positions() * p.out_channels * element())) return why;
    send(x_, data_.x, {p.batch, p.rows.size, p.columns.size, p.in_channels},
         image_strides(layout_, padded_rows_, padded_columns_, p.in_channels));
    send(w_, data_.w, {p.rows.kernel, p.columns.kernel, p.in_channels, p.out_channels},
         filter_strides(layout_, p.rows.kernel, p.columns.kernel, p.in_channels));
    return std::nullopt;
  }

  void send(const Buffer& to, const Matrix& from, const FourSizes& lengths,
            const FourSizes& strides) {
    std::vector<unsigned char> arranged(to.bytes());  // zeros: padding
    scatter(from.data(), arranged.data(), lengths, strides, element());
    device().upload(to, arranged.data(), arranged.size());
  }

  bool may_use(const CudnnFound& one) const {
    if (one.status != 0 || one.algorithm >= algorithms_ || one.memory > most_workspace_)
      return false;
    switch (problem_.dtype) {  // what would be another precision
      case Dtype::tf32:
        return one.math != kFma;
      case Dtype::float16:
        return one.math != kTensorOpConverting;
      default:
        return one.math != kTensorOp && one.math != kTensorOpConverting;
    }
  }

  std::optional<Unsupported> choose() {
    std::array<CudnnFound, 32> found{};
    int count = 0;
    const char* function = search_ ? "cudnnFindConvolutionForwardAlgorithmEx"
                                   : "cudnnGetConvolutionForwardAlgorithm_v7";
    if (search_) {
      if (auto why = make_room_for_search()) return why;
    }
    const int most = static_cast<int>(found.size());
    const int status =
        search_ ? cudnn_.cudnnFindConvolutionForwardAlgorithmEx(
                      handle_, x_type_.get(), x_.data(), w_type_.get(), w_.data(),
                      convolution_.get(), y_type_.get(), y_.data(), most, &count, found.data(),
                      workspace_.data(), workspace_.bytes())
                : cudnn_.cudnnGetConvolutionForwardAlgorithm_v7(
                      handle_, x_type_.get(), w_type_.get(), convolution_.get(), y_type_.get(),
                      most, &count, found.data());
    if (status != 0) return refused(function, status);
    std::string last;
    for (int i = 0; i < count; ++i) {
      if (!may_use(found[static_cast<std::size_t>(i)])) continue;
      const auto why = try_out(found[static_cast<std::size_t>(i)]);
      if (!why) return std::nullopt;
      last = "; " + *why;
    }
    return fmt::format("cuDNN {}: none of the {} algorithms that {} names does {} with {} in at "
                       "most {} MiB of workspace{}",
                       cudnn_version_text(cudnn_.version), count, function, to_string(problem_.dtype),
                       algorithms_ == kDirectAlgorithms ? "algorithms=direct" : "algorithms=all",
                       most_workspace_ >> 20, last);
  }

  // The largest workspace that an admitted algorithm wants.
  std::optional<Unsupported> make_room_for_search() {
    std::size_t largest = 0;
    for (int algorithm = 0; algorithm < algorithms_; ++algorithm) {
      std::size_t bytes = 0;
      const int status = cudnn_.cudnnGetConvolutionForwardWorkspaceSize(
          handle_, x_type_.get(), w_type_.get(), convolution_.get(), y_type_.get(), algorithm,
          &bytes);
      if (status == 0 && bytes <= most_workspace_) largest = std::max(largest, bytes);
    }
    return largest == 0 ? std::nullopt : place(workspace_, largest);
  }

  // Heuristics name what then does not run: an algorithm is taken once it has run.
  std::optional<Unsupported> try_out(const CudnnFound& candidate) {
    const int math = problem_.dtype == Dtype::float32 ? wanted_math() : candidate.math;
    if (const int status = cudnn_.cudnnSetConvolutionMathType(convolution_.get(), math);
        status != 0)
      return refused("cudnnSetConvolutionMathType", status);
    std::size_t bytes = 0;
    if (const int status = cudnn_.cudnnGetConvolutionForwardWorkspaceSize(
            handle_, x_type_.get(), w_type_.get(), convolution_.get(), y_type_.get(),
            candidate.algorithm, &bytes);
        status != 0)
      return refused("cudnnGetConvolutionForwardWorkspaceSize", status);
    if (bytes > most_workspace_)
      return fmt::format("{} wants {} bytes of workspace", name_of(candidate.algorithm), bytes);
    workspace_ = {};
    if (bytes > 0) {
      if (auto why = place(workspace_, bytes)) return why;
    }
    chosen_ = candidate;
    chosen_->math = math;
    if (const int status = forward(); status != 0) {
      chosen_.reset();
      device().synchronize();  // throws where the GPU itself has failed
      return refused("cudnnConvolutionForward", status);
    }
    device().synchronize();
    return std::nullopt;
  }

  int forward() {
    const float one = 1, zero = 0;
    const double one_double = 1, zero_double = 0;
    const bool wide = problem_.dtype == Dtype::float64;
    return cudnn_.cudnnConvolutionForward(
        handle_, wide ? static_cast<const void*>(&one_double) : &one, x_type_.get(), x_.data(),
        w_type_.get(), w_.data(), convolution_.get(), chosen_->algorithm, workspace_.data(),
        workspace_.bytes(), wide ? static_cast<const void*>(&zero_double) : &zero, y_type_.get(),
        y_.data());
  }

  Convolution problem_;
  Layout layout_;
  bool search_;
  int algorithms_;  // those below this number
  std::size_t most_workspace_;
  std::uint64_t seed_;
  std::size_t padded_rows_, padded_columns_;
  ConvolutionData data_;
  Cudnn cudnn_;
  void* handle_ = nullptr;
  CudnnDescriptor x_type_, y_type_, w_type_, convolution_;
  Buffer x_, w_, y_, workspace_;
  std::optional<CudnnFound> chosen_;
};

}  // namespace

bool is_cudnn(const std::string& library) { return library_name(library) == "cudnn"; }

std::vector<Parameter> cudnn_parameters() {
  return {{"search", "0", "cuDNN: 1 tries algorithms out, 0 takes the heuristics' first"},
          {"algorithms", "direct", "cuDNN: direct (sums as they are) or all (FFT, Winograd, too)"},
          {"workspace_mib", "1024", "cuDNN: the most memory that an algorithm may want"},
          kDeviceParameter,
          kL2Parameter};
}

json run_cudnn_conv2d(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  std::vector<Parameter> known = pi.parameters;
  std::erase_if(known, [](const Parameter& one) { return one.key == "threads"; });
  const Parameters parameters(std::move(known), arguments.words);
  CudnnConv2d operation(parameters, arguments);
  return run_operation(pi, parameters, operation, clock);
}

}  // namespace stackx::kernels::cuda
