// The PIs on oneDNN, on libraries that are right or wrong on purpose, in both C interfaces. The
// fakes compute in float with loops of their own: they are an independent oracle of our references,
// too.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/kernels/run_pi.hpp"

using Catch::Matchers::Contains;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

PiResult run_on(const std::string& pi, const std::string& library, const Words& words) {
  Words arguments{pi, "--library", library, "warmup_ms=0", "min_sample_ms=0.01", "repetitions=2"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  return run_pi(arguments);
}

const Words kSmallConvolution{"batch=2",       "height=7",       "width=9",
                              "in_channels=5", "out_channels=6", "kernel_h=3",
                              "kernel_w=2",    "padding=same",   "bias=1"};
const Words kSmallRnn{"batch=3", "time_steps=5", "input_size=7", "hidden_size=16"};
const Words kSmallRows{"rows=33", "columns=47"};
const Words kSmallAttention{"batch=2", "heads=3", "sequence=11", "head_size=32"};

}  // namespace

TEST_CASE("every PI on oneDNN is right on both C interfaces", "[pi][onednn]") {
  const auto [pi, words, flop] = GENERATE(table<std::string, Words, double>({
      {"conv2d", kSmallConvolution, 2. * 2 * 7 * 9 * 6 * 5 * 3 * 2},
      {"conv2d",
       Words{"batch=1", "height=10", "width=8", "in_channels=3", "out_channels=4", "kernel=3",
             "stride=2", "layout=channels_last"},
       2. * 4 * 3 * 4 * 27},
      {"conv2d",
       Words{"batch=1", "height=9", "width=8", "in_channels=3", "out_channels=1", "kernel=5",
             "stride=3", "padding=same", "layout=channels_first", "bias=1"},
       2. * 3 * 3 * 75},
      {"lstm", kSmallRnn, 2. * 3 * 5 * 4 * 16 * (7 + 16)},
      {"gru", kSmallRnn, 2. * 3 * 5 * 3 * 16 * (7 + 16)},
      {"softmax", kSmallRows, 0},
      {"layer_norm", kSmallRows, 0},
      {"attention", kSmallAttention, 4. * 6 * 11 * 11 * 32},
  }));
  for (const std::string major : {"2", "3"}) {
    INFO(pi << " on oneDNN " << major << " " << words[0]);
    const auto result = run_on(pi, fake("onednn" + major), words);
    INFO(result.err);
    REQUIRE(result.status == 0);
    const json document = result.json();
    INFO(document["check"]);
    CHECK(document["name"] == pi);
    CHECK(document["check"]["pass"] == true);
    CHECK(document["samples_ns"].size() == 2);
    CHECK(document["loaded"] == json{{"onednn", major + ".9.1"}});
    CHECK_THAT(document["library"]["core"].get<std::string>(), Contains("fake:loops"));
    CHECK(document["library"]["threads"] == 1);
    const double calls = document["parameters"]["mini_batch"];
    CHECK(document["work"]["flop"] == flop * calls);
    CHECK(document["work"]["bytes"].get<double>() > 0);
    CHECK(document["work"]["items"] == calls);
  }
}

TEST_CASE("the bytes of a call are inputs and results once each", "[pi][onednn]") {
  const auto bytes = [](const std::string& pi, const Words& words) {
    Words once = words;
    once.push_back("mini_batch=1");
    return run_on(pi, fake("onednn3"), once).json()["work"]["bytes"].get<double>();
  };
  CHECK(bytes("softmax", kSmallRows) == 4. * 2 * 33 * 47);
  CHECK(bytes("attention", kSmallAttention) == 4. * 4 * 6 * 11 * 32);
  CHECK(bytes("conv2d", {"batch=1", "height=4", "width=4", "in_channels=3", "out_channels=2"}) ==
        4. * (16 * 3 + 9 * 3 * 2 + 4 * 2));
  CHECK(bytes("gru", kSmallRnn) ==
        4. * (5 * 3 * 7 + 7 * 48 + 16 * 48 + 48 + 2 * 3 * 16 + 5 * 3 * 16) + 8);
}

