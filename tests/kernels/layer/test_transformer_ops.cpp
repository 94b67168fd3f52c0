// transformer_ops on libraries that are right or wrong on purpose.
#include <catch2/catch.hpp>

#include "tests/kernels/run_pi.hpp"

using Catch::Matchers::Contains;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

PiResult run_on(const std::string& library, const Words& words, const Words& environment = {}) {
  Words arguments{"transformer_ops", "--library", library, "warmup_ms=0", "min_sample_ms=0.01", "repetitions=2", "model=tiny"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  return run_pi(arguments, environment);
}

std::vector<std::string> names_of(const json& operations) {
  std::vector<std::string> names;
  for (const json& one : operations) names.push_back(one["name"]);
  return names;
}

const Words kPrefill{"batch=2", "context=5"}, kDecode{"phase=decode", "batch=3", "context=7", "head=1"};

}  // namespace

TEST_CASE("a layer by oneDNN and by a BLAS: every operation checked, timed and told", "[pi][layer]") {
  const std::string library = GENERATE("onednn2", "onednn3", "right", "right_fortran", "right_lp64", "batched");
  const auto [words, flop, decodes] = GENERATE(table<Words, double, bool>({{kPrefill, 160000, false}, {kDecode, 67584, true}}));
  INFO(library << " " << words[0]);
  const auto result = run_on(fake(library), words);
  INFO(result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  INFO(document.dump());
  CHECK(document["check"]["pass"] == true);
  CHECK_THAT(document["check"]["reference"].get<std::string>(), Contains(decodes ? "each of 9 operations" : "each of 8 operations"));
  CHECK(document["check"]["deterministic"] == true);
  CHECK(document["samples_ns"].size() == 2);
  CHECK(document["work"]["flop"] == flop * document["parameters"]["mini_batch"].get<double>());
  CHECK(document["parameters"]["width"] == 32);
  const json& layer = document["layer"];
  CHECK(layer["flop"] == flop);
  CHECK(layer["tokens"] == (decodes ? 3 : 10));
  CHECK(layer["checks"].size() == (decodes ? 9 : 8));
  std::vector<std::string> expected{"q", "k", "v", "scores", "softmax", "values", "o", "gate", "up", "down"};
  if (library.starts_with("onednn") && !decodes) expected.insert(expected.begin() + 4, "mask");
  if (decodes) expected.push_back("head");
  CHECK(names_of(layer["operations"]) == expected);
  double sum = 0, shares = 0;
  for (const json& one : layer["operations"]) {
    sum += one["flop"].get<double>();
    shares += one["share"].get<double>();
    CHECK(one["least_us"] <= one["us"]);
    CHECK(one["us"] <= one["most_us"]);
  }
  CHECK(sum == flop);
  CHECK(shares == Approx(1));
  CHECK(layer["tokens_per_sec"].get<double>() > 0);
}

TEST_CASE("of a wrong build it is told which operation, and nothing is timed", "[pi][layer]") {
  const auto [library, words, where] = GENERATE(table<std::string, Words, std::string>({
      {"wrong_transposed", kPrefill, "q: "},
      {"wrong_untouched", kPrefill, "q: "},
      {"wrong_zeros", kDecode, "q: "},
      {"wrong_element", kPrefill, "k: "},  // entry (n/2, n/3), which q has not
      {"wrong_accumulates", kDecode, "q: "},
      {"wrong_half", kPrefill, "q: "},
      {"onednn_no_scale", kPrefill, "attention: "},
      {"onednn_no_scale", kDecode, "attention: "},
      {"onednn_softmax_other_axis", kPrefill, "attention: "},
      {"onednn_batch_one_factor", kDecode, "attention: "},  // keys of another sequence
      {"onednn_row_not_added", kPrefill, "attention: "},    // no mask
      {"onednn_row_added_once", kPrefill, "attention: "},   // of the first heads alone
  }));
  INFO(library << " " << where);
  const auto result = run_on(fake(library), words);
  INFO(result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  CHECK(document["check"]["pass"] == false);
  CHECK_THAT(document["check"]["detail"].get<std::string>(), Catch::Matchers::StartsWith(where));
  CHECK(document["samples_ns"].empty());
  CHECK_FALSE(document["layer"].contains("slowest"));
}

TEST_CASE("an error in any one product is found and named", "[pi][layer]") {
  // The call of that number; each of two groups of heads has its own scores and values.
  const auto [call, name] = GENERATE(table<int, std::string>({{0, ""}, {1, "q"}, {2, "k"}, {3, "v"}, {4, "attention"},
      {5, "attention"}, {6, "attention"}, {7, "attention"}, {8, "o"}, {9, "gate"}, {10, "up"}, {11, "down"}, {12, "head"}}));
  const auto result = run_on(fake("wrong_nth"), {"context=6", "head=1"}, {"STACKX_FAKE_WRONG_CALL=" + std::to_string(call)});
  INFO(call << result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  CHECK(document["check"]["pass"] == (call == 0));
  for (const json& one : document["layer"]["checks"]) CHECK(one["pass"] == (one["name"] != name));
}

TEST_CASE("what a library or the machine cannot is unsupported, and the shape is told all the same", "[pi][layer]") {
  const auto [library, words, reason] = GENERATE(table<std::string, Words, std::string>({
      {"onednn3", {"dtype=bfloat16"}, "oneDNN 3.9.1 has no bfloat16 transformer_ops"},
      {"right_lp64", {"dtype=bfloat16"}, "openblas has no bfloat16 attention"},
      {"one_thread", {"threads=2"}, "2 threads asked for, the library uses 1"},
      {"onednn2", {"batch=60000", "context=100000"}, "give a smaller model, batch, context or dtype"},
      {"onednn2", {"dtype=float16"}, "float16 is measured on GPUs only"},
  }));
  const auto result = run_on(fake(library), words);
  INFO(result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  CHECK_THAT(document["unsupported"].get<std::string>(), Contains(reason));
  CHECK(document["layer"]["shape"]["feed_forward"] == 48);
  CHECK_FALSE(document.contains("samples_ns"));
}

TEST_CASE("a layer runs under load", "[pi][layer]") {
  const json document = run_on(fake("right"), {"context=4", "scenario=single_stream", "min_duration_ms=1"}).json();
  INFO(document.dump());
  CHECK(document["scenario"]["name"] == "single_stream");
  CHECK(document["layer"]["operations"].size() == 10);
  CHECK_FALSE(document["layer"].contains("slowest"));
}

TEST_CASE("installed libraries compute a layer right", "[pi][layer][system]") {
  for (const std::string path : {"openblas-pthread/libopenblas.so.0", "blas/libblas.so.3", "blis-serial/libblis.so.4"}) {
    const std::string library = "/usr/lib/x86_64-linux-gnu/" + path;
    if (!std::filesystem::exists(library)) {
      WARN("skipped: " << library << " is not installed");
      continue;
    }
    for (const Words& words : {kPrefill, kDecode, Words{"context=70", "kv_heads=1"}}) {
      const auto result = run_on(library, words);
      INFO(result.err << result.out);
      REQUIRE(result.status == 0);
      CHECK(result.json()["check"]["pass"] == true);
    }
  }
}
