// oneDNN 2.x and 3.x: what all primitives share. Which primitive computes what is in onednn_matmul,
// onednn_convolution, onednn_rnn, onednn_normalization.
//
// The two C interfaces differ and no header of either is used: the functions are looked up by name,
// and what they take is declared here (from oneapi/dnnl/dnnl.h and dnnl_types.h).
//   v2: memory and operation descriptors are structs that the caller provides, the library fills in
//   and that are only ever passed by address. Their layout changes between minor versions, so they
//   are given room that exceeds all of them and are never looked into. A primitive's description is
//   made in two steps: dnnl_<name>_desc_init, dnnl_primitive_desc_create.
//   v3: descriptors are opaque pointers that the library creates, and a primitive's description is
//   made in one step: dnnl_<name>_primitive_desc_create.
// Layouts are described by strides, never by tags, whose numbers change between versions; the one
// exception is "any" (1 in all), by which the library chooses the layout.
//
// Threads follow the runtime that oneDNN was built for (dnnl_version()->cpu_runtime): OpenMP or
// oneTBB. What a version or this CPU cannot do is known when the primitive is created, and is
// Unsupported with oneDNN's status: float64 on all versions so far, bfloat16 without AVX-512.
//
// oneDNN's objects are not destroyed: they serve until the process ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/blas/library.hpp"

namespace stackx::kernels::onednn {

using Handle = void*;  // dnnl_engine_t, dnnl_memory_desc_t (v3; in v2 the struct's address), ...
using Status = int;    // dnnl_status_t
using Dims = std::vector<std::int64_t>;

// DNNL_ARG_*; the same in v2 and v3.
enum ArgumentIndex : int {
  kSource = 1,
  kSourceIter = 2,
  kAddend = 2,  // DNNL_ARG_SRC_1
  kSourceIterC = 3,
  kDestination = 17,
  kDestinationIter = 18,
  kDestinationIterC = 19,
  kWeights = 33,
  kWeightsIter = 34,
  kBias = 41,
  kScale = 51,
  kShift = 52
};
inline constexpr int kForwardInference = 96;  // dnnl_prop_kind_t

struct Argument {  // dnnl_exec_arg_t
  int index;
  Handle memory;
};

struct Primitive {
  Handle description = nullptr, handle = nullptr;
  std::string implementation;  // "brgemm:avx512_core_amx_bf16"
};
using PrimitiveOr = std::expected<Primitive, Unsupported>;

struct Step {  // one primitive of a call
  Primitive primitive;
  std::vector<Argument> arguments;
};

class Engine {
 public:
  static bool recognises(const SharedObject& object);
  explicit Engine(const SharedObject& object);  // throws LoadError

  LibraryInfo info() const;  // core: empty
  std::expected<int, Unsupported> use_threads(int threads);
  bool is_v2() const { return version_->major < 3; }
  std::string name() const;  // "oneDNN 3.2.0"
  void start();              // once, after use_threads(): the engine and its stream

  // Memory descriptors. What the library refuses (a type it lacks) makes the next create() refuse.
  Handle plain(Element element, const Dims& dims);  // row-major
  Handle strided(Element element, const Dims& dims, const Dims& strides);
  Handle any(Element element, const Dims& dims);
  std::size_t bytes(Handle descriptor) const;
  Handle wanted(const Primitive& primitive, int argument) const;  // the layout chosen for "any"
  Handle memory(Handle descriptor, const void* data) const;

  // The result multiplied by a number, as a post-operation of a primitive.
  Handle scaled_by(float factor) const;

  // `what` names it in refusals: "bfloat16 lstm". The arguments' types must be exactly those of the
  // C function, between the descriptor (v2) or engine (v3) in front and the attributes at the end.
  template <typename... Arguments>
  PrimitiveOr create_v2(const std::string& what, const char* init, Handle attributes,
                        Arguments... arguments) {
    const auto operation = std::make_unique<Room<1 << 15>>();
    return create_v2_from(
        what, attributes,
        [&] { return call<Status(void*, Arguments...)>(init)(operation.get(), arguments...); },
        operation.get());
  }
  template <typename... Arguments>
  PrimitiveOr create_v3(const std::string& what, const char* create, Handle attributes,
                        Arguments... arguments) {
    return create_from(what, [&](Handle* description) {
      return call<Status(Handle*, Handle, Arguments..., Handle)>(create)(description, engine_,
                                                                         arguments..., attributes);
    });
  }

  // Copies with a change of layout; complete when it returns.
  void reorder(Handle from_descriptor, Handle from, Handle to_descriptor, Handle to);
  void execute(const Step& step) const;
  void wait() const;

 private:
  struct Version {  // dnnl_version_t; later versions append
    int major, minor, patch;
    const char* hash;
    unsigned cpu_runtime, gpu_runtime;
  };
  // v2.6 needs 688 bytes for a memory descriptor and 15 KiB for an LSTM.
  template <std::size_t size>
  struct alignas(64) Room {
    std::byte bytes[size];
  };

  template <typename Function>
  Function* call(const char* name) const {
    return object_.require<Function>(name);
  }
  template <typename Create>
  PrimitiveOr create_from(const std::string& what, Create create) {
    Handle description = nullptr;
    if (pending_ == 0) pending_ = create(&description);
    return finish(what, description);
  }
  template <typename Init>
  PrimitiveOr create_v2_from(const std::string& what, Handle attributes, Init init,
                             const void* operation) {
    return create_from(what, [&](Handle* description) {
      const Status status = init();
      return status != 0 ? status : describe_v2(description, operation, attributes);
    });
  }
  Status describe_v2(Handle* description, const void* operation, Handle attributes) const;
  PrimitiveOr finish(const std::string& what, Handle description);
  void require(Status status, const char* function) const;

  SharedObject object_;
  const Version* version_;
  Handle engine_ = nullptr, stream_ = nullptr;
  Status pending_ = 0;               // of the descriptors made since the last create()
  std::deque<Room<1 << 12>> rooms_;  // v2's memory descriptors
  Status (*execute_)(Handle, Handle, int, const Argument*) = nullptr;
  Status (*wait_)(Handle) = nullptr;
};

// Memory in a layout that may be the library's own.
class Tensor {
 public:
  Tensor(Engine& engine, Handle descriptor, Element element);
  Handle descriptor() const { return descriptor_; }
  Handle memory() const { return memory_; }
  Matrix& elements() { return elements_; }  // one row, padding of the layout included

 private:
  Handle descriptor_;
  Matrix elements_;
  Handle memory_;
};

}  // namespace stackx::kernels::onednn
