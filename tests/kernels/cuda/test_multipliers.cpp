// cuBLAS, cuBLASLt and our kernels on a device that is this process: memory is the host's, events
// read the clock of the fake library, a launch runs the kernel's text by emulation.
#include "kernels/cuda/products/multiplier.hpp"
#include "kernels/cuda/products/own_kernel.hpp"
#include "tests/kernels/cuda/run_source.hpp"
#include "tests/kernels/run_pi.hpp"

namespace ours {
#define ARCH 900
#include "kernels/cuda/source/tensor.cu"
#include "kernels/cuda/source/tiled.cu"
#undef ARCH
}  // namespace ours

using namespace stackx::kernels;
using namespace stackx::kernels::cuda;
using Catch::Matchers::Contains;

namespace {

double* fake_clock = nullptr;  // milliseconds
int dynamic_shared = 0;        // what cuFuncSetAttribute allowed
std::string image;             // of the module loaded last

// ---- The runtime --------------------------------------------------------------------------------
int stream_object;

Cudart host_runtime() {
  Cudart api;
  api.version = 12090;
  api.cudaGetErrorName = [](int) { return "an error"; };
  api.cudaGetErrorString = [](int) { return "an error"; };
  api.cudaGetLastError = [] { return 0; };
  api.cudaFree = [](void* pointer) { return std::free(pointer), 0; };
  api.cudaMalloc = [](void** pointer, std::size_t bytes) {
    *pointer = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    return 0;
  };
  api.cudaStreamCreateWithFlags = [](void** stream, unsigned) {
    *stream = &stream_object;
    return 0;
  };
  api.cudaStreamDestroy = [](void*) { return 0; };
  api.cudaStreamSynchronize = [](void*) { return 0; };
  api.cudaMemcpyAsync = [](void* to, const void* from, std::size_t bytes, int, void*) {
    std::memcpy(to, from, bytes);
    return 0;
  };
  api.cudaEventCreateWithFlags = [](void** event, unsigned) {
    *event = new double(0);
    return 0;
  };
  api.cudaEventDestroy = [](void* event) {
    delete static_cast<double*>(event);
    return 0;
  };
  api.cudaEventRecord = [](void* event, void*) {
    *static_cast<double*>(event) = *fake_clock;
    return 0;
  };
  api.cudaEventElapsedTime = [](float* ms, void* begin, void* end) {
    *ms = static_cast<float>(*static_cast<double*>(end) - *static_cast<double*>(begin));
    return 0;
  };
  return api;
}

// ---- The driver: a module is the options and the text that the fake NVRTC was given --------------
bool has(const std::string& option) { return image.find(option + "\n") != std::string::npos; }

template <typename Product, typename Element, typename Result>
void emulate(unsigned blocks, unsigned threads, unsigned shared_bytes, void** arguments) {
  const auto a = *static_cast<const Element**>(arguments[0]);
  const auto b = *static_cast<const Element**>(arguments[1]);
  const auto c = *static_cast<Result**>(arguments[2]);
  const int m = *static_cast<int*>(arguments[3]), n = *static_cast<int*>(arguments[4]),
            k = *static_cast<int*>(arguments[5]);
  REQUIRE(threads == static_cast<unsigned>(Product::kThreads));
  REQUIRE(shared_bytes == static_cast<unsigned>(Product::kSharedBytes));
  emulation::launch(static_cast<int>(blocks), static_cast<int>(threads), shared_bytes, false,
                    [&] { Product::run(a, b, c, m, n, k); });
}

template <bool kAligned>
int launch_as(unsigned blocks, unsigned threads, unsigned shared_bytes, void** arguments) {
  if (image.find("struct TiledProduct") != std::string::npos)
    emulate<ours::TiledProduct<float, kAligned>, float, float>(blocks, threads, shared_bytes,
                                                               arguments);
  else if (has("-DELEMENT=tf32"))
    emulate<ours::TensorProduct<tf32, 64, 64, 32, 32, 4, kAligned>, tf32, float>(
        blocks, threads, shared_bytes, arguments);
  else if (has("-DSTAGES=2"))
    emulate<ours::TensorProduct<float16, 64, 64, 32, 32, 2, kAligned>, float16, float16>(
        blocks, threads, shared_bytes, arguments);
  else if (has("-DBLOCK_N=256"))
    emulate<ours::TensorProduct<float16, 128, 256, 64, 64, 3, kAligned>, float16, float16>(
        blocks, threads, shared_bytes, arguments);
  else
    emulate<ours::TensorProduct<float16, 64, 64, 32, 32, 4, kAligned>, float16, float16>(
        blocks, threads, shared_bytes, arguments);
  return 0;
}

Driver host_driver() {
  Driver api;
  api.version = 12090;
  api.cuModuleLoadDataEx = [](void** module, const void* text, unsigned, int*, void**) {
    image = static_cast<const char*>(text);
    *module = &image;
    return 0;
  };
  api.cuModuleGetFunction = [](void** function, void*, const char* name) {
    *function = &image;
    return std::string(name) == "matmul" ? 0 : 500;
  };
  api.cuFuncSetAttribute = [](void*, int attribute, int value) {
    if (attribute == 8) dynamic_shared = value;
    return 0;
  };
  api.cuFuncGetAttribute = [](int* value, int attribute, void*) {
    *value = attribute == 4 ? 226 : 0;
    return 0;
  };
  api.cuLaunchKernel = [](void*, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned,
                          unsigned, unsigned shared_bytes, void* stream, void** arguments, void**) {
    if (stream != &stream_object || y != 1 || z != 1 ||
        shared_bytes > static_cast<unsigned>(dynamic_shared))
      return 1;
    return has("-DALIGNED=1") ? launch_as<true>(x, threads, shared_bytes, arguments)
                              : launch_as<false>(x, threads, shared_bytes, arguments);
  };
  api.cuGetErrorName = [](int, const char** name) {
    *name = "an error";
    return 0;
  };
  api.cuGetErrorString = api.cuGetErrorName;
  return api;
}

DeviceInfo capability(int ten_times, int multiprocessors = 132) {
  DeviceInfo info;
  info.major = ten_times / 10, info.minor = ten_times % 10;
  info.multiprocessors = multiprocessors;
  return info;
}

// The fake library `variant`/lib`name`.so.
std::string gpu_fake(const std::string& variant, const std::string& name) {
  return std::string(STACKX_FAKES) + "/" + variant + "/lib" + name + ".so";
}

struct Outcome {
  std::string refused;
  Check check;
  LibraryInfo info;
};

struct Sizes {
  std::size_t m = 33, n = 48, k = 64;
};

// As the operation does it, by way of the same calls.
Outcome multiply(const std::string& library, Dtype dtype, DeviceInfo info = capability(90),
                 std::vector<std::string> words = {}, Sizes sizes = {}, std::optional<Element> result = {}) {
  const Device device(host_driver(), host_runtime(), info);
  const Stack stack(library, {});
  const Parameters parameters(
      {{"kernel", "tensor", ""}, {"search", "0", ""}, {"workspace_mib", "1", ""}}, words);
  double unused = 0;
  fake_clock = SharedObject(library).find<double>("fake_milliseconds");
  if (fake_clock == nullptr) fake_clock = &unused;
  auto multiplier = multiplier_for(library)(device, stack, parameters);
  if (!multiplier) return {multiplier.error(), {}, {}};

  const Elements types = elements(dtype);
  const Element written = result.value_or(types.c);
  Matrix a(sizes.m, sizes.k, types.a), b(sizes.k, sizes.n, types.b), c(sizes.m, sizes.n, written);
  a.fill_random(1);
  b.fill_random(2);
  Matrix transposed(sizes.n, sizes.k, types.b);
  const bool exchange = (*multiplier)->takes_transposed_b(dtype);
  if (exchange)
    for (std::size_t i = 0; i < sizes.k; ++i)
      for (std::size_t j = 0; j < sizes.n; ++j)
        static_cast<std::uint8_t*>(transposed.data())[j * sizes.k + i] =
            static_cast<const std::uint8_t*>(b.data())[i * sizes.n + j];
  auto call = (*multiplier)
                  ->prepare({.dtype = dtype, .m = sizes.m, .n = sizes.n, .k = sizes.k, .a = a.data(),
                             .b = exchange ? transposed.data() : b.data(), .c = c.data(), .result = result});
  if (!call) return {call.error(), {}, {}};
  c.poison();
  (*call)();
  const Unit unit = dtype == Dtype::float32 ? Unit::scalar : Unit::tensor_cores;
  return {"", check_product(a, b, c, tolerance_of(dtype, sizes.k, unit, written), 1),
          (*multiplier)->info()};
}

}  // namespace

