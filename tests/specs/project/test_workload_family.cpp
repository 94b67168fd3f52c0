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

TEST_CASE("what a language model's name does not say", "[workload_family][facts]") {
  const auto model = [](std::string_view name) { return shipped().model(name).value_or(ModelName{}); };
  CHECK(model("openai/gpt-oss-120b").bits == 4);
  CHECK(model("openai/gpt-oss-120b").billions == 117);
  CHECK(model("deepseek-ai/DeepSeek-V3-0324").billions == 671);
  CHECK(model("deepseek-ai/DeepSeek-R1").bits == 8);
  CHECK(model("infer_deepseek_r1").billions == 671);
  CHECK(model("DeepSeek-R1-AWQ").bits == 4);  // the name's own
  CHECK(model("deepseek-ai/DeepSeek-R1-Distill-Llama-70B").billions == 70);
  CHECK(!model("deepseek-ai/DeepSeek-R1-Distill-Llama-70B").bits);
  CHECK(model("mixtral-8x7b").billions == 47);
  CHECK(!model("mixtral-8x22b").billions);
  CHECK(model("qwen2.5-7b").billions == 7);
  CHECK(!shipped().model("matmul"));
}

TEST_CASE("a model's entry is refused by its place", "[workload_family]") {
  const auto refused = [](const std::string& models) {
    return message_of([&] {
      WorkloadFamilies::parse(Node::parse_text(
          R"({"$schema": "stackx/workloads/1", "parameters": {}, "spaces": {}, "families": {}, "models": )" + models + "}", "w.json"));
    });
  };
  CHECK_THAT(refused(R"({"gpt": {"billions": 1, "source": "x"}})"), Catch::Matchers::Contains("w.json: /models/gpt: expected a model's name"));
  CHECK_THAT(refused(R"({"gpt-2": {"billions": 0, "source": "x"}})"), Catch::Matchers::Contains("/models/gpt-2/billions: expected a number above 0"));
  CHECK_THAT(refused(R"({"gpt-2": {"billions": 1, "bits": 64, "source": "x"}})"), Catch::Matchers::Contains("/models/gpt-2/bits: expected 1 to 32"));
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
