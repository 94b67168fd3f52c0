#include "specs/project/typed_workload.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "specs/format/json.hpp"
#include "specs/result/evidence.hpp"
#include "tests/specs/message_of.hpp"

namespace typed_workload_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const WorkloadFamilies& shipped() {
  static const auto families = WorkloadFamilies::load(STACKX_SOURCE_DIR "/specs/data");
  return families;
}

// Of somebody who has measured with PIs of his own.
std::vector<Workload> own(const std::string& family) {
  if (family == "sort") return {parse_workload("sort:items=big")};
  if (family == "matmul") return {parse_workload("matmul:dtype=fp8,alpha=2,m=huge")};
  return {};
}
std::vector<Workload> nothing(const std::string&) { return {}; }

TypedWorkload read(std::string_view text) { return typed_workload(text, shipped(), nothing); }
std::string meant(std::string_view text) { return read(text).workload.text(); }
std::string wrong(std::string_view text) {
  return message_of([&] { read(text); });
}

}  // namespace

TEST_CASE("what is published can be asked for as it is written", "[typed_workload]") {
  std::set<std::string> seen;
  for (const auto& entry : fs::recursive_directory_iterator(STACKX_SOURCE_DIR "/specs/data/evidence"))
    if (entry.is_regular_file()) for (const Published& row : load_evidence(entry.path()).rows) {
      const std::string text = row.workload.text();
      if (!seen.insert(text).second) continue;
      const auto typed = read(text);
      CAPTURE(entry.path().filename().string(), text);
      REQUIRE(typed.workload.text() == text);
      REQUIRE(typed.notes.empty());
    }
  CHECK(seen.size() > 1000);
}

TEST_CASE("families are found as people call them, which is said", "[typed_workload]") {
  const std::vector<std::pair<const char*, const char*>> names{
      {"matmul", "matmul"}, {"gemm", "matmul"}, {"GEMM", "matmul"}, {"mm", "matmul"}, {"MatMul", "matmul"},
      {"mat_mul", "matmul"}, {"linear", "matmul"}, {"bmm", "matmul"}, {"hgemm", "matmul:dtype=float16"},
      {"sgemm:m=64", "matmul:dtype=float32,m=64"}, {"dgemm", "matmul:dtype=float64"}, {"conv", "conv2d"},
      {"Convolution", "conv2d"}, {"Conv-2D", "conv2d"}, {"resnet", "train_resnet50"}, {"resnet50", "train_resnet50"},
      {"ResNet-50", "train_resnet50"}, {"ResNet_152", "train_resnet152"}, {"vgg16", "train_vgg16"},
      {"alexnet", "train_alexnet"}, {"gnmt", "train_gnmt"}, {"mobilenet", "infer_mobilenet"}, {"yolo-v3",
          "infer_yolo_v3"},
      {"layernorm", "layer_norm"}, {"LayerNorm", "layer_norm"}, {"sdpa", "attention"}, {"flash-attention", "attention"},
      {"FlashAttention", "attention"}, {"bandwidth", "stream"}, {"triad", "stream:kernel=triad"}, {"hello",
          "hello_world"},
      {"LSTM", "lstm"}, {"Mask R-CNN", "train_maskrcnn"}};
  for (const auto& [typed, expected] : names) {
    INFO(typed);
    const auto found = read(typed);
    CHECK(found.workload.text() == expected);
    CHECK(found.notes.size() == (found.workload.text() == typed ? 0 : 1));
  }
  CHECK(read("gemm").notes == std::vector<std::string>{"gemm is taken for matmul"});
  CHECK(read("hgemm").notes == std::vector<std::string>{"hgemm is taken for matmul:dtype=float16"});
  CHECK(read("resnet50").notes ==
        std::vector<std::string>{"resnet50 is taken for train_resnet50; there is also infer_resnet50"});
  CHECK(meant("hgemm:dtype=half") == "matmul:dtype=float16");
  CHECK_THAT(wrong("hgemm:dtype=float32"), Contains("hgemm means dtype=float16, and dtype=float32 is asked for"));
}

TEST_CASE("a family that nobody knows gets the nearest", "[typed_workload]") {
  CHECK(wrong("matmull") ==
        "--workload \"matmull\": no such workload in the catalogs or the store; the nearest are matmul; "
        "`stackx workload list` names all");
  CHECK_THAT(wrong("gemn"), Contains("the nearest are matmul"));
  CHECK_THAT(wrong("quicksort_of_strings"), Contains("no such workload in the catalogs or the store; `stackx"));
}

