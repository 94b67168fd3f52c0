#include "kernels/onednn.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/runtimes.hpp"

namespace stackx::kernels {
namespace {

// ---- From oneDNN's public headers (dnnl_types.h, dnnl_common_types.h); the same in v2 and v3 ----
using Handle = void*;  // dnnl_engine_t, dnnl_stream_t, dnnl_memory_t, dnnl_primitive_t, ...
using Status = int;    // dnnl_status_t
using Dims = std::array<std::int64_t, 12>;  // dnnl_dims_t

struct Version {  // dnnl_version_t; later versions append
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};
struct Argument {  // dnnl_exec_arg_t
  int index;
  Handle memory;
};
enum : int { kSource = 1, kDestination = 17, kWeights = 33 };              // DNNL_ARG_*
enum : int { kBf16 = 2, kF32 = 3, kS32 = 4, kS8 = 5, kU8 = 6, kF64 = 7 };  // dnnl_data_type_t
enum : unsigned { kSequential = 1, kOpenMp = 2, kTbb = 4 };                // DNNL_RUNTIME_*
enum : int { kSuccess = 0 };                                               // dnnl_status_t
constexpr int kCpu = 1;                                                    // dnnl_engine_kind_t
constexpr unsigned kInOrder = 1;         // dnnl_stream_flags_t, the default
constexpr int kQueryImplementation = 8;  // dnnl_query_impl_info_str
// -------------------------------------------------------------------------------------------------

// v2.6 needs 688 bytes for a memory descriptor and 2768 for matmul's.
struct alignas(64) Descriptor {
  std::byte room[1 << 12];
};
struct alignas(64) Operation {
  std::byte room[1 << 15];
};

int data_type(Element element) {
  switch (element) {
    case Element::float32:
      return kF32;
    case Element::float64:
      return kF64;
    case Element::bfloat16:
      return kBf16;
    case Element::int8:
      return kS8;
    case Element::uint8:
      return kU8;
    case Element::int32:
      break;
  }
  return kS32;
}

const char* status_name(Status status) {
  constexpr const char* kNames[] = {"success",       "out_of_memory",     "invalid_arguments",
                                    "unimplemented", "last_impl_reached", "runtime_error",
                                    "not_required"};
  return status >= 0 && status < 7 ? kNames[status] : "unknown status";
}

class OneDnn : public Library {
 public:
  explicit OneDnn(SharedObject object)
      : object_(std::move(object)), version_(object_.require<const Version*()>("dnnl_version")()) {}

  LibraryInfo info() const override {
    LibraryInfo info;
    info.kind = "onednn";
    info.version = fmt::format("{}.{}.{}", version_->major, version_->minor, version_->patch);
    info.config = fmt::format("oneDNN {} (commit {})", *info.version, version_->hash);
    if (auto* isa = object_.find<int()>("dnnl_get_effective_cpu_isa"))
      info.config += fmt::format(", dnnl_cpu_isa {:#x}", isa());
    info.core = implementation_;  // "brgemm:avx512_core_bf16"; known once a product is prepared
    switch (version_->cpu_runtime) {
      case kSequential:
        info.threading = "sequential";
        break;
      case kOpenMp:
        info.threading = "openmp";
        break;
      case kTbb:
        info.threading = "tbb";
        break;
      default:
        info.threading = fmt::format("runtime {}", version_->cpu_runtime);
    }
    info.partners = runtime_versions(object_);
    return info;
  }

  std::expected<int, Unsupported> use_threads(int threads) override {
    int used = 0;
    if (version_->cpu_runtime == kSequential) used = 1;
    if (version_->cpu_runtime == kOpenMp) used = use_openmp_threads(object_, threads);
    if (version_->cpu_runtime == kTbb) used = use_tbb_threads(object_, threads);
    if (used == 0)
      return std::unexpected(fmt::format("no control over the threads of oneDNN's CPU runtime {}",
                                         version_->cpu_runtime));
    return used;
  }

  std::expected<Multiply, Unsupported> prepare(const Product& product) override {
    require(call<Status(Handle*, int, std::size_t)>("dnnl_engine_create")(&engine_, kCpu, 0),
            "dnnl_engine_create");
    require(
        call<Status(Handle*, Handle, unsigned)>("dnnl_stream_create")(&stream_, engine_, kInOrder),
        "dnnl_stream_create");
    const auto description = version_->major >= 3 ? describe_v3(product) : describe_v2(product);
    if (!description) return std::unexpected(description.error());

    Handle primitive = nullptr;
    require(call<Status(Handle*, Handle)>("dnnl_primitive_create")(&primitive, *description),
            "dnnl_primitive_create");
    const char* name = nullptr;
    call<Status(Handle, int, int, void*)>("dnnl_primitive_desc_query")(
        *description, kQueryImplementation, 0, &name);
    if (name != nullptr) implementation_ = name;

    const std::array<Argument, 3> arguments{{{kSource, memory(0, product.a)},
                                             {kWeights, memory(1, product.b)},
                                             {kDestination, memory(2, product.c)}}};
    auto* execute = call<Status(Handle, Handle, int, const Argument*)>("dnnl_primitive_execute");
    auto* wait = call<Status(Handle)>("dnnl_stream_wait");
    return [this, primitive, arguments, execute, wait] {
      const Status status =
          execute(primitive, stream_, static_cast<int>(arguments.size()), arguments.data());
      if (status != kSuccess || wait(stream_) != kSuccess)
        require(status, "dnnl_primitive_execute");
    };
  }

