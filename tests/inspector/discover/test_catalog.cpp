#include <catch2/catch.hpp>

#include "inspector/discover/catalog.hpp"
#include "specs/catalog/catalog.hpp"
#include "tests/inspector/remarks.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using stackx::specs::Json;

namespace {

const Json shipped = Json::parse(R"({
  "gpu": {"kind": "hardware", "versioning": "opaque", "versions": {"h200-sxm-141gb": {
    "attributes": {"title": "H200 SXM 141GB", "aliases": ["H200 SXM"], "memory_gb": 141},
    "sources": [{"url": "https://x", "read": "2026-11-20"}]}}},
  "cublaslt-search": {"kind": "setting", "versioning": "opaque", "versions": {
    "off": {"parameters": {"search": 0}}, "16": {"parameters": {"search": 16}}}},
  "own-kernel": {"kind": "setting", "versioning": "opaque", "versions": {
    "tensor": {"parameters": {"kernel": "tensor"}}, "tiled": {"parameters": {"kernel": "tiled"}}}},
  "cpu": {"kind": "hardware", "versioning": "opaque", "versions": {}},
  "threads": {"kind": "setting", "versions": {"1": {"parameters": {"threads": 1}}, "2": {"requires": {"cpu.cores": ">=2"}}}},
  "openblas-coretype": {"kind": "setting", "versioning": "opaque", "versions": {"auto": {"reports": "*"},
    "Haswell": {"requires": {"cpu.isa": {"contains": ["avx2"]}}, "conflicts": {"scipy-openblas64": ">=0.3.27"},
                "environment": {"OPENBLAS_CORETYPE": "Haswell"}}}},
  "mkl-threading": {"kind": "setting", "versioning": "opaque", "versions": {
    "intel": {"environment": {"MKL_THREADING_LAYER": "INTEL"}},
    "sequential": {"environment": {"MKL_THREADING_LAYER": "SEQUENTIAL"}, "requires": {"threads": "==1"}}}},
  "mkl-interface": {"kind": "setting", "versioning": "opaque", "versions": {"lp64": {}}},
  "mkl-instructions": {"kind": "setting", "versioning": "opaque", "versions": {"auto": {}}}})");

PythonEnvironment environment(const std::string& name, const std::string& python,
                              const std::map<std::string, std::string>& packages) {
  PythonEnvironment result;
  result.name = name;
  result.interpreter = {"/envs/" + name + "/bin/python", python, "", "", "/usr", "/envs/" + name};
  for (const auto& [package, version] : packages) {
    result.distributions[package] = {package, version, "/envs/" + name + "/" + package};
    if (framework_of(package)) result.frameworks.push_back(package);
  }
  return result;
}

Json made(const Discovered& found, KeptRemarks& remarks) {
  const auto document = catalog_of(found, shipped, "2026-11-21", remarks.keep());
  // Every catalog is one that stackx reads.
  const auto catalog =
      stackx::specs::parse_catalog(stackx::specs::Node::parse_text(document.dump(), "made"));
  stackx::specs::check(catalog, "made");
  return document["components"];
}

Json made(const Discovered& found) {
  KeptRemarks remarks;
  return made(found, remarks);
}

}  // namespace

TEST_CASE("nothing found makes a catalog without components") { CHECK(made({}).empty()); }