TEST_CASE("cuBLAS: every dtype in every version that has it", "[multipliers]") {
  for (const char* variant : {"cuda10", "cuda11", "cuda12"}) {
    const bool old = std::string(variant) == "cuda10";
    for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::float16, Dtype::int8,
                              Dtype::bfloat16, Dtype::tf32}) {
      INFO(variant << " " << to_string(dtype));
      const Outcome outcome = multiply(gpu_fake(variant, "cublas"), dtype);
      if (old && (dtype == Dtype::bfloat16 || dtype == Dtype::tf32)) {
        CHECK_THAT(outcome.refused, Contains("needs cuBLAS 11.0.0, this is 10.2.2"));
        continue;
      }
      CHECK(outcome.refused.empty());
      CHECK(outcome.check.pass);
    }
  }
  CHECK(multiply(gpu_fake("cuda11", "cublas"), Dtype::float32).info.version == "11.11.3");
}

TEST_CASE("cuBLAS: what device or library cannot is refused", "[multipliers]") {
  const std::string cublas = gpu_fake("cuda12", "cublas");
  CHECK_THAT(multiply(cublas, Dtype::tf32, capability(75)).refused,
             Contains("tf32 needs compute capability 8.0, the device has 7.5"));
  CHECK_THAT(multiply(cublas, Dtype::fp8).refused, Contains("cuBLASLt only"));
  CHECK_THAT(multiply(cublas, Dtype::int8, capability(90), {}, {5, 7, 6}).refused,
             Contains("NOT_SUPPORTED"));
}

