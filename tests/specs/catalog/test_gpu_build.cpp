#include "specs/catalog/gpu_build.hpp"

#include <catch2/catch.hpp>

#include "specs/format/json.hpp"
#include "tests/specs/message_of.hpp"

namespace gpu_build_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Reach = GpuBuild::Reach;

namespace {

GpuBuild read(const std::string& text) { return read_gpu_build(Node::parse_text(text, "f.json")); }
std::string refusal(const std::string& text) {
  return message_of([&] { read(text); });
}
bool in(const Constraint& constraint, const std::string& compute_capability) {
  return holds(constraint, Attribute(compute_capability));
}

}  // namespace

TEST_CASE("GPU build: everything is read") {
  const auto build = read(R"({"cuda": 12.6, "rocm": "6.2", "cubins": ["7.0", 8.6], "ptx": ["9.0"], "gfx": ["gfx90a"], "tpu": ["tpu-v4"], "neuron": ["neuroncore-v2"], "minimum": "7.5"})");
  CHECK(build.cuda == "12.6");  // a number keeps its text
  CHECK(build.rocm == "6.2");
  CHECK(build.cubins == std::vector<std::string>{"7.0", "8.6"});
  CHECK(build.ptx == std::vector<std::string>{"9.0"});
  CHECK(build.gfx == std::vector<std::string>{"gfx90a"});
  CHECK(build.tpu == std::vector<std::string>{"tpu-v4"});
  CHECK(build.neuron == std::vector<std::string>{"neuroncore-v2"});
  CHECK(build.minimum == "7.5");
}

TEST_CASE("GPU build: what is known of it") {
  CHECK_FALSE(read("{}").known());
  CHECK_FALSE(read(R"({"cuda": "12.6"})").known());
  CHECK_FALSE(read(R"({"cuda": "12.6", "cubins": [], "ptx": []})").known());
  CHECK_FALSE(read(R"({"rocm": "6.2"})").known());
  CHECK(read(R"({"cuda": "none"})").known());
  CHECK(read(R"({"cuda": "none"})").for_cpus());
  CHECK_FALSE(read(R"({"cuda": "any", "minimum": "7.5"})").for_cpus());
  for (const char* text : {R"({"cubins": ["8.0"]})", R"({"ptx": ["8.0"]})", R"({"minimum": "8.0"})", R"({"gfx": ["gfx90a"]})",
                           R"({"tpu": ["tpu-v4"]})"})
    CHECK(read(text).known());
}

TEST_CASE("GPU build: whose accelerators it is for") {
  CHECK(read(R"({"cuda": "12.6", "cubins": ["8.0"]})").vendor() == "nvidia");
  CHECK(read(R"({"rocm": "6.2"})").vendor() == "amd");
  CHECK(read(R"({"gfx": ["gfx90a"]})").vendor() == "amd");
  CHECK(read(R"({"tpu": ["tpu-v4"]})").vendor() == "google");
  CHECK(read(R"({"neuron": ["neuroncore-v2"]})").vendor() == "aws");
  CHECK(read(R"({"neuron": ["neuroncore-v2"]})").known());
}

TEST_CASE("GPU build: machine code runs on its own generation, from its own minor on") {
  const auto build = read(R"({"cubins": ["5.2", "8.6"]})");
  CHECK(build.reach("5.2") == Reach::cubin);
  CHECK(build.reach("5.3") == Reach::cubin);
  CHECK(build.reach("8.9") == Reach::cubin);
  CHECK(build.reach("8.10") == Reach::cubin);  // minor numbers are numbers
  for (const char* other : {"5.0", "6.0", "7.5", "8.0", "9.0", "12.0", "3.5"}) CHECK(build.reach(other) == Reach::none);
}