TEST_CASE("environments hold their frameworks, frameworks name their environments") {
  Discovered found;
  found.interpreters = {{"/usr/bin/python3.11", "3.11.2", "", "", "/usr", ""}};
  found.environments = {
      environment("a", "3.11.2",
                  {{"numpy", "1.26.4"}, {"tensorflow-cpu", "2.15.1"}, {"requests", "2.0"}}),
      environment("b", "3.11.2", {{"numpy", "1.26.4"}, {"jax", "0.4.30"}, {"jaxlib", "0.4.30"}}),
      environment("c", "3.9.1", {{"torch", "2.1.0+cu118"}}), environment("empty", "3.11.2", {})};
  const auto components = made(found);
  const auto& environments = components["python-environment"]["versions"];
  CHECK(environments.size() == 3);
  CHECK(environments["a"]["requires"] ==
        Json{{"python", "==3.11.2"}, {"numpy", "==1.26.4"}, {"tensorflow-cpu", "==2.15.1"}});
  CHECK(environments["a"]["artifacts"][0] ==
        Json{{"type", "path"}, {"file", "/envs/a/bin/python"}, {"program", "/envs/a/bin/python"}});
  CHECK(environments["b"]["requires"]["jaxlib"] == "==0.4.30");
  CHECK(components["numpy"]["versions"]["1.26.4"]["requires"]["python-environment"] ==
        Json{{"any", {"==a", "==b"}}});
  CHECK(components["torch"]["versions"]["2.1.0+cu118"]["requires"]["python-environment"] == "==c");
  CHECK_FALSE(components.contains("requests"));
  CHECK(components["framework"]["versions"].size() == 4);
  CHECK(components["framework"]["versions"]["tensorflow-cpu"]["parameters"]["framework"] ==
        "tensorflow");
  CHECK(components["python"]["versions"]["3.11.2"]["artifacts"][0]["program"] ==
        "/usr/bin/python3.11");
  // Its base is not installed: the version exists with the environment alone.
  CHECK(components["python"]["versions"]["3.9.1"] ==
        Json{{"requires", {{"python-environment", "==c"}}}});
  CHECK(environments["a"]["source"] ==
        "found on this machine: /envs/a/bin/python (read 2026-11-21)");
  CHECK(components.contains("threads"));
  CHECK(components.contains("cpu"));
}

TEST_CASE("a library brings the settings that it takes") {
  Discovered found;
  BlasLibrary openblas{"local-openblas-pthreads",
                       "0.3.21+debian",
                       "0.3.21",
                       "0.3.21",
                       {"openblas", "0.3.21", "lp64", "pthreads", "Haswell"},
                       "/lib/ob/libopenblas.so.0",
                       {"auto"}};
  BlasLibrary netlib{"local-netlib",
                     "3.11.0+debian",
                     "3.11.0",
                     "",
                     {"netlib", "", "lp64", "", ""},
                     "/lib/libblas.so",
                     {}};
  BlasLibrary mkl{"local-mkl",
                  "2024.2.2+file.0",
                  "2024.2.2",
                  "2024.2",
                  {"mkl", "2024.2", "lp64", "sequential", ""},
                  "/home/libmkl_rt.so.2",
                  {"intel", "sequential"}};
  found.libraries = {openblas, netlib, mkl};
  const auto components = made(found);
  const auto entry = components["local-openblas-pthreads"]["versions"]["0.3.21+debian"];
  CHECK(entry["requires"] == Json{{"threads", "*"}, {"openblas-coretype", "==auto"}});
  CHECK(entry["provides"]["blas"] == "0.3.21");
  CHECK(entry["reports"] == "0.3.21");
  CHECK(entry["artifacts"][0] ==
        Json{{"type", "path"}, {"file", "/lib/ob"}, {"library", "/lib/ob/libopenblas.so.0"}});
  CHECK(components["local-netlib"]["versions"]["3.11.0+debian"]["requires"]["threads"] == "==1");
  CHECK_FALSE(components["local-netlib"]["versions"]["3.11.0+debian"].contains("reports"));
  // /home holds more than libraries: the file alone is shown.
  CHECK(components["local-mkl"]["versions"]["2024.2.2+file.0"]["artifacts"][0]["file"] ==
        "/home/libmkl_rt.so.2");
  // As in the catalog that comes with stackx, beside which it may stand.
  for (const char* setting : {"openblas-coretype", "mkl-threading", "threads"})
    CHECK(components[setting]["versions"] == shipped[setting]["versions"]);
}