TEST_CASE("cuBLASLt: dtypes and versions", "[multipliers]") {
  for (const char* variant : {"cuda10", "cuda12"})
    for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::float16}) {
      INFO(variant << " " << to_string(dtype));
      const Outcome outcome = multiply(gpu_fake(variant, "cublasLt"), dtype);
      CHECK(outcome.refused.empty());
      CHECK(outcome.check.pass);
    }
  const std::string lt = gpu_fake("cuda12", "cublasLt");
  for (const Dtype dtype : {Dtype::bfloat16, Dtype::tf32, Dtype::int8, Dtype::fp8}) {
    INFO(to_string(dtype));
    const Outcome outcome = multiply(lt, dtype, capability(90), {}, {32, 48, 64});
    CHECK(outcome.refused.empty());
    CHECK(outcome.check.pass);
  }
  CHECK_THAT(multiply(lt, Dtype::fp8, capability(80)).refused,
             Contains("compute capability 8.9, the device has 8.0"));
  CHECK_THAT(multiply(gpu_fake("cuda10", "cublasLt"), Dtype::fp8).refused,
             Contains("needs cuBLAS 11.8.0"));
  CHECK_THAT(multiply(lt, Dtype::fp8, capability(90), {}, {32, 48, 63}).refused,
             Contains("no algorithm"));
}

TEST_CASE("cuBLASLt: the search takes the fastest that runs", "[multipliers]") {
  const std::string lt = gpu_fake("cuda12", "cublasLt");
  CHECK_THAT(multiply(lt, Dtype::float32).info.core,
             Contains("algorithm 10,") && Contains("the heuristic's first"));
  CHECK_THAT(multiply(lt, Dtype::float32, capability(90), {"search=2"}).info.core,
             Contains("algorithm 10,") && Contains("the fastest of 2 (5.0000 ms"));
  const Outcome found = multiply(lt, Dtype::float32, capability(90), {"search=8"});
  CHECK(found.check.pass);
  CHECK_THAT(found.info.core, Contains("algorithm 30,") &&
                                  Contains("the fastest of 3 (1.0000 ms, the heuristic's first "
                                           "5.0000 ms)"));
}