TEST_CASE("a framework is taken for what it computes mostly", "[typed_workload]") {
  CHECK(read("PyTorch").notes == std::vector<std::string>{"PyTorch, a framework, is taken for matmul:framework=torch"});
  CHECK(meant("PyTorch:dtype=half") == "matmul:dtype=float16,framework=torch");
  CHECK(meant("jax") == "matmul:framework=jax");
  CHECK(meant("tf") == "matmul:framework=tensorflow");
  CHECK(meant("vllm") == "serve_llm");
  CHECK_THAT(wrong("torch:framework=jax"), Contains("torch means framework=torch, and framework=jax is asked for, too; leave one out"));
  CHECK_THAT(wrong("jax:bogus=3"), Contains("matmul has no parameter \"bogus\""));
  CHECK(meant("jax training") == "train_resnet50:framework=jax");
  CHECK(meant("pytorch matmul:dtype=half") == "matmul:dtype=float16,framework=torch");
  CHECK(meant("ResNet-50 tensorflow") == "train_resnet50:framework=tensorflow");
  CHECK_THAT(wrong("pytorch sorting"), Contains("no such workload"));
  CHECK_THAT(wrong("auto"), Contains("no such workload"));
  CHECK(meant("matmul:framework=PyTorch") == "matmul:framework=torch");
  CHECK(meant("transformer:framework=tf") == "transformer:framework=tensorflow");
  CHECK(meant("matmul:framework=paddle") == "matmul:framework=paddle");
}

TEST_CASE("values are brought into the words of results", "[typed_workload]") {
  for (const auto& [typed, expected] : std::vector<std::pair<const char*, const char*>>{
           {"fp16", "float16"}, {"half", "float16"}, {"FP16", "float16"}, {"Half", "float16"}, {"bf16", "bfloat16"},
           {"BF16", "bfloat16"}, {"fp32", "float32"}, {"single", "float32"}, {"fp64", "float64"}, {"double", "float64"},
           {"fp8", "float8_e4m3"}, {"e4m3", "float8_e4m3"}, {"tf32", "tf32"}, {"TF32", "tf32"}, {"int8", "int8"},
           {"float16", "float16"}, {"complex64", "complex64"}}) {
    INFO(typed);
    CHECK(meant(std::string("matmul:dtype=") + typed) == std::string("matmul:dtype=") + expected);
  }
  CHECK(read("matmul:dtype=fp16").notes == std::vector<std::string>{"dtype=fp16 is taken for dtype=float16"});
  CHECK(meant("train_resnet50:precision=float16") == "train_resnet50:precision=fp16");
  CHECK(meant("train_resnet50:precision=fp16") == "train_resnet50:precision=fp16");
  CHECK(meant("train_resnet50:precision=AMP") == "train_resnet50:precision=amp");
  CHECK(meant("train_resnet50:precision=NF4+DQ") == "train_resnet50:precision=NF4+DQ");
  CHECK(meant("infer_resnet50:scenario=offline") == "infer_resnet50:scenario=Offline");
  CHECK(meant("conv2d:pass=forward") == "conv2d:pass=fwd");
  CHECK(meant("train_resnet50:xla=yes") == "train_resnet50:xla=true");
  CHECK(meant("matmul:dtype=bf16,result=same") == "matmul:dtype=bfloat16,result=same");
  CHECK(meant("matmul:dtype=half,result=single") == "matmul:dtype=float16,result=float32");
  CHECK_THAT(wrong("matmul:result=fp8"), Contains("result of matmul is one of usual, same, float64, float32, float16, bfloat16, int32"));
  CHECK(meant("matmul:m=0512") == "matmul:m=512");
  CHECK(meant("matmul:m=1e3") == "matmul:m=1000");
  CHECK(meant("stream:elements=auto") == "stream:elements=auto");
  CHECK(meant("conv2d:kernel=3,stride=2") == "conv2d:kernel=3,stride=2");
}

TEST_CASE("MLPerf's scenarios are parameters of the PIs that answer queries, in their words", "[typed_workload]") {
  for (const std::string pi : {"matmul", "conv1d", "conv2d", "lstm", "gru", "attention", "transformer", "transformer_ops"}) {
    INFO(pi);
    CHECK(meant(pi + ":scenario=SingleStream") == pi + ":scenario=single_stream");
    CHECK(meant(pi + ":scenario=multi-stream,samples_per_query=4") == pi + ":samples_per_query=4,scenario=multi_stream");
    CHECK(meant(pi + ":scenario=server,latency_bound_ms=2.5,percentile=99,target_rate=100,rate_precision=0.05,schedule_seed=7,"
                     "min_queries=64,min_duration_ms=50")
              .starts_with(pi + ":latency_bound_ms=2.5,"));
    CHECK_THAT(wrong(pi + ":scenario=serve"), Contains("scenario of " + pi + " is one of none, single_stream, multi_stream, server, "
                                                       "offline, not \"serve\"; did you mean \"server\"?"));
    CHECK_THAT(wrong(pi + ":scenario=server,schedule_seed=one"), Contains("schedule_seed of " + pi + " is a whole number"));
  }
  for (const std::string pi : {"softmax", "stream", "import", "train_resnet50", "all_reduce"})
    CHECK_THAT(wrong(pi + ":scenario=server"),
               Contains(pi + " has no parameter \"scenario\"; it has ") && Contains("; of other workloads matmul, conv2d, ") &&
                   Contains(" more have it"));
  CHECK(meant("infer_resnet50:scenario=single_stream") == "infer_resnet50:scenario=SingleStream");
}

