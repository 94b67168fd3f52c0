#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "specs/format/json.hpp"
#include "specs/project/workload_family.hpp"
#include "specs/result/evidence.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
namespace fs = std::filesystem;

namespace {

const WorkloadFamilies& shipped() {
  static const auto families = WorkloadFamilies::load(STACKX_SOURCE_DIR "/specs/data");
  return families;
}

std::string meaning(const std::string& family, const std::string& param) {
  for (const auto& [name, text] : shipped().find(family)->params)
    if (name == param) return text;
  return "";
}

}  // namespace

TEST_CASE("every workload of the evidence has a family that knows its parameters",
          "[workload_family]") {
  std::set<std::string> seen;
  for (const auto& entry : fs::recursive_directory_iterator(STACKX_SOURCE_DIR "/specs/data/evidence"))
    if (entry.is_regular_file()) for (const Published& row : load_evidence(entry.path()).rows) {
      const WorkloadFamily* family = shipped().find(row.workload.pi);
      CAPTURE(entry.path().filename().string(), row.workload.text());
      REQUIRE(family != nullptr);
      for (const auto& [name, value] : row.workload.params)
        REQUIRE(
            std::ranges::count(family->params, name, &std::pair<std::string, std::string>::first));
      seen.insert(row.workload.pi);
    }
  CHECK(seen.size() > 80);
}

TEST_CASE("families that are near are others of the file", "[workload_family]") {
  std::size_t with = 0;
  for (const auto& family : shipped().all())
    for (const auto& near : family.near) {
      INFO(family.name << " near " << near);
      CHECK(near != family.name);
      CHECK(shipped().find(near));
      ++with;
    }
  CHECK(with > 100);
}

TEST_CASE("a family says what people usually run it with, wherever it has stacks", "[workload_family]") {
  for (const auto& family : shipped().all()) {
    INFO(family.name);
    // What only a framework of another catalog runs there has packages, too.
    CHECK((family.gpu.empty() || !family.usual_gpu.empty()));
    CHECK((family.cpu.empty() || !family.usual_cpu.empty()));
  }
  CHECK(shipped().find("matmul")->usual_gpu == std::vector<std::string>{"torch"});
  CHECK(shipped().find("matmul")->usual_cpu == std::vector<std::string>{"scipy-openblas64"});
  CHECK(shipped().find("serve_llm")->usual_gpu == std::vector<std::string>{"vllm", "sglang", "torch"});
  CHECK(shipped().find("infer_llama2_70b")->usual_gpu.front() == "vllm");
  CHECK(shipped().find("all_reduce")->usual_gpu == std::vector<std::string>{"torch"});
  CHECK(shipped().find("attention")->usual_gpu == std::vector<std::string>{"torch"});
  CHECK(shipped().find("lstm")->usual_cpu == std::vector<std::string>{"onednn-cpu-gomp"});
  CHECK(shipped().gpu_space(*shipped().find("all_reduce"))->requires_.contains("nccl"));
}

TEST_CASE("a parameter means what it means in its family", "[workload_family]") {
  CHECK(meaning("matmul", "k") == "columns of A, rows of B");
  CHECK(meaning("conv2d", "k") == "filters, that is channels of the output");
  CHECK(meaning("matmul", "dtype") == meaning("rnn", "dtype"));
}

TEST_CASE("a family says where its stacks are to be sought", "[workload_family]") {
  const WorkloadFamily& matmul = *shipped().find("matmul");
  CHECK(shipped().cpu_space(matmul)->catalogs == std::vector<std::string>{"blas.json"});
  CHECK(shipped().cpu_space(matmul)->requires_ ==
        std::map<std::string, std::string>{{"blas", "*"}});
  CHECK(shipped().gpu_space(matmul)->requires_ ==
        std::map<std::string, std::string>{{"gpu-library", "*"}});
  CHECK(shipped().gpu_space(*shipped().find("rnn"))->requires_.contains("cudnn"));
  CHECK(shipped().cpu_space(*shipped().find("rnn")) == nullptr);
  CHECK(shipped().gpu_space(*shipped().find("hello_world")) == nullptr);
}

TEST_CASE("names like a wrong one", "[workload_family]") {
  CHECK(shipped().find("matmull") == nullptr);
  CHECK(shipped().nearest("matmull").front() == "matmul");
  CHECK(shipped().nearest("train_resnet5").front() == "train_resnet50");
  const auto resnet = shipped().nearest("resnet50");
  CHECK(std::set<std::string>(resnet.begin(), resnet.begin() + 2) ==
        std::set<std::string>{"train_resnet50", "infer_resnet50"});
  CHECK(shipped().nearest("quicksort_of_strings").empty());
}