TEST_CASE("libraries of CUDA require their toolkit; one version in two toolkits has two names") {
  Discovered found;
  const auto toolkit = [](const std::string& version) {
    return CudaToolkit{
        version,
        "/opt/cuda-" + version,
        "cuda.h",
        "",
        {{"cublas", version + ".5.6", version + ".5",
          "/opt/cuda-" + version + "/lib64/libcublas.so", "x"},
         {"cudnn", "8.9.7", "8.9.7", "/opt/cuda-" + version + "/lib64/libcudnn.so", "x"}}};
  };
  found.cuda.toolkits = {toolkit("11.8"), toolkit("12.2"), toolkit("12.2")};
  found.cuda.system = {{{"cudnn", "9.1.0", "9.1.0", "/usr/lib/libcudnn.so.9", "x"}, "12"},
                       {{"cudnn", "9.2.0", "9.2.0", "/usr/lib/libcudnn.so.9", "x"}, "13"}};
  KeptRemarks remarks;
  const auto components = made(found, remarks);
  CHECK(components["cuda"]["versions"].size() == 2);
  CHECK(components["cublas"]["versions"]["12.2.5.6"]["requires"]["cuda"] == "==12.2");
  CHECK(components["cublas"]["versions"]["12.2.5.6"]["reports"] == "12.2.5");
  CHECK(components["cudnn"]["versions"]["8.9.7"]["requires"]["cuda"] == "==11.8");
  CHECK(components["cudnn"]["versions"]["8.9.7+cuda12.2"]["requires"]["cuda"] == "==12.2");
  CHECK(components["cudnn"]["versions"]["9.1.0"]["requires"]["cuda"] == "==12.*");
  CHECK_FALSE(components["cudnn"]["versions"].contains("9.2.0"));
  CHECK(remarks.has(Remark::left_out, "CUDA 13, of which no toolkit"));
  CHECK(remarks.has(Remark::left_out, "cuda 12.2 is there already"));
}

TEST_CASE("what multiplies on a GPU provides gpu-matmul, with the settings that it takes, beside its own runtime") {
  Discovered found;
  const auto libraries = [](const std::string& place) {
    return std::vector<CudaLibrary>{{"cublas", "13.1.0.3", "13.1.0", place + "/libcublas.so", "x"},
                                    {"cublaslt", "13.1.0.3", "13.1.0", place + "/libcublasLt.so", "x"},
                                    {"cudart", "13.0.96", "13.0", place + "/libcudart.so", "x"},
                                    {"nvrtc", "13.0.88", "13.0", place + "/libnvrtc.so", "x"},
                                    {"nccl", "2.28.9", "2.28.9", place + "/libnccl.so", "x"}};
  };
  found.cuda.toolkits = {{"13.0", "/opt/cuda", "x", "", libraries("/opt/cuda/lib")},
                         {"13.0.96", "/site/nvidia", "x", "torch", libraries("/site/nvidia/cu13/lib")}};
  found.cuda.toolkits[1].libraries[3].copy = true;
  found.cuda.system = {{{"cudnn", "9.19.0", "9.19.0", "/usr/lib/libcudnn.so.9", "x"}, "13"}};
  const auto components = made(found);
  const auto path = [](const std::string& directory, const std::string& library) {
    return Json{{"type", "path"}, {"file", directory}, {"library", directory + "/" + library}};
  };
  const auto& cuda = components["cuda"]["versions"];
  CHECK(cuda["13.0"]["artifacts"] ==
        Json{path("/opt/cuda/lib", "libcudart.so"), {{"type", "path"}, {"file", "/opt/cuda"}}});
  CHECK(cuda["13.0"]["reports"] == "13.0");
  CHECK(cuda["13.0.96+torch"]["artifacts"] == Json{path("/site/nvidia/cu13/lib", "libcudart.so"),
                                                   path("/site/nvidia/cu13/lib", "libcublas.so"),
                                                   path("/site/nvidia/cu13/lib", "libnvrtc.so")});
  const auto& lt = components["cublaslt"]["versions"]["13.1.0.3+torch"];
  CHECK(lt["requires"] == Json{{"cuda", "==13.0.96+torch"}, {"cublaslt-search", "*"}});
  CHECK(lt["provides"] == Json{{"gpu-matmul", "13.1.0.3"}});
  CHECK(lt["reports"] == "13.1.0");
  CHECK(components["cublas"]["versions"]["13.1.0.3"]["requires"] == Json{{"cuda", "==13.0"}});
  CHECK(components["nvrtc"]["versions"]["13.0.88"]["requires"] == Json{{"cuda", "==13.0"}, {"own-kernel", "*"}});
  CHECK(components["nvrtc"]["versions"].size() == 1);  // the other is a copy
  CHECK(components["nccl"]["versions"]["2.28.9+torch"]["provides"] == Json{{"gpu-collectives", "2.28.9"}});
  CHECK_FALSE(components.contains("cudart"));  // cuda itself, as its library
  // Wheels bring their own cuDNN, and what it calls.
  CHECK(components["cudnn"]["versions"]["9.19.0"]["requires"] == Json{{"cuda", "==13.0"}});
  CHECK(components["cublaslt-search"]["versions"].size() == 2);
  CHECK(components["own-kernel"]["versions"].size() == 2);
}

