#include "kernels/onednn/engine.hpp"

#include <fmt/format.h>

#include "kernels/blas/runtimes.hpp"

namespace stackx::kernels::onednn {
namespace {

// From oneDNN's public headers (dnnl_types.h, dnnl_common_types.h).
enum : int { kBf16 = 2, kF32 = 3, kS32 = 4, kS8 = 5, kU8 = 6, kF64 = 7 };  // dnnl_data_type_t
enum : unsigned { kSequential = 1, kOpenMp = 2, kTbb = 4 };                // DNNL_RUNTIME_*
enum : int { kSuccess = 0 };                                               // dnnl_status_t
constexpr int kCpu = 1;                                                    // dnnl_engine_kind_t
constexpr unsigned kInOrder = 1;                   // dnnl_stream_flags_t, the default
constexpr int kAnyLayout = 1;                      // dnnl_format_tag_any
constexpr int kQueryImplementation = 8;            // dnnl_query_impl_info_str
constexpr int kQueryArgument = 255;                // dnnl_query_exec_arg_md
constexpr int kLinearV2 = 0x7f, kLinearV3 = 0x26;  // dnnl_eltwise_linear

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
    default:
      return kS32;
  }
}

const char* status_name(Status status) {
  constexpr const char* kNames[] = {"success",       "out_of_memory",     "invalid_arguments",
                                    "unimplemented", "last_impl_reached", "runtime_error",
                                    "not_required"};
  return status >= 0 && status < 7 ? kNames[status] : "unknown status";
}

}  // namespace

bool Engine::recognises(const SharedObject& object) {
  return object.find<void()>("dnnl_version") != nullptr;
}

Engine::Engine(const SharedObject& object)
    : object_(object), version_(object_.require<const Version*()>("dnnl_version")()) {}

std::string Engine::name() const {
  return fmt::format("oneDNN {}.{}.{}", version_->major, version_->minor, version_->patch);
}