TEST_CASE("cuBLAS and cuBLASLt: results of another type than usual", "[multipliers]") {
  const auto right = [](const char* variant, const char* name, Dtype dtype, Element result) {
    INFO(variant << " " << name << " " << to_string(dtype) << " written as " << to_string(result));
    const Outcome outcome = multiply(gpu_fake(variant, name), dtype, capability(90), {}, {32, 48, 64}, result);
    CHECK(outcome.refused == "");
    CHECK(outcome.check.pass);
  };
  for (const char* variant : {"cuda10", "cuda11", "cuda12"}) right(variant, "cublas", Dtype::float16, Element::float32);
  for (const char* variant : {"cuda11", "cuda12"}) right(variant, "cublas", Dtype::bfloat16, Element::bfloat16);
  right("cuda10", "cublasLt", Dtype::float16, Element::float32);
  for (const auto& [dtype, result] : {std::pair{Dtype::float16, Element::float32}, std::pair{Dtype::bfloat16, Element::bfloat16},
                                      std::pair{Dtype::fp8, Element::float16}, std::pair{Dtype::fp8, Element::float32}})
    right("cuda12", "cublasLt", dtype, result);
  const Outcome found = multiply(gpu_fake("cuda12", "cublasLt"), Dtype::bfloat16, capability(90), {"search=8"}, {}, Element::bfloat16);
  CHECK(found.check.pass);
  CHECK_THAT(found.info.core, Contains("the fastest of 3"));
}

TEST_CASE("our kernels write what dtype says", "[multipliers]") {
  const auto refused = [](Dtype dtype, Element result) {
    return multiply(gpu_fake("cuda12", "nvrtc"), dtype, capability(90), {}, {}, result).refused;
  };
  CHECK(refused(Dtype::bfloat16, Element::bfloat16) == "stackx-pi's own kernels write bfloat16 products as float32, not bfloat16");
  CHECK(refused(Dtype::float16, Element::float32) == "stackx-pi's own kernels write float16 products as float16, not float32");
  CHECK(refused(Dtype::float16, Element::float16) == "");
}

TEST_CASE("results that are cut off where they should be rounded fail the check", "[multipliers]") {
  const auto pass = [](const char* name, Dtype dtype, Element result, Sizes sizes) {
    const Outcome outcome = multiply(gpu_fake("cublas_cut", name), dtype, capability(90), {}, sizes, result);
    CHECK(outcome.refused == "");
    return outcome.check.pass;
  };
  for (const char* name : {"cublas", "cublasLt"})
    for (const Sizes sizes : {Sizes{32, 48, 64}, Sizes{20, 24, 1024}}) {
      INFO(name << " k=" << sizes.k);
      CHECK_FALSE(pass(name, Dtype::bfloat16, Element::bfloat16, sizes));
      CHECK_FALSE(pass(name, Dtype::float16, Element::float16, sizes));
      CHECK(pass(name, Dtype::bfloat16, Element::float32, sizes));  // nothing is cut there
      CHECK(pass(name, Dtype::float16, Element::float32, sizes));
    }
}

TEST_CASE("wrong cuBLAS builds fail the check", "[multipliers]") {
  const Sizes deep{20, 24, 1024};
  const auto pass = [&](const char* variant, Dtype dtype, Sizes sizes, std::optional<Element> result = {}) {
    const Outcome outcome = multiply(gpu_fake(variant, "cublas"), dtype, capability(90), {}, sizes, result);
    CHECK(outcome.refused.empty());
    return outcome.check.pass;
  };
  CHECK_FALSE(pass("cublas_half_sum", Dtype::float16, deep));
  CHECK_FALSE(pass("cublas_half_sum", Dtype::bfloat16, deep));
  CHECK_FALSE(pass("cublas_half_sum", Dtype::bfloat16, deep, Element::bfloat16));
  CHECK_FALSE(pass("cublas_tf32", Dtype::float32, deep));
  for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::int8})
    for (const char* variant :
         {"cublas_transposed", "cublas_beta", "cublas_stale", "cublas_short"}) {
      INFO(variant << " " << to_string(dtype));
      CHECK_FALSE(pass(variant, dtype, {64, 64, 64}));
      if (dtype == Dtype::float16) CHECK_FALSE(pass(variant, Dtype::bfloat16, {64, 64, 64}, Element::bfloat16));
    }
  CHECK(pass("cublas_tf32", Dtype::tf32, deep));  // right where it was asked for
}