TEST_CASE("GPU build: PTX is compiled for all that is newer") {
  const auto build = read(R"({"cubins": ["7.0", "9.0"], "ptx": ["9.0", "8.0"]})");
  CHECK(build.reach("7.5") == Reach::cubin);
  CHECK(build.reach("9.0") == Reach::cubin);  // machine code first
  CHECK(build.reach("8.0") == Reach::ptx);
  CHECK(build.reach("8.9") == Reach::ptx);
  CHECK(build.reach("12.0") == Reach::ptx);
  CHECK(build.reach("6.1") == Reach::none);
}

TEST_CASE("GPU build: a least compute capability stands for lists that nobody published") {
  const auto build = read(R"({"minimum": "7.5"})");
  CHECK(build.reach("7.5") == Reach::cubin);
  CHECK(build.reach("12.1") == Reach::cubin);
  CHECK(build.reach("7.0") == Reach::none);
}

TEST_CASE("GPU build: what is no compute capability reaches nothing") {
  const auto build = read(R"({"cubins": ["7.0"], "ptx": ["7.0"], "minimum": "7.0"})");
  for (const char* text : {"", "7", "7.", ".0", "7.0a", "seven", "7.0.1"}) CHECK(build.reach(text) == Reach::none);
}

TEST_CASE("GPU build: ranges and words") {
  CHECK(read(R"({"cubins": ["9.0", "7.5", "8.0", "8.6"], "ptx": ["10.0", "9.0"]})").runs_on().text ==
        "7.5, 8.x, 9.x, by compilation from 9.0 on");
  CHECK(read(R"({"minimum": "7.5"})").runs_on().text == "7.5 and newer");
  const auto none = read(R"({"cuda": "12.6"})").runs_on();
  CHECK(none.text == "none");
  CHECK_FALSE(in(none, "8.0"));
}

TEST_CASE("GPU build: the ranges hold where the build reaches") {
  for (const char* text :
       {R"({"cubins": ["5.2", "8.6", "8.0"]})", R"({"cubins": ["7.0"], "ptx": ["8.0"]})", R"({"ptx": ["9.0", "7.0"]})",
        R"({"minimum": "7.5"})", R"({"minimum": "9.0", "cubins": ["5.0"]})", R"({"cubins": ["10.0", "9.0", "12.0"]})", "{}"}) {
    const auto build = read(text);
    for (const char* capability : {"3.5", "5.0", "5.2", "5.3", "6.0", "7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0",
                                   "10.0", "10.3", "11.0", "12.0", "12.1"}) {
      CAPTURE(text, capability);
      CHECK(in(build.runs_on(), capability) == (build.reach(capability) != Reach::none));
    }
  }
}

TEST_CASE("GPU build: one error, with file and place") {
  CHECK_THAT(refusal(R"({"cubin": ["8.0"]})"), Contains("f.json: unknown key \"cubin\"; did you mean \"cubins\"?"));
  CHECK_THAT(refusal(R"({"cubins": ["8.0", "sm_86"]})"),
             Contains("f.json: /cubins/1: \"sm_86\": expected a compute capability such as 8.6"));
  CHECK_THAT(refusal(R"({"ptx": ["9"]})"), Contains("f.json: /ptx/0: \"9\": expected a compute capability"));
  CHECK_THAT(refusal(R"({"cubins": ["9.0a"]})"), Contains("f.json: /cubins/0: "));
  CHECK_THAT(refusal(R"({"cubins": "8.0"})"), Contains("f.json: /cubins: "));
  CHECK_THAT(refusal(R"({"minimum": "8"})"), Contains("f.json: /minimum: expected a compute capability such as 8.0"));
  CHECK_THAT(refusal(R"({"gfx": [90]})"), Contains("f.json: /gfx/0: "));
}

// What is taken as a compute capability is one that ranges can be made of.
TEST_CASE("GPU build: signs and numbers beyond all GPUs are refused") {
  for (const char* text : {"-8.6", "8.-6", "2147483647.0"}) {
    CAPTURE(text);
    CHECK_THAT(refusal(std::string(R"({"cubins": [")") + text + R"("]})"), Contains("f.json: /cubins/0: "));
  }
}

}  // namespace gpu_build_tests