LibraryInfo Engine::info() const {
  LibraryInfo info;
  info.kind = "onednn";
  info.version = fmt::format("{}.{}.{}", version_->major, version_->minor, version_->patch);
  info.config = fmt::format("{} (commit {})", name(), version_->hash);
  if (auto* isa = object_.find<int()>("dnnl_get_effective_cpu_isa"))
    info.config += fmt::format(", dnnl_cpu_isa {:#x}", isa());
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

std::expected<int, Unsupported> Engine::use_threads(int threads) {
  int used = 0;
  if (version_->cpu_runtime == kSequential) used = 1;
  if (version_->cpu_runtime == kOpenMp) used = use_openmp_threads(object_, threads);
  if (version_->cpu_runtime == kTbb) used = use_tbb_threads(object_, threads);
  if (used != 0) return used;
  return std::unexpected(
      fmt::format("no control over the threads of oneDNN's CPU runtime {}", version_->cpu_runtime));
}

void Engine::start() {
  require(call<Status(Handle*, int, std::size_t)>("dnnl_engine_create")(&engine_, kCpu, 0),
          "dnnl_engine_create");
  require(
      call<Status(Handle*, Handle, unsigned)>("dnnl_stream_create")(&stream_, engine_, kInOrder),
      "dnnl_stream_create");
  execute_ = call<Status(Handle, Handle, int, const Argument*)>("dnnl_primitive_execute");
  wait_ = call<Status(Handle)>("dnnl_stream_wait");
}

Handle Engine::plain(Element element, const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strided(element, dims, strides);
}

Handle Engine::strided(Element element, const Dims& dims, const Dims& strides) {
  const int count = static_cast<int>(dims.size()), type = data_type(element);
  Handle descriptor = is_v2() ? &rooms_.emplace_back() : nullptr;
  const Status status =
      is_v2() ? call<Status(void*, int, const std::int64_t*, int, const std::int64_t*)>(
                    "dnnl_memory_desc_init_by_strides")(descriptor, count, dims.data(), type,
                                                        strides.data())
              : call<Status(Handle*, int, const std::int64_t*, int, const std::int64_t*)>(
                    "dnnl_memory_desc_create_with_strides")(&descriptor, count, dims.data(), type,
                                                            strides.data());
  if (pending_ == kSuccess) pending_ = status;
  return descriptor;
}

Handle Engine::any(Element element, const Dims& dims) {
  const int count = static_cast<int>(dims.size()), type = data_type(element);
  Handle descriptor = is_v2() ? &rooms_.emplace_back() : nullptr;
  const Status status =
      is_v2()
          ? call<Status(void*, int, const std::int64_t*, int, int)>("dnnl_memory_desc_init_by_tag")(
                descriptor, count, dims.data(), type, kAnyLayout)
          : call<Status(Handle*, int, const std::int64_t*, int, int)>(
                "dnnl_memory_desc_create_with_tag")(&descriptor, count, dims.data(), type,
                                                    kAnyLayout);
  if (pending_ == kSuccess) pending_ = status;
  return descriptor;
}

std::size_t Engine::bytes(Handle descriptor) const {
  return call<std::size_t(const void*)>("dnnl_memory_desc_get_size")(descriptor);
}

Handle Engine::wanted(const Primitive& primitive, int argument) const {
  return const_cast<Handle>(call<const void*(Handle, int, int)>("dnnl_primitive_desc_query_md")(
      primitive.description, kQueryArgument, argument));
}

Handle Engine::memory(Handle descriptor, const void* data) const {
  Handle handle = nullptr;
  require(call<Status(Handle*, const void*, Handle, void*)>("dnnl_memory_create")(
              &handle, descriptor, engine_, const_cast<void*>(data)),
          "dnnl_memory_create");
  return handle;
}

Handle Engine::scaled_by(float factor) const {
  Handle attributes = nullptr, operations = nullptr;
  require(call<Status(Handle*)>("dnnl_primitive_attr_create")(&attributes),
          "dnnl_primitive_attr_create");
  require(call<Status(Handle*)>("dnnl_post_ops_create")(&operations), "dnnl_post_ops_create");
  constexpr const char* kAppend = "dnnl_post_ops_append_eltwise";
  require(is_v2()
              ? call<Status(Handle, float, int, float, float)>(kAppend)(operations, 1, kLinearV2,
                                                                        factor, 0)
              : call<Status(Handle, int, float, float)>(kAppend)(operations, kLinearV3, factor, 0),
          kAppend);
  require(call<Status(Handle, Handle)>("dnnl_primitive_attr_set_post_ops")(attributes, operations),
          "dnnl_primitive_attr_set_post_ops");
  return attributes;
}

Status Engine::describe_v2(Handle* description, const void* operation, Handle attributes) const {
  return call<Status(Handle*, const void*, Handle, Handle, Handle)>("dnnl_primitive_desc_create")(
      description, operation, attributes, engine_, nullptr);
}

PrimitiveOr Engine::finish(const std::string& what, Handle description) {
  if (const Status status = std::exchange(pending_, kSuccess); status != kSuccess)
    return std::unexpected(
        fmt::format("{} has no {} on this CPU ({})", name(), what, status_name(status)));
  Primitive primitive{description, nullptr, ""};
  require(call<Status(Handle*, Handle)>("dnnl_primitive_create")(&primitive.handle, description),
          "dnnl_primitive_create");
  const char* implementation = nullptr;
  call<Status(Handle, int, int, void*)>("dnnl_primitive_desc_query")(
      description, kQueryImplementation, 0, &implementation);
  if (implementation != nullptr) primitive.implementation = implementation;
  return primitive;
}

void Engine::reorder(Handle from_descriptor, Handle from, Handle to_descriptor, Handle to) {
  Handle description = nullptr, primitive = nullptr;
  require(call<Status(Handle*, const void*, Handle, const void*, Handle, Handle)>(
              "dnnl_reorder_primitive_desc_create")(&description, from_descriptor, engine_,
                                                    to_descriptor, engine_, nullptr),
          "dnnl_reorder_primitive_desc_create");
  require(call<Status(Handle*, Handle)>("dnnl_primitive_create")(&primitive, description),
          "dnnl_primitive_create");
  execute({{description, primitive, ""}, {{kSource, from}, {kDestination, to}}});
  wait();
}

void Engine::execute(const Step& step) const {
  const Status status = execute_(step.primitive.handle, stream_,
                                 static_cast<int>(step.arguments.size()), step.arguments.data());
  if (status != kSuccess) require(status, "dnnl_primitive_execute");
}

void Engine::wait() const {
  if (const Status status = wait_(stream_); status != kSuccess) require(status, "dnnl_stream_wait");
}

void Engine::require(Status status, const char* function) const {
  if (status != kSuccess)
    throw LoadError(
        fmt::format("{}: {} failed: {}", object_.path(), function, status_name(status)));
}

Tensor::Tensor(Engine& engine, Handle descriptor, Element element)
    : descriptor_(descriptor),
      elements_(1, engine.bytes(descriptor) / size_of(element), element),
      memory_(engine.memory(descriptor, elements_.data())) {}

}  // namespace stackx::kernels::onednn
