#include <catch2/catch.hpp>

#include "advisor/recipes/install_line.hpp"
#include "advisor/recipes/recipe.hpp"
#include "specs/format/json.hpp"
#include "specs/hardware/accelerator.hpp"
#include "tests/advisor/recipes/answers.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx;
using namespace stackx::advisor;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

const specs::Workload pinned_matmul{"matmul", {{"m", "64"}}};

std::string of_pinned(const char* format, const Pinned& pinned, const specs::Accelerator* gpu = nullptr,
                      const specs::Workload& workload = pinned_matmul, const specs::Stack& stack = {},
                      const specs::Catalog& catalog = {}) {
  Recipe recipe{stack, workload, catalog, "there", gpu, {"evidence: none, a test"}};
  recipe.pinned = &pinned;
  return write_recipe(*recipe_format_from(format), recipe);
}

const Pinned& answer(const char* name) { return pinned_answers().at(name).pinned; }

}  // namespace

TEST_CASE("install line: what a shell takes as it is", "[recipe]") {
  CHECK(install_line(answer("torch")) == "pip install torch==2.15.0");
  CHECK(install_line(answer("torch-cu126")) ==
        "pip install torch==2.14.1+cu126 --extra-index-url https://download.pytorch.org/whl/cu126");
  CHECK(install_line(answer("jax-cuda12")) == "pip install \"jax[cuda12]==0.6.2\" nvidia-cudnn-cu12==9.10.2.21");
  CHECK(install_line(answer("torch-cpu")) ==
        "pip install torch==2.15.0+cpu --extra-index-url https://download.pytorch.org/whl/cpu");
  // Requirements as users wrote them.
  CHECK(install_line({"torch==2.8.0+cu126", "numpy<2"}) ==
        "pip install torch==2.8.0+cu126 \"numpy<2\" --extra-index-url https://download.pytorch.org/whl/cu126");
  CHECK(install_line(std::vector<std::string>{"torch==1.8.2+cu102"}) == "pip install torch==1.8.2+cu102 --extra-index-url https://download.pytorch.org/whl/lts/1.8/cu102");
  CHECK(install_line(std::vector<std::string>{"jax[cuda11-pip]==0.4.24"}) ==
        "pip install \"jax[cuda11-pip]==0.4.24\" -f https://storage.googleapis.com/jax-releases/jax_cuda_releases.html");
  CHECK(install_line({"app; extra == \"$(x)\"", "own==1.0+cu126", "torch==2.0.0+mine"}) ==
        "pip install 'app; extra == \"$(x)\"' own==1.0+cu126 torch==2.0.0+mine");
}

TEST_CASE("recipe of packages: requirements to the letter", "[recipe]") {
  const auto text = of_pinned("requirements", answer("torch-cu118"));
  const auto id = specs::Stack{{{"numpy", "2.2.6"}, {"python", "3.11"}, {"torch", "2.7.1+cu118"}}}.id();
  CHECK(text == "# requirements of pip: matmul:m=64 on there\n"
                "# stack " + id + "\n"
                "#   numpy 2.2.6\n"
                "#   python 3.11\n"
                "#   torch 2.7.1+cu118\n"
                "# evidence: none, a test\n"
                "# needs Python 3.11, the NVIDIA driver >=450.80.02, glibc 2.28 or newer\n"
                "# pip install -r THIS\n"
                "# uv pip install --index-strategy unsafe-best-match -r THIS\n"
                "# What these require besides is not pinned: pip takes the newest that fits.\n"
                "--extra-index-url https://download.pytorch.org/whl/cu118\n"
                "numpy==2.2.6\n"
                "torch==2.7.1+cu118\n");
}

