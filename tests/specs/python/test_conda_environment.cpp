#include "specs/python/conda_environment.hpp"

#include <catch2/catch.hpp>

#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"

namespace conda_environment_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

namespace {

Texts texts(const std::vector<PlacedDependency>& placed) {
  Texts result;
  for (const auto& one : placed) result.push_back(one.dependency.text());
  return result;
}

}  // namespace

TEST_CASE("conda environment: what is meant of conda's own, in the index's words") {
  Files files;
  const auto file = files.write("environment.yml", R"(name: mine
dependencies:
  - python=3.11
  - pytorch::pytorch=2.4=py3.11_cuda12.1_cudnn9.1.0_0
  - torchvision=0.19.1
  - tensorflow >=2.15,<2.17
  - jax 0.4.30
  - vllm[version='>=0.5']
  - pytorch-cuda=12.1
  - numpy
  - pip:
    - transformers>=4
    - -e .
)");
  const auto read = read_conda_environment(file);
  REQUIRE(read.python);
  CHECK(read.python->dependency.versions.text() == "==3.11.*");
  CHECK(texts(read.pip) == Texts{"transformers>=4"});
  CHECK(read.elsewhere == Texts{"-e ."});
  CHECK(texts(read.meant) == Texts{"torch==2.4.*", "torchvision==0.19.1", "tensorflow>=2.15,<2.17", "jax==0.4.30", "numpy"});
  CHECK(read.no_name == Texts{"pytorch-cuda"});
  CHECK(read.of_conda == Texts{"pytorch", "torchvision", "tensorflow", "jax", "vllm", "pytorch-cuda", "numpy"});
}

TEST_CASE("conda environment: a project asks for what pip installs, else for what is meant") {
  Files files;
  const auto file = files.write("environment.yaml", "dependencies: [pytorch=2.4, jax, {pip: [torch==2.5.1]}]");
  REQUIRE(is_python_project(file));
  CHECK(texts(read_python_project(file, {}).dependencies) == Texts{"torch==2.5.1", "jax"});
  CHECK_THAT(message_of([&] { read_python_project(files.write("other.yml", "a: 1"), {}); }), Contains("has no list `dependencies`"));
}

}  // namespace conda_environment_tests