TEST_CASE("every wrong build of a primitive is told and not timed", "[pi][onednn]") {
  const auto [library, pi, words] = GENERATE(table<std::string, std::string, Words>({
      {"conv_no_bias", "conv2d", kSmallConvolution},
      {"conv_transposed", "conv2d",
       Words{"batch=1", "height=8", "width=8", "in_channels=3", "out_channels=4"}},
      {"conv_last_missing", "conv2d", kSmallConvolution},
      {"lstm_gate_order", "lstm", kSmallRnn},
      {"lstm_stale_cell", "lstm", kSmallRnn},
      {"rnn_last_missing", "lstm", kSmallRnn},
      {"rnn_last_missing", "gru", kSmallRnn},
      {"gru_reset_after", "gru", kSmallRnn},
      {"gru_no_bias", "gru", kSmallRnn},
      {"softmax_no_maximum", "softmax", kSmallRows},
      {"softmax_other_axis", "softmax", kSmallRows},
      {"norm_epsilon", "layer_norm", kSmallRows},
      {"norm_row_off", "layer_norm", kSmallRows},
      {"norm_sample_variance", "layer_norm", kSmallRows},
      {"no_scale", "attention", kSmallAttention},
      {"softmax_other_axis", "attention", kSmallAttention},
      {"batch_one_factor", "attention", kSmallAttention},
      {"batch_one_factor", "matmul", Words{"m=8", "n=9", "k=10", "batch=3"}},
  }));
  INFO(library << " " << pi);
  const auto result = run_on(pi, fake("onednn_" + library), words);
  INFO(result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  CHECK(document["check"]["pass"] == false);
  CHECK(document["check"]["max_relative_error"].get<double>() >
        document["check"]["bound"].get<double>());
  CHECK_FALSE(document["check"]["detail"].get<std::string>().empty());
  CHECK(document["samples_ns"].empty());
}

TEST_CASE("a batch of products is one call where the library has it, else a loop", "[pi][onednn]") {
  const auto [library, through] = GENERATE(table<std::string, std::string>({
      {"right", "cblas_sgemm, 5 calls"},
      {"right_fortran", "sgemm_, 5 calls"},
      {"right_lp64", "scipy_cblas_sgemm, 5 calls"},
      {"batched", "scipy_cblas_sgemm_batch_strided64_"},
      {"onednn2", "matmul, a batch of 5"},
      {"onednn3", "matmul, a batch of 5"},
  }));
  INFO(library);
  const auto result = run_on("matmul", fake(library), {"m=8", "n=12", "k=9", "batch=5"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  INFO(document["check"]);
  CHECK(document["check"]["pass"] == true);
  CHECK_THAT(document["check"]["reference"].get<std::string>(), Contains("each of 5 products"));
  CHECK(document["library"]["function"] == through);
  const double calls = document["parameters"]["mini_batch"];
  CHECK(document["work"]["flop"] == 2. * 8 * 12 * 9 * 5 * calls);
  CHECK(document["work"]["bytes"] == 4. * 5 * (8 * 9 + 9 * 12 + 8 * 12) * calls);
}

TEST_CASE("what a library cannot is unsupported, with the reason", "[pi][onednn]") {
  for (const std::string pi : {"conv2d", "lstm", "gru", "softmax", "layer_norm", "attention"}) {
    INFO(pi);
    for (const std::string major : {"2", "3"}) {
      const auto result = run_on(pi, fake("onednn" + major), {"dtype=bfloat16"});
      INFO(result.err);
      REQUIRE(result.status == 0);
      CHECK_THAT(result.json()["unsupported"].get<std::string>(),
                 Contains("oneDNN " + major + ".9.1 has no bfloat16 " + pi));
    }
    const auto threads = run_on(pi, fake("onednn3"), {"threads=2"});
    CHECK_THAT(threads.json()["unsupported"].get<std::string>(), Contains("the library uses 1"));
    const auto blas = run_on(pi, fake("right_lp64"), {});
    REQUIRE(blas.status == 0);
    CHECK_THAT(blas.json()["unsupported"].get<std::string>(),
               Contains("openblas has no float32 " + pi));
    CHECK(run_on(pi, fake("nothing"), {}).status == 3);
    CHECK(run_pi({pi}).status == 2);
    CHECK(run_on(pi, fake("onednn3"), {"dtype=float64"}).status == 2);
  }
  const auto result = run_on("conv2d", fake("onednn3"), {"kernel=9", "height=8"});
  CHECK(result.status == 2);
  CHECK_THAT(result.err, Contains("kernel=9: larger than height=8"));
}

// Real oneDNN: STACKX_ONEDNN names libraries, separated by colons; else those that bench/kernels/run
// has installed.
TEST_CASE("real oneDNN computes what our references say", "[pi][onednn][system]") {
  std::vector<std::string> libraries;
  if (const char* named = std::getenv("STACKX_ONEDNN")) {
    std::istringstream list(named);
    for (std::string path; std::getline(list, path, ':');) libraries.push_back(path);
  } else {
    const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
    const std::string root = cache != nullptr  ? cache
                             : home != nullptr ? std::string(home) + "/.cache"
                                               : "";
    for (const std::string major : {"2", "3"})
      libraries.push_back(root + "/stackx/bench-kernels/onednn" + major + "/lib/libdnnl.so");
  }
  int tried = 0;
  for (const std::string& library : libraries) {
    if (!std::filesystem::exists(library)) continue;
    ++tried;
    for (const auto& [pi, words] : std::vector<std::pair<std::string, Words>>{
             {"conv2d", kSmallConvolution},
             {"conv2d", {"in_channels=16", "height=20", "stride=2", "dtype=int8", "batch=1"}},
             {"conv2d", {"in_channels=3", "height=20", "dtype=bfloat16", "batch=2"}},
             {"lstm", kSmallRnn},
             {"lstm", {"dtype=bfloat16", "batch=3", "time_steps=9"}},
             {"gru", kSmallRnn},
             {"gru", {"dtype=bfloat16", "batch=3", "time_steps=9"}},
             {"softmax", kSmallRows},
             {"softmax", {"rows=5", "columns=20000", "dtype=bfloat16"}},
             {"layer_norm", kSmallRows},
             {"layer_norm", {"rows=50", "columns=768", "dtype=bfloat16"}},
             {"attention", kSmallAttention},
             {"attention", {"batch=1", "dtype=bfloat16"}},
             {"transformer_ops", {"batch=2", "context=33", "head=1"}},
             {"transformer_ops", {"model=tiny", "phase=decode", "dtype=bfloat16"}},
             {"matmul", {"m=16", "n=16", "k=16", "batch=50"}}}) {
      INFO(library << " " << pi << " " << words[0]);
      const auto result = run_on(pi, library, words);
      INFO(result.err);
      REQUIRE(result.status == 0);
      const json document = result.json();
      INFO(result.out);
      if (document.contains("unsupported")) continue;  // this CPU has no bfloat16, say
      CHECK(document["check"]["pass"] == true);
    }
  }
  if (tried == 0) WARN("skipped: no oneDNN; name some in STACKX_ONEDNN");
}