TEST_CASE("our kernels by way of NVRTC and driver", "[multipliers]") {
  const std::string nvrtc = gpu_fake("cuda12", "nvrtc");
  const Sizes odd{70, 130, 33}, even{70, 136, 40};
  for (const Sizes sizes : {odd, even}) {
    for (const Dtype dtype : {Dtype::float16, Dtype::tf32}) {
      const Outcome outcome = multiply(nvrtc, dtype, capability(90), {}, sizes);
      CHECK(outcome.refused.empty());
      CHECK(outcome.check.pass);
      CHECK_THAT(outcome.info.core, Contains("64x64") && Contains("sm_90") &&
                                        Contains("226 registers"));
    }
    const Outcome tiled =
        multiply(nvrtc, Dtype::float32, capability(90), {"kernel=tiled"}, sizes);
    CHECK(tiled.check.pass);
    CHECK_THAT(tiled.info.core, Contains("tiled 128x128"));
  }
  // Few multiprocessors: the largest tile.
  const Outcome large = multiply(nvrtc, Dtype::float16, capability(90, 1), {}, even);
  CHECK(large.check.pass);
  CHECK_THAT(large.info.core, Contains("128x256"));
}

TEST_CASE("NVRTC: what it compiles for", "[multipliers]") {
  const auto core = [](const char* variant, int device) {
    return multiply(gpu_fake(variant, "nvrtc"), Dtype::float16, capability(device)).info.core;
  };
  // A device newer than NVRTC, or an NVRTC without cubins: PTX for the newest that it knows.
  CHECK_THAT(core("cuda12", 120), Contains("compute_90 (PTX)"));
  CHECK_THAT(core("cuda10", 75), Contains("compute_75 (PTX)"));
  CHECK(has("-DARCH=750"));
  CHECK_THAT(multiply(gpu_fake("cuda12", "nvrtc"), Dtype::float16, capability(61)).refused,
             Contains("NVRTC 12.9 compiles for compute capability 7.0 and later, the device has 6.1"));
  CHECK_THAT(multiply(gpu_fake("cuda12", "nvrtc"), Dtype::bfloat16, capability(75)).refused,
             Contains("bfloat16 on tensor cores needs compute capability 8.0"));
  CHECK_THAT(multiply(gpu_fake("cuda12", "nvrtc"), Dtype::float32).refused,
             Contains("kernel=tiled"));
  CHECK_THAT(multiply(gpu_fake("nvrtc_refuses", "nvrtc"), Dtype::float16).refused,
             Contains("does not compile") && Contains("no such thing"));
}

TEST_CASE("launches fit the kernels", "[multipliers]") {
  const auto check = [](auto product, Kernel kernel, Dtype dtype, Tile tile) {
    using Product = decltype(product);
    const Launch launch = launch_of(kernel, dtype, tile, 1000, 1000, 1000);
    CHECK(launch.threads == static_cast<unsigned>(Product::kThreads));
    CHECK(launch.shared_bytes == static_cast<unsigned>(Product::kSharedBytes));
    CHECK(launch.shared_bytes <= 99u << 10);  // what a block may have on 8.6, 8.9 and 12.0
    CHECK(launch.aligned);
  };
  using ours::TensorProduct;
  check(TensorProduct<float16, 128, 256, 64, 64, 3, true>(), Kernel::tensor, Dtype::float16,
        {128, 256, 64, 64, 3});
  check(TensorProduct<bfloat16, 128, 128, 64, 64, 3, true>(), Kernel::tensor, Dtype::bfloat16,
        {128, 128, 64, 64, 3});
  check(TensorProduct<tf32, 128, 256, 64, 64, 3, true>(), Kernel::tensor, Dtype::tf32,
        {128, 256, 64, 64, 3});
  check(TensorProduct<double, 128, 64, 32, 32, 3, true>(), Kernel::tensor, Dtype::float64,
        {128, 64, 32, 32, 3});
  check(ours::TiledProduct<float, true>(), Kernel::tiled, Dtype::float32, {128, 128, 0, 0, 2});
  check(ours::TiledProduct<double, true>(), Kernel::tiled, Dtype::float64, {128, 64, 0, 0, 2});
  CHECK(launch_of(Kernel::tensor, Dtype::float16, {128, 256, 64, 64, 3}, 1000, 1000, 8).blocks ==
        8 * 4);
  CHECK_FALSE(launch_of(Kernel::tensor, Dtype::float16, {128, 256, 64, 64, 3}, 8, 8, 12).aligned);
  CHECK_FALSE(launch_of(Kernel::tiled, Dtype::float32, {128, 128, 0, 0, 2}, 8, 6, 8).aligned);
}