TEST_CASE("a name may be typed in several words", "[typed_workload]") {
  for (const auto& [typed, family] : {std::pair{"compile time", "startup:of=compile"}, {"flash attention", "attention"},
                                      {"flash attention:batch=2", "attention:batch=2"}, {"memory bandwidth", "memory_bandwidth"}, {"LLM serving", "serve_llm"}}) {
    CHECK(meant(typed) == family);
  }
  CHECK(read("fine-tune bert").notes == std::vector<std::string>{"fine-tune-bert is taken for train_bert_large_squad"});
  CHECK(meant("train llama 70b") == "train_llama2_70b_lora");
  CHECK(meant("training") == "train_resnet50");
  CHECK(meant("inference") == "infer_llm");
  CHECK(meant("fine tuning") == "train_llama2_70b_lora");
  for (const char* mistake : {"sort strings", "train something", "llama training on my laptop", "mlperf training"})  // none, or several
    CHECK_THAT(wrong(mistake), Contains("no such workload"));
  for (const char* mistake : {" ", " gemm", "gemm ", "mask/rcnn"}) CHECK_THAT(wrong(mistake), Contains("workload \""));
}

TEST_CASE("what no family is called is looked for in what they say they do", "[typed_workload]") {
  CHECK_THAT(wrong("image training"), Contains("perhaps ") && Contains("train_resnet50") && Contains(" or one of ") && Contains(" more; "));
  CHECK_THAT(wrong("mlperf"), Contains("perhaps ") && Contains("train_resnet50"));
  CHECK_THAT(wrong("llm inference"), Contains("perhaps infer_llm"));
  CHECK_THAT(wrong("batch norm"), Contains("layer_norm"));
  CHECK_THAT(wrong("tokens"), Contains("perhaps transformer; "));  // others have but a parameter of that name
  CHECK_THAT(wrong("quicksort"), !Contains("perhaps"));
}

std::string name_of(std::string_view workload) { return std::string(workload.substr(0, workload.find(':'))); }

TEST_CASE("a model of which there is no family is taken for what is asked of such models", "[typed_workload]") {
  const std::vector<std::pair<const char*, const char*>> names{
      {"llama-3-70b", "infer_llm"}, {"meta-llama/Llama-3.3-70B-Instruct", "infer_llm"}, {"Meta-Llama-3-70B", "infer_llm"},
      {"Qwen/Qwen2.5-7B-Instruct", "infer_llm"}, {"qwen2.5-7b:precision=fp8", "infer_llm:precision=fp8"}, {"mistral-7b-v0.3", "infer_llm"},
      {"openai/gpt-oss-120b", "infer_llm"}, {"google/gemma-2-9b-it", "infer_llm"}, {"deepseek-ai/DeepSeek-V3", "infer_llm"},
      {"openai/whisper-large-v3", "infer_whisper"}, {"stable-diffusion-3.5-large", "infer_stable_diffusion_xl"}};
  for (const auto& [typed, family] : names) {
    INFO(typed);
    CHECK(meant(typed) == family);
    const std::string name(typed);
    CHECK(read(typed).notes == std::vector<std::string>{name.substr(0, name.find(':')) + " is taken for " + name_of(family)});
  }
  CHECK_THAT(wrong("sort-3"), Contains("no such workload"));
  CHECK_THAT(wrong("./llama3.py"), Contains("workload \""));
  CHECK_THAT(wrong("matmul-512"), Contains("no such workload"));  // a size is no version of it
}