TEST_CASE("recipe of packages: what no version is known of is written as it was asked for", "[recipe]") {
  Pinned pinned{"3.12", {"3.12"}, ">=525.60.13", "", {{"torch", "2.5.1"}, {"transformers", "", {"torch"}, true, ">=4.36,<5"}, {"numpy", ""}}};
  CHECK_THAT(of_pinned("requirements", pinned), Contains("\nnumpy\ntorch==2.5.1\ntransformers[torch]>=4.36,<5\n") && Contains("#   transformers[torch] >=4.36,<5\n"));
  CHECK_THAT(of_pinned("pipfile", pinned), Contains("\nnumpy = \"*\"\n") && Contains("transformers = {version = \">=4.36,<5\", extras = [\"torch\"]}\n"));
  CHECK_THAT(of_pinned("uv", pinned), Contains("  \"numpy\",\n") && Contains("  \"transformers[torch]>=4.36,<5\",\n"));
  CHECK_THAT(of_pinned("conda", pinned), Contains("      - \"transformers[torch]>=4.36,<5\"\n"));
  CHECK_THAT(of_pinned("containerfile", pinned), Contains("\"transformers[torch]>=4.36,<5\""));
  CHECK_THAT(of_pinned("sbatch", pinned), Contains("\ntransformers[torch]>=4.36,<5\n"));
  pinned.packages.back().range = "<2\n-r /etc/passwd";
  CHECK_THAT(message_of([&] { of_pinned("requirements", pinned); }), Contains("is no range of versions"));
}

TEST_CASE("recipe of packages: projects of pipenv, uv and conda name the index for torch alone", "[recipe]") {
  CHECK_THAT(of_pinned("pipfile", answer("torch-cu118")),
             Contains("\nnumpy = \"==2.2.6\"\n") &&
                 Contains("\ntorch = {version = \"==2.7.1+cu118\", index = \"pytorch-cu118\"}\n") &&
                 Contains("[[source]]\nname = \"pypi\"\n"));
  CHECK_THAT(of_pinned("uv", answer("torch-cu118")),
             Contains("\nexplicit = true\n") && Contains("\"torch\" = { index = \"pytorch-cu118\" }") &&
                 Contains("requires-python = \"==3.11.*\"") && !Contains("\"numpy\" = {"));
  CHECK_THAT(of_pinned("conda", answer("torch-cu118")),
             Contains("  - \"python=3.11\"\n") && Contains("      - \"torch==2.7.1+cu118\"\n"));
  CHECK_THAT(of_pinned("uv", answer("torch")), !Contains("index"));
  CHECK_THAT(message_of([] { of_pinned("pylock", answer("torch")); }), Contains("uv pip compile"));
}

TEST_CASE("recipe of packages: what runs, and on what", "[recipe]") {
  specs::Accelerator v100;
  v100.name = "v100-sxm2-16gb";
  const auto torch = of_pinned("docker", answer("torch-cu126"), &v100);
  CHECK_THAT(torch, Contains("--gpus all") && Contains("docker.io/library/python:3.12-slim-bookworm") &&
                        Contains("torch==2.14.1+cu126 numpy") && Contains(" matmul device=gpu m=64'"));
  CHECK_THAT(of_pinned("docker", answer("torch-cpu")), !Contains("--gpus") && !Contains("device=gpu"));
  // A CPU answer on a machine that has a GPU asks for none.
  CHECK_THAT(of_pinned("pod", answer("numpy"), &v100), !Contains("nvidia.com"));
  CHECK_THAT(of_pinned("sbatch", answer("numpy"), &v100), !Contains("--gres"));
  // Where there is no PI, nothing of stackx is needed.
  for (const char* format : {"containerfile", "docker", "sbatch"})
    CHECK_THAT(of_pinned(format, answer("vllm"), &v100),
               Contains("import vllm") && !Contains("STACKX_PI") && !Contains("COPY"));
  CHECK_THAT(of_pinned("containerfile", answer("scipy-openblas64")), Contains("version('scipy-openblas64')") ||
                                                                        Contains("('scipy-openblas64', )"));
  Pinned newer = answer("torch");
  newer.glibc = "2.38";
  CHECK_THAT(of_pinned("containerfile", newer), Contains("python:3.12-slim-trixie\n"));
  newer.python = "3.6";
  CHECK_THAT(message_of([&] { of_pinned("containerfile", newer); }),
             Contains("no image of Python 3.6 with glibc 2.38"));
  newer.glibc = "2.17";
  CHECK_THAT(of_pinned("containerfile", newer), Contains("python:3.6-slim-bullseye\n"));
}

