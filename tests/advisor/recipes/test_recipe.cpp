#include <catch2/catch.hpp>

#include "advisor/recipes/cluster.hpp"
#include "advisor/recipes/container/container_steps.hpp"
#include "advisor/recipes/recipe.hpp"
#include "specs/format/json.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx;
using namespace stackx::advisor;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using specs::Json;

namespace {

const std::string sha(64, 'a'), other_sha(64, 'b');

Json wheel(const std::string& file, const std::string& hash) {
  return {{"type", "wheel"}, {"file", file}, {"sha256", hash}};
}

specs::Catalog catalog_of(const Json& components) {
  return specs::parse_catalog(specs::Node::parse_text(
      Json{{"$schema", "stackx/catalog/1"}, {"components", components}}.dump(), "catalog.json"));
}

Json cpu_components() {
  return {
      {"python", {{"kind", "runtime"}, {"versions", {{"3.11", Json::object()}}}}},
      {"threads",
       {{"kind", "setting"},
        {"versioning", "opaque"},
        {"versions",
         {{"1", {{"environment", {{"OMP_NUM_THREADS", 1}}}, {"parameters", {{"threads", 1}}}}}}}}},
      {"app",
       {{"kind", "package"},
        {"ecosystem", "pypi"},
        {"versions",
         {{"1.0",
           {{"artifacts",
             {wheel("app-1.0-py3-none-any.whl", sha),
              wheel("app-1.0-cp39-cp39-linux_x86_64.whl", other_sha)}}}}}}}}};
}
const specs::Stack cpu_stack{{{"app", "1.0"}, {"python", "3.11"}, {"threads", "1"}}};
const specs::Workload matmul{"matmul", {{"m", "64"}, {"dtype", "float32"}, {"suite", "train"}}};

Json gpu_components() {
  return {
      {"gpu",
       {{"kind", "hardware"},
        {"versioning", "opaque"},
        {"versions", {{"v100-sxm2-16gb", Json::object()}}}}},
      {"driver", {{"kind", "driver"}, {"versions", {{"418.67", Json::object()}}}}},
      {"python",
       {{"kind", "runtime"},
        {"versions",
         {{"3.6", Json::object()}, {"3.4", Json::object()}, {"3.11", Json::object()}}}}},
      {"cuda",
       {{"kind", "runtime"},
        {"versions",
         {{"10.0.130", {{"requires", {{"driver", ">=410.48"}}}}},
          {"11.8.0", Json::object()},
          {"10.1.163", Json::object()}}}}},
      {"cudnn",
       {{"kind", "package"}, {"versions", {{"7.6.5", Json::object()}, {"8.7.0", Json::object()}}}}},
      {"ngc",
       {{"kind", "image"},
        {"versioning", "opaque"},
        {"versions", {{"pytorch-19.05", Json::object()}}}}},
      {"tensorflow",
       {{"kind", "package"},
        {"ecosystem", "pypi"},
        {"versions", {{"1.14.0", Json::object()}, {"2.15.0", Json::object()}}}}},
      {"jax",
       {{"kind", "package"}, {"ecosystem", "pypi"}, {"versions", {{"0.4.30", Json::object()}}}}},
      {"torch",
       {{"kind", "package"},
        {"ecosystem", "pypi"},
        {"versions",
         {{"2.1.0",
           {{"artifacts", {wheel("torch-2.1.0-cp311-cp311-manylinux1_x86_64.whl", sha)}},
            {"attributes", {{"pypi_cuda", "12.1"}}}}}}}}}};
}
specs::Accelerator v100() {
  specs::Accelerator result;
  result.name = "v100-sxm2-16gb";
  result.title = "Tesla V100 SXM2 16GB";
  result.aliases = {"V100-SXM2", "Tesla V100-SXM2-16GB", "nvidia-tesla-v100"};
  return result;
}

std::string written(RecipeFormat format, const specs::Catalog& catalog, const specs::Stack& stack,
                    const specs::Accelerator* gpu = nullptr,
                    const specs::Workload& workload = matmul) {
  return write_recipe(
      format,
      {stack, workload, catalog, gpu ? "v100" : "host", gpu, {"evidence: measured, n=12 [1]"}});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

TEST_CASE("recipe: requirements of a CPU stack, to the letter", "[recipe]") {
  const auto catalog = catalog_of(cpu_components());
  CHECK(written(RecipeFormat::requirements, catalog, cpu_stack) ==
        "# requirements of pip: matmul:dtype=float32,m=64,suite=train on host\n"
        "# stack " +
            cpu_stack.id() +
            "\n"
            "#   app 1.0\n"
            "#   python 3.11\n"
            "#   threads 1\n"
            "# evidence: measured, n=12 [1]\n"
            "# needs Python 3.11\n"
            "# Left out, since the PI does not know it: suite.\n"
            "# pip install --require-hashes --no-deps -r THIS\n"
            "# settings of the stack, to be exported before it is run:\n"
            "#   export OMP_NUM_THREADS=1\n"
            "app==1.0 \\\n    --hash=sha256:" +
            sha + " \\\n    --hash=sha256:" + other_sha + "\n");
}

TEST_CASE("recipe: a package without files takes the hashes away", "[recipe]") {
  auto components = cpu_components();
  components["lib"] = {
      {"kind", "package"}, {"ecosystem", "pypi"}, {"versions", {{"2.0", Json::object()}}}};
  auto stack = cpu_stack;
  stack.components["lib"] = "2.0";
  const auto catalog = catalog_of(components);
  const auto text = written(RecipeFormat::requirements, catalog, stack);
  CHECK_THAT(text, Contains("the catalog lacks the files of lib") &&
                       Contains("\napp==1.0\n#   --hash=sha256:" + sha) &&
                       Contains("\nlib==2.0\n"));
  CHECK_THAT(text, !Contains("\\\n"));
  CHECK_THAT(message_of([&] { written(RecipeFormat::pylock, catalog, stack); }),
             Contains("lib 2.0") && Contains("--format requirements"));
}

TEST_CASE("recipe: pylock holds the files for the stack's Python", "[recipe]") {
  const auto text = written(RecipeFormat::pylock, catalog_of(cpu_components()), cpu_stack);
  CHECK_THAT(text, Contains("requires-python = \"==3.11.*\"") &&
                       Contains("wheels/app-1.0-py3-none-any.whl") && !Contains("cp39"));
}

TEST_CASE("recipe: which build of a framework a GPU stack means", "[recipe]") {
  const auto catalog = catalog_of(gpu_components());
  const auto gpu = v100();
  const auto requirements = [&](std::map<std::string, std::string> components) {
    components["gpu"] = gpu.name;
    return written(RecipeFormat::requirements, catalog, {components}, &gpu);
  };
  CHECK_THAT(requirements({{"torch", "2.1.0"}, {"cuda", "11.8.0"}, {"python", "3.11"}}),
             Contains("\n--extra-index-url https://download.pytorch.org/whl/cu118\ntorch==2.1.0+cu118\n") &&
                 Contains("wheel index of PyTorch for cu118") &&
                 Contains("the build for CUDA 12.1") && !Contains(sha));
  CHECK_THAT(requirements({{"tensorflow", "1.14.0"},
                           {"cuda", "10.0.130"},
                           {"python", "3.6"},
                           {"driver", "418.67"}}),
             Contains("\ntensorflow-gpu==1.14.0\n") &&
                 Contains("the NVIDIA driver 418.67 (>=410.48 will do), CUDA 10.0.130"));
  CHECK_THAT(requirements({{"tensorflow", "2.15.0"}, {"cuda", "11.8.0"}}),
             Contains("\ntensorflow[and-cuda]==2.15.0\n"));
  CHECK_THAT(requirements({{"jax", "0.4.30"}, {"cuda", "11.8.0"}}),
             Contains("\njax==0.4.30\n") && Contains("wheel index of JAX"));
  CHECK_THAT(message_of([&] {
               requirements({{"cuda", "11.8.0"}});
             }),
             Contains("holds no Python package") && Contains("--format containerfile"));
}

TEST_CASE("recipe: what is in NVIDIA's container is on no index", "[recipe]") {
  const auto catalog = catalog_of(gpu_components());
  const auto gpu = v100();
  const specs::Stack stack{
      {{"gpu", gpu.name}, {"ngc", "pytorch-19.05"}, {"cuda", "10.1.163"}, {"torch", "2.1.0"}}};
  for (const auto format :
       {RecipeFormat::requirements, RecipeFormat::pipfile, RecipeFormat::pylock})
    CHECK_THAT(message_of([&] { written(format, catalog, stack, &gpu); }),
               Contains("inside nvcr.io/nvidia/pytorch:19.05-py3") && Contains("containerfile"));
  CHECK_THAT(written(RecipeFormat::containerfile, catalog, stack, &gpu), !Contains("torch==2.1.0"));
}

TEST_CASE("recipe: a line of a container's requirements is a name and a version", "[recipe]") {
  auto components = cpu_components();
  components["app"]["versioning"] = "opaque";
  components["app"]["versions"] = {{"1,>0;x", {{"artifacts", {wheel("app-1.0-py3-none-any.whl", sha)}}}}};
  auto stack = cpu_stack;
  stack.components["app"] = "1,>0;x";
  CHECK_THAT(message_of([&] { container_steps(stack, matmul, catalog_of(components), {}); }),
             Contains("app") && Contains("is no version of a Python package"));
}

TEST_CASE("recipe: bases of GPU containers", "[recipe]") {
  const auto catalog = catalog_of(gpu_components());
  const auto gpu = v100();
  const auto container = [&](std::map<std::string, std::string> components) {
    components["gpu"] = gpu.name;
    return written(RecipeFormat::containerfile, catalog, {components}, &gpu);
  };
  const auto ngc = container({{"ngc", "pytorch-19.05"}, {"cuda", "10.1.163"}, {"cudnn", "7.6.5"}});
  CHECK_THAT(ngc, Contains("\nFROM nvcr.io/nvidia/pytorch:19.05-py3\n") &&
                      Contains("\"device=gpu\"") && !Contains("RUN"));
  const auto tensorflow = container(
      {{"tensorflow", "1.14.0"}, {"cuda", "10.0.130"}, {"cudnn", "7.6.5"}, {"python", "3.6"}});
  CHECK_THAT(tensorflow,
             Contains("\nFROM docker.io/nvidia/cuda:10.0-cudnn7-runtime-ubuntu18.04\n") &&
                 Contains("\"python3.6\", \"-m\", \"pip\"") &&
                 Contains("\"tensorflow-gpu==1.14.0\"") && Contains("the last cuDNN 7"));
  CHECK_THAT(
      container({{"torch", "2.1.0"}, {"cuda", "11.8.0"}, {"cudnn", "8.7.0"}, {"python", "3.11"}}),
      Contains("\nFROM docker.io/library/python:3.11-slim-bookworm\n") &&
          Contains("\"torch==2.1.0+cu118\"") && Contains("\"numpy<2\""));
  CHECK_THAT(container({{"cuda", "11.8.0"}}),
             Contains("\nFROM docker.io/nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04 AS cuda\n"
                      "FROM docker.io/library/debian:bookworm-slim\n") &&  // where stackx-pi runs
                 Contains("COPY stackx-pi") && Contains("stackx catalog discover"));
  CHECK_THAT(message_of([&] {
               container({{"tensorflow", "1.14.0"}, {"cuda", "10.0.130"}, {"python", "3.4"}});
             }),
             Contains("no image of NVIDIA with CUDA 10.0.130 and Python 3.4"));
}

TEST_CASE("recipe: what clusters are asked for", "[recipe]") {
  const auto catalog = catalog_of(gpu_components());
  const auto gpu = v100();
  const specs::Stack stack{{{"gpu", gpu.name}, {"ngc", "pytorch-19.05"}, {"cuda", "10.1.163"}}};
  CHECK_THAT(written(RecipeFormat::sbatch, catalog, stack, &gpu),
             Contains("\n#SBATCH --gres=gpu:v100:1\n") && Contains("\nset -euo pipefail\n") &&
                 Contains("docker://nvcr.io/nvidia/pytorch:19.05-py3") && Contains(" --nv "));
  CHECK_THAT(written(RecipeFormat::pod, catalog, stack, &gpu),
             Contains("\n    nvidia.com/gpu.product: \"Tesla-V100-SXM2-16GB\"\n") &&
                 Contains("\n          nvidia.com/gpu: 1\n"));
  CHECK_THAT(written(RecipeFormat::pod, catalog, {{{"cuda", "10.1.163"}}}),
             !Contains("nvidia.com/gpu"));
  auto a6000 = v100();
  a6000.name = "rtx-a6000", a6000.title = "RTX A6000", a6000.aliases = {};
  auto h100 = v100();
  h100.title = "H100 SXM5 80GB", h100.aliases = {"H100 SXM", "NVIDIA H100 80GB HBM3", "NVIDIA H100-SXM5-80GB"};
  CHECK(gpu_product({stack, matmul, catalog, "h100", &h100, {}}) == "NVIDIA-H100-80GB-HBM3");
  const Recipe recipe{stack, matmul, catalog, "a6000", &a6000, {}};
  CHECK(gres_type(recipe) == "a6000");
  CHECK(gpu_product(recipe).empty());
}

TEST_CASE("recipe: a cluster is asked for as many CPUs as there are threads, for memory, and for a slice where it is one", "[recipe]") {
  auto components = cpu_components();
  components["threads"]["versions"]["1"]["environment"]["OMP_NUM_THREADS"] = 16;
  const auto catalog = catalog_of(components);
  CHECK_THAT(written(RecipeFormat::sbatch, catalog, cpu_stack), Contains("\n#SBATCH --cpus-per-task=16\n#SBATCH --mem=4G\n"));
  CHECK_THAT(written(RecipeFormat::pod, catalog, cpu_stack), Contains("cpu: \"16\"") && Contains("memory: \"4Gi\""));
  const auto of_gpus = catalog_of(gpu_components());
  auto slice = v100();
  slice.name = "a100-sxm4-40gb-mig-1g.5gb", slice.title = "A100 SXM4 40GB MIG 1g.5gb", slice.aliases = {"NVIDIA A100-SXM4-40GB MIG 1g.5gb"};
  const specs::Stack stack{{{"gpu", "v100-sxm2-16gb"}, {"ngc", "pytorch-19.05"}, {"cuda", "10.1.163"}}};
  CHECK_THAT(written(RecipeFormat::sbatch, of_gpus, stack, &slice), Contains("\n#SBATCH --gres=gpu:a100_1g.5gb:1\n") && Contains("\n#SBATCH --mem=16G\n"));
  CHECK_THAT(written(RecipeFormat::pod, of_gpus, stack, &slice),
             Contains("\n    nvidia.com/gpu.product: \"NVIDIA-A100-SXM4-40GB\"\n") && Contains("\n          nvidia.com/mig-1g.5gb: 1\n") &&
                 Contains("\"single\"") && Contains("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"));
}

TEST_CASE("recipe: a stack's settings are for what is measured, not for what installs it", "[recipe]") {
  auto components = cpu_components();
  components["threads"]["versions"]["1"]["environment"]["PI_LIBRARY"] = "/tmp/x.so";
  const auto catalog = catalog_of(components);
  for (const auto& [name, last] : std::map<std::string, std::string>{{"containerfile", "\nRUN "}, {"sbatch", " -m pip install"}}) {
    CAPTURE(name);
    const auto text = written(*recipe_format_from(name), catalog, cpu_stack);
    REQUIRE(text.rfind(last) != text.npos);
    CHECK(text.find("PI_LIBRARY") > text.rfind(last));
    CHECK(text.find("PI_LIBRARY") != text.npos);
    CHECK_THAT(text, !Contains("export PI_LIBRARY"));
  }
}

TEST_CASE("recipe: hostile texts stay texts", "[recipe]") {
  const std::string hostile =
      "x'\"$(touch pwned)`touch pwned`\\\nRUN touch pwned\r\n#SBATCH --exclusive\n- evil: "
      "[\xc2\x85\xe2\x80\xa8";
  const auto gpu = v100();
  auto components = cpu_components();
  components["threads"]["versions"]["1"]["environment"]["PI_EVIL"] = hostile;
  const auto catalog = catalog_of(components);
  const specs::Workload workload{"mat'mul\n$(x)", {{"m", hostile}}};
  for (const auto& name : recipe_formats()) {
    CAPTURE(name);
    const auto text =
        write_recipe(*recipe_format_from(name),
                     {cpu_stack, workload, catalog, hostile, nullptr, {hostile, "ends in \\"}});
    // Quoted text of shells goes over lines; everything else is one line.
    const bool shell = name == "sbatch" || name == "docker";
    for (const auto& line : lines_of(text)) {
      if (!shell) CHECK_FALSE(line.starts_with("RUN touch"));
      if (!shell) CHECK_FALSE(line.starts_with("- evil"));
      if (line.starts_with("#")) CHECK_FALSE(line.ends_with("\\"));
    }
    CHECK(specs::to_utf8(text) == text);
  }
  // Names and versions that pip, pipenv and their like would read as more than that are refused.
  Json versions = Json::object();
  versions["1;x"] = Json::object();
  versions["1'$(x)`"] = Json::object();
  components["bad"] = {
      {"kind", "package"}, {"ecosystem", "pypi"}, {"versioning", "opaque"}, {"versions", versions}};
  const auto bad = catalog_of(components);
  auto stack = cpu_stack;
  stack.components["bad"] = "1;x";
  for (const auto& name : recipe_formats())
    CHECK_THAT(message_of([&] { written(*recipe_format_from(name), bad, stack); }), Contains("of a Python package"));
}