TEST_CASE("what is no value of a parameter, or no parameter, is refused with what was expected", "[typed_workload]") {
  CHECK(wrong("matmul:m=foo") == "--workload \"matmul:m=foo\": m of matmul is a whole number from 1 on, not \"foo\"");
  CHECK(wrong("gemm:m=foo") == "--workload \"gemm:m=foo\": m of matmul is a whole number from 1 on, not \"foo\"");
  CHECK_THAT(wrong("matmul:m=1.5"), Contains("m of matmul is a whole number from 1 on, not \"1.5\""));
  CHECK_THAT(wrong("matmul:m=-4"), Contains("m of matmul is a whole number from 1 on, not \"-4\""));
  CHECK_THAT(wrong("matmul:m=0"), Contains("m of matmul is a whole number from 1 on, not \"0\""));
  CHECK(meant("conv2d:pad_h=0") == "conv2d:pad_h=0");
  CHECK_THAT(wrong("matmul:m=4k"), Contains("m of matmul is a whole number from 1 on, not \"4k\""));
  CHECK_THAT(wrong("matmul:dtype=flaot32"), Contains("dtype of matmul is one of float64, float32"));
  CHECK_THAT(wrong("matmul:dtype=flaot32"), Contains("not \"flaot32\"; did you mean \"float32\"?"));
  CHECK_THAT(wrong("stream:kernel=3"), Contains("kernel of stream is one of copy, scale, add, triad, not \"3\""));
  CHECK_THAT(wrong("train_resnet50:batch=big"), Contains("batch of train_resnet50 is a whole number"));
  CHECK(wrong("matmul:dtyp=float32") ==
        "--workload \"matmul:dtyp=float32\": matmul has no parameter \"dtyp\"; did you mean \"dtype\"; it has m, n, k, "
        "batch, dtype, mul, acc, result, ta, tb, threads, suite, padded, scenario, latency_bound_ms, percentile, target_rate, "
        "rate_precision, schedule_seed, samples_per_query, min_queries, min_duration_ms");
  CHECK_THAT(wrong("train_gnmt:layers=3"), Contains("train_gnmt has no parameter \"layers\"; it has precision"));
  CHECK(meant("matmul:repetitions=3") == "matmul:repetitions=3");  // how a PI measures
}

TEST_CASE("what the store has is not refused and not changed", "[typed_workload]") {
  const auto text = [](std::string_view asked) { return typed_workload(asked, shipped(), own).workload.text(); };
  CHECK(text("sort:items=9,order=none") == "sort:items=9,order=none");  // no family's: nothing to check
  CHECK(text("matmul:dtype=fp8") == "matmul:dtype=fp8");
  CHECK(text("matmul:dtype=fp16") == "matmul:dtype=float16");
  CHECK(text("matmul:alpha=3") == "matmul:alpha=3");
  CHECK(text("matmul:m=huge") == "matmul:m=huge");
  CHECK_THROWS(text("matmul:n=huge"));
  CHECK_THROWS(text("matmul:beta=1"));
  CHECK_THROWS(text("sorted"));
}

TEST_CASE("a PI that is to run keeps the words it is told, but for the framework's name", "[typed_workload]") {
  const auto text = [](std::string_view asked) { return workload_to_measure(asked, shipped()).workload.text(); };
  CHECK(text("gemm:dtype=fp8,l2=flush") == "matmul:dtype=fp8,l2=flush");
  CHECK(text("my_own:m=foo") == "my_own:m=foo");
  CHECK(text("matmul:framework=pytorch") == "matmul:framework=torch");
  CHECK(text("my_own:framework=pytorch") == "my_own:framework=pytorch");
  CHECK(text("pytorch") == "matmul:framework=torch");
  CHECK(text("jax training:l2=flush") == "train_resnet50:framework=jax,l2=flush");
  const auto there = [](const std::string& name) { return name == "sort" || name == "training"; };
  CHECK(workload_to_measure("training:m=foo", shipped(), there).workload.text() == "training:m=foo");
  CHECK_THROWS(text("gemm:m=foo"));
}

TEST_CASE("aliases and values of what is not there are passed over", "[typed_workload]") {
  const auto parse = [](const std::string& rest) {
    return WorkloadFamilies::parse(Node::parse_text(
        R"({"$schema": "stackx/workloads/1", "parameters": {"n": "size"}, "spaces": {}, )" + rest +
            R"(, "families": {"train_b": {"description": "b", "params": ["n"]},
                              "infer_b": {"description": "b", "params": []}}})",
        "w.json"));
  };
  const auto families = parse(
      R"("values": {"n": "integer", "q": "integer"}, "aliases": {"none": ["b"], "infer_b:n=1": ["x-y"]})");
  CHECK(families.called("XY").front().text() == "infer_b:n=1");
  REQUIRE(families.called("b").size() == 2);
  CHECK(families.called("b").front().pi == "train_b");
  CHECK(families.called("").empty());
  CHECK(families.aliases("infer_b") == std::vector<std::string>{"x-y"});
  const auto error = [&](const std::string& rest) { return message_of([&] { parse(rest); }); };
  CHECK_THAT(error(R"("values": {"n": "number"})"), Contains("/values/n: expected \"integer\", \"size\" or an object"));
  CHECK_THAT(error(R"("values": {"n": {}})"), Contains("/values/n: expected one of one_of, words and integer_or"));
  CHECK_THAT(error(R"("values": {"n": {"one_of": {"a": ["b"], "B": []}}})"), Contains("\"b\" stands for two values"));
  CHECK_THAT(error(R"("aliases": {"train_b:n": ["c"]})"), Contains("/aliases/train_b:n: "));
}

}  // namespace typed_workload_tests