// Python's own image holds no CUDA: TensorFlow before 2.14 would compute on the processor there.
TEST_CASE("recipe of packages: what they load from the system is in the container, and said elsewhere", "[recipe]") {
  const Pinned tensorflow{"3.10", {"3.10", "3.9"}, ">=450.80.02", "2.17", {{"tensorflow", "2.10.0"}}, {{"tensorflow", {{"cuda", "11.2"}, {"cudnn", "8.1"}}}}};
  for (const char* format : {"docker", "containerfile"})
    CHECK_THAT(of_pinned(format, tensorflow), Contains("docker.io/nvidia/cuda:11.2.2-cudnn8-runtime-ubuntu20.04") &&
                                                  Contains("\n#   python 3.9\n") && Contains("since no image of NVIDIA with CUDA 11.2 has 3.10") &&
                                                  Contains("tensorflow==2.10.0") && Contains("python3.9"));
  CHECK_THAT(of_pinned("requirements", tensorflow), Contains("# needs Python 3.10 (3.9 will do), the NVIDIA driver >=450.80.02, CUDA 11.2, cuDNN 8.1, glibc"));
  auto strange = tensorflow;
  strange.system["tensorflow"]["cuda"] = "7.5";
  CHECK_THAT(message_of([&] { of_pinned("docker", strange); }), Contains("no image of NVIDIA with CUDA 7.5, cuDNN 8.1 and Python 3.10 is known"));
}

TEST_CASE("recipe of packages: vLLM's build for ROCm, and what is pinned with it, on its own index or in its own image", "[recipe]") {
  Pinned vllm{"3.12", {"3.12"}, "", "2.39", {{"vllm", "0.31.0+rocm723"}, {"torch", "2.13.0+git733fca1", {}, false}}, {{"vllm", {{"rocm", "7.2.3"}}}}};
  vllm.packages.back().implied = true;
  const std::string index = "https://wheels.vllm.ai/rocm/0.31.0/rocm723";
  CHECK(install_line(vllm) == "pip install vllm==0.31.0+rocm723 --extra-index-url " + index);
  CHECK_THAT(of_pinned("requirements", vllm), Contains("# needs Python 3.12, ROCm 7.2.3, glibc 2.39 or newer") &&
                                                  Contains("--extra-index-url " + index + "\ntorch==2.13.0+git733fca1\nvllm=="));
  CHECK_THAT(of_pinned("uv", vllm), Contains("name = \"vllm-rocm723\"\nurl = \"" + index + "\"\n\n[tool.uv.sources]") && Contains("index-strategy = \"unsafe-best-match\"") &&
                                        Contains("\"torch\" = { index = \"vllm-rocm723\" }\n\"vllm\" = { index = \"vllm-rocm723\" }"));
  CHECK_THAT(message_of([&] { of_pinned("pipfile", vllm); }), Contains(index + " require is there alone") && Contains("--format requirements or uv"));
  specs::Accelerator mi300x;
  mi300x.vendor = "amd";
  CHECK_THAT(of_pinned("docker", vllm, &mi300x), Contains("--device /dev/kfd") && Contains("docker.io/vllm/vllm-openai-rocm:v0.31.0") &&
                                                     !Contains("pip install") && !Contains("ROCm 7.2.3"));
  vllm.packages.push_back({"numba", "0.65.0"});
  CHECK_THAT(message_of([&] { of_pinned("docker", vllm, &mi300x); }), Contains("vLLM's image") && Contains("holds no numba") && Contains("ROCm 7.2.3"));
}