 private:
  template <typename Function>
  Function* call(const char* name) const {
    return object_.require<Function>(name);
  }

  void require(Status status, const char* function) const {
    if (status != kSuccess)
      throw LoadError(
          fmt::format("{}: {} failed: {}", object_.path(), function, status_name(status)));
  }

  Unsupported refusal(Status status, const Product& product) const {
    return fmt::format("oneDNN {}.{}.{} has no {} matmul on this CPU ({})", version_->major,
                       version_->minor, version_->patch, to_string(product.dtype),
                       status_name(status));
  }

  // Fills in descriptors_ for A, B and C: `make` is called with (i, dims, type, strides).
  template <typename Make>
  Status describe_operands(const Product& p, Make make) {
    int i = 0;
    for (const Matrix* matrix : {&p.a, &p.b, static_cast<const Matrix*>(&p.c)}) {
      const auto columns = static_cast<std::int64_t>(matrix->columns());
      const Dims dims{static_cast<std::int64_t>(matrix->rows()), columns}, strides{columns, 1};
      if (const Status status = make(i++, dims, data_type(matrix->element()), strides);
          status != kSuccess)
        return status;
    }
    return kSuccess;
  }

  std::expected<Handle, Unsupported> describe_v2(const Product& product) {
    using Init = Status(void*, int, const std::int64_t*, int, const std::int64_t*);
    auto* init = call<Init>("dnnl_memory_desc_init_by_strides");
    Status status =
        describe_operands(product, [&](int i, const Dims& dims, int type, const Dims& strides) {
          descriptors_[i] = &storage_[i];
          return init(descriptors_[i], 2, dims.data(), type, strides.data());
        });
    const auto operation = std::make_unique<Operation>();
    if (status == kSuccess)
      status = call<Status(void*, void*, void*, void*, void*)>("dnnl_matmul_desc_init")(
          operation.get(), descriptors_[0], descriptors_[1], nullptr, descriptors_[2]);
    Handle description = nullptr;
    if (status == kSuccess)
      status = call<Status(Handle*, const void*, Handle, Handle, Handle)>(
          "dnnl_primitive_desc_create")(&description, operation.get(), nullptr, engine_, nullptr);
    if (status != kSuccess) return std::unexpected(refusal(status, product));
    return description;
  }

  std::expected<Handle, Unsupported> describe_v3(const Product& product) {
    using Create = Status(Handle*, int, const std::int64_t*, int, const std::int64_t*);
    auto* create = call<Create>("dnnl_memory_desc_create_with_strides");
    Status status =
        describe_operands(product, [&](int i, const Dims& dims, int type, const Dims& strides) {
          return create(&descriptors_[i], 2, dims.data(), type, strides.data());
        });
    Handle description = nullptr;
    if (status == kSuccess)
      status = call<Status(Handle*, Handle, Handle, Handle, Handle, Handle, Handle)>(
          "dnnl_matmul_primitive_desc_create")(&description, engine_, descriptors_[0],
                                               descriptors_[1], nullptr, descriptors_[2], nullptr);
    if (status != kSuccess) return std::unexpected(refusal(status, product));
    return description;
  }

  Handle memory(int i, const Matrix& matrix) const {
    Handle handle = nullptr;
    require(call<Status(Handle*, const void*, Handle, void*)>("dnnl_memory_create")(
                &handle, descriptors_[i], engine_, const_cast<void*>(matrix.data())),
            "dnnl_memory_create");
    return handle;
  }

  // oneDNN's objects are not destroyed: they serve until the process ends.
  SharedObject object_;
  const Version* version_;
  Handle engine_ = nullptr, stream_ = nullptr;
  std::array<Handle, 3> descriptors_{};
  std::array<Descriptor, 3> storage_;  // v2's descriptors
  std::string implementation_;
};

}  // namespace

std::unique_ptr<Library> make_onednn(const SharedObject& object) {
  if (object.find<void()>("dnnl_version") == nullptr) return nullptr;
  return std::make_unique<OneDnn>(object);
}

}  // namespace stackx::kernels