TEST_CASE("a GPU has the name and the facts of the catalog that comes with stackx, where that knows it") {
  Discovered found;
  stackx::specs::Host host;
  host.gpus.push_back({"NVIDIA H200", "GPU-1", "", "9.0", std::uint64_t{140} << 30, {}});
  host.gpus.push_back({"NVIDIA Fake", "GPU-2", "", "9.9", std::uint64_t{1} << 30, {}});
  found.gpus = {{"NVIDIA H200", "h200-sxm-141gb", *host.gpu_entry(0)}, {"NVIDIA Fake", "", *host.gpu_entry(1)}};
  const auto components = made(found);
  const auto& gpus = components["gpu"]["versions"];
  CHECK(gpus["h200-sxm-141gb"]["attributes"] == Json{{"title", "H200 SXM 141GB"},
                                                     {"aliases", {"H200 SXM", "NVIDIA H200"}},
                                                     {"memory_gb", 141},
                                                     {"compute_capability", "9.0"},
                                                     {"memory_gib", "140"}});
  CHECK(gpus["nvidia-fake"]["attributes"]["aliases"] == Json{"NVIDIA Fake"});
}

TEST_CASE(
    "what a catalog cannot hold is left out: no PEP 440 version, no UTF-8, the same version "
    "again") {
  Discovered found;
  found.interpreters = {{"/a/python", "3.11.2", "", "", "/usr", ""},
                        {"/b/python", "3.11.2", "", "", "/usr", ""},
                        {"/c\xff/python", "3.12.0", "", "", "/usr", ""}};
  KeptRemarks remarks;
  const auto components = made(found, remarks);
  CHECK(components["python"]["versions"].size() == 1);
  CHECK(components["python"]["versions"]["3.11.2"]["artifacts"][0]["program"] == "/a/python");
  CHECK(remarks.has(Remark::left_out, "/b/python"));
  CHECK(remarks.has(Remark::left_out, "not UTF-8"));
}

TEST_CASE("the values that libraries are asked about are those of the shipped catalog") {
  const auto settings = settings_of(shipped);
  REQUIRE(settings.core_types.size() == 2);
  CHECK(settings.core_types[0].first == "Haswell");
  CHECK(settings.core_types[0].second == Environment{{"OPENBLAS_CORETYPE", "Haswell"}});
  CHECK(settings.core_types[1].second.empty());
  CHECK(settings.layers.size() == 2);
  CHECK(settings_of(Json::object()).layers.empty());
}