TEST_CASE("recipe of packages: JAX brings no ROCm, so its image does, with the GPU's devices", "[recipe]") {
  Pinned jax{"3.13", {"3.13", "3.12"}, "", "2.28", {{"jax", "0.12.0", {"rocm7-local"}}}, {{"jax-rocm7-plugin", {{"rocm", "7"}}}}};
  specs::Accelerator mi300x;
  mi300x.vendor = "amd";
  CHECK_THAT(of_pinned("requirements", jax, &mi300x), Contains("# needs Python 3.13 (3.12 will do), ROCm 7, glibc 2.28 or newer"));
  CHECK_THAT(of_pinned("docker", jax, &mi300x), Contains("--device /dev/kfd --device /dev/dri") && Contains("docker.io/rocm/dev-ubuntu-24.04:7") &&
                                                    Contains("LLVM_PATH=/opt/rocm/llvm") && Contains("jax[rocm7-local]==0.12.0") &&
                                                    Contains("\n#   python 3.12\n") && Contains("device=gpu") && !Contains("needs Python 3.12, ROCm"));
  CHECK_THAT(of_pinned("containerfile", jax, &mi300x), Contains("ENV LLVM_PATH=\"/opt/rocm/llvm\"") && Contains("python3.12"));
  CHECK_THAT(of_pinned("sbatch", jax, &mi300x), Contains("#SBATCH --gres=gpu:") && Contains("device=gpu"));
  jax.pythons = {"3.13"};
  CHECK_THAT(message_of([&] { of_pinned("docker", jax, &mi300x); }), Contains("no image with ROCm 7 and Python 3.13 is known"));
}

TEST_CASE("recipe of packages: for Intel's GPUs no image is known, and no PI of stackx's computes there", "[recipe]") {
  const Pinned torch{"3.12", {"3.12"}, "", "2.28", {{"torch", "2.14.1+xpu"}}, {{"torch", {{"Level Zero", "1"}}}}};
  specs::Accelerator arc;
  arc.vendor = "intel";
  CHECK_THAT(of_pinned("uv", torch, &arc), Contains("url = \"https://download.pytorch.org/whl/xpu\"") && Contains("Level Zero 1"));
  CHECK_THAT(of_pinned("sbatch", torch, &arc), Contains("torch.xpu.is_available()") && !Contains("STACKX_PI"));
  for (const char* format : {"docker", "containerfile", "pod"})
    CHECK_THAT(message_of([&] { of_pinned(format, torch, &arc); }), Contains("no image that holds the driver of Intel's GPUs"));
}

TEST_CASE("recipe of packages: settings of the stack stay, its packages do not", "[recipe]") {
  const auto catalog = specs::parse_catalog(specs::Node::parse_text(
      R"({"$schema": "stackx/catalog/1", "components": {
          "torch": {"kind": "package", "ecosystem": "pypi", "versions": {"2.3.0": {}}},
          "threads": {"kind": "setting", "versioning": "opaque", "versions":
                      {"1": {"environment": {"OMP_NUM_THREADS": 1}, "parameters": {"threads": 1}}}}}})",
      "catalog.json"));
  const specs::Stack stack{{{"threads", "1"}, {"torch", "2.3.0"}}};
  for (const auto& format : recipe_formats()) {
    if (format == "pylock") continue;
    CAPTURE(format);
    const auto text = of_pinned(format.c_str(), answer("numpy"), nullptr, pinned_matmul, stack, catalog);
    CHECK_THAT(text, Contains("OMP_NUM_THREADS") && Contains("threads 1") && !Contains("2.3.0"));
  }
}

TEST_CASE("recipe of packages: hostile names and versions are refused", "[recipe]") {
  const auto refused = [](const Pinned& pinned, const char* what) {
    for (const auto& format : recipe_formats())
      CHECK_THAT(message_of([&] { of_pinned(format.c_str(), pinned); }), Contains(what));
  };
  refused({"3.12", {}, "", "", {{"a b;c", "1.0"}}}, "of a Python package");
  refused({"3.12", {}, "", "", {{"a", "1'$(x)`"}}}, "of a Python package");
  refused({"3.12", {}, "", "", {{"a", "1.0", {"x]y"}}}}, "of a Python package");
  refused({"3.12", {}, "", "", {{"torch", "1.0+cu126\n--index-url x"}}}, "of a Python package");
}
