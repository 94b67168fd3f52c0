// What a model's name says: its kind, and how many parameters it has.
#include "specs/project/model_name.hpp"

#include <catch2/catch.hpp>
#include <tuple>

namespace model_name_tests {

using stackx::specs::model_name;

// Names as Hugging Face and Ollama list them.
TEST_CASE("kind and size stand in a model's name", "[model_name]") {
  const std::vector<std::tuple<const char*, const char*, double>> names{
      {"meta-llama/Llama-3.1-8B-Instruct", "llama", 8}, {"llama3-70b", "llama", 70}, {"Qwen/Qwen2.5-0.5B", "qwen", 0.5},
      {"gpt-oss-120b", "gpt-oss", 120}, {"openai/whisper-large-v3", "whisper-large", 0}, {"mixtral-8x7b", "mixtral", 0},
      {"DeepSeek-V3", "deepseek", 0}, {"Meta-Llama-3-8B", "meta-llama", 8}, {"infer_llama2_70b", "infer-llama", 70}, {"resnet50", "resnet", 0}};
  for (const auto& [text, kind, billions] : names) {
    INFO(text);
    const auto model = model_name(text);
    REQUIRE(model);
    CHECK(model->kind == kind);
    CHECK(model->billions.value_or(0) == billions);
  }
  for (const char* none : {"", "matmul", "70b", "3-8b", "/", "mask/rcnn"}) {
    INFO(none);
    CHECK(!model_name(none));
  }
}

TEST_CASE("a name can say how many bits a parameter takes", "[model_name]") {
  const std::vector<std::tuple<const char*, int>> names{
      {"neuralmagic/Meta-Llama-3.1-70B-Instruct-FP8", 8}, {"Qwen2.5-32B-Instruct-AWQ", 4}, {"Qwen2.5-7B-Instruct-GPTQ-Int8", 8},
      {"unsloth/Llama-3.3-70B-Instruct-bnb-4bit", 4}, {"nvidia/Llama-3.1-405B-Instruct-NVFP4", 4}, {"RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16", 4},
      {"meta-llama/Llama-3.1-8B-Instruct", 0}};
  for (const auto& [text, bits] : names) {
    INFO(text);
    CHECK(model_name(text)->bits.value_or(0) == bits);
  }
}

TEST_CASE("parameters take bytes", "[model_name]") {
  CHECK(stackx::specs::weight_gb(70, 16) == 140);
  CHECK(stackx::specs::weight_gb(70, 4) == 35);
}

}  // namespace model_name_tests
