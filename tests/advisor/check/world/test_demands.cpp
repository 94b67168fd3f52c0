// What releases demand of GPU and driver, as check() tells it.
#include <catch2/catch.hpp>

#include "tests/advisor/check/small_world.hpp"

namespace check_tests {

using Catch::Matchers::Contains;

TEST_CASE("check: the driver is too old, and another driver is nearest") {
  const auto checked = in_torch_world(on_gpu({"torch==2.4.0"}, "7.0", "515.43.04"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("is built for CUDA 12") && Contains("which needs driver 525.60.13 or newer; 515.43.04 is older"));
  CHECK(std::ranges::any_of(checked.nearest, [](const auto& nearest) {
    return std::ranges::any_of(nearest.changes, [](const auto& one) { return one.name == "driver" && one.to.find("525.60.13") != one.to.npos; });
  }));
  CHECK(in_torch_world(on_gpu({"torch==2.4.0"}, "7.0", "525.60.13")).answer == Answer::yes);
}

TEST_CASE("check: the driver is too new for an old GPU") {
  const auto checked = in_torch_world(on_gpu({"torch==1.13.1"}, "3.7", "525.60.13"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("drivers after R470 do not drive V100 (sm_37); 525.60.13 is one of them"));
  const auto right = in_torch_world(on_gpu({"torch==1.13.1"}, "3.7", "470.256.02"));
  CHECK(right.answer == Answer::yes);
  CHECK_THAT(right.text, Contains("with driver 470.256.02"));
  CHECK(in_torch_world(on_gpu({"torch==1.13.1"}, "3.7")).driver == ">=450.80.02,<471");
}

TEST_CASE("check: the driver does not know the GPU yet") {
  const auto checked = in_torch_world(on_gpu({"torch==2.4.0"}, "9.0", "515.43"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(joined(checked.because), Contains("525.60.13"));
}

TEST_CASE("check: PTX needs the toolkit's own driver, machine code does not") {
  CHECK(in_torch_world(on_gpu({"torch==2.9.0"}, "8.6", "535.183.01")).answer == Answer::yes);
  const auto checked = in_torch_world(on_gpu({"torch==2.9.0"}, "10.0", "535.183.01"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("which needs driver 570.26 or newer; 535.183.01 is older"));
  CHECK_THAT(joined(checked.notes), Contains("cuda-compat-12-8 driver R535"));  // forward compatibility
}

TEST_CASE("check: a build of which nobody states the GPUs is unknown, never no") {
  Known known;
  torch_world(known);
  known.overlay(R"({"of": "other", "versions": ["1"], "built_for": {"cuda": "12.8", "cubins": ["9.0"]}})");
  known.package("other", pure({{"1", {}}, {"2", {}}}));
  const auto checked = known.check(on_gpu({"other"}, "8.0"));
  CHECK(checked.answer == Answer::unknown);
  CHECK(checked.text == "nobody states for which GPUs other 2 is built");
  auto strict = on_gpu({"other"}, "8.0");
  strict.known_only = true;
  CHECK(known.check(strict).answer == Answer::no);
}

TEST_CASE("check: a build for CPUs does not use a GPU, and does run without one") {
  const auto checked = in_torch_world(on_gpu({"torch==2.9.0+cpu"}, "8.0"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("torch 2.9.0+cpu is built for CPUs and does not use a GPU"));
  CHECK(in_torch_world(question({"torch==2.9.0+cpu"})).answer == Answer::yes);
}

TEST_CASE("check: a framework that others take along may run on the CPU") {
  Known known;
  torch_world(known);
  known.package("tensorflow", pure({{"2", {}}})).package("app", pure({{"1", {"tensorflow", "torch==2.4.0"}}}));
  known.overlay(R"({"of": "tensorflow", "versions": "*", "built_for": {"cuda": "none"}})");
  const auto taken = known.check(on_gpu({"app"}, "8.0"));
  CHECK(taken.answer == Answer::yes);
  CHECK_THAT(joined(taken.notes), Contains("tensorflow 2 is built for CPUs"));
  CHECK(known.check(on_gpu({"app", "tensorflow"}, "8.0")).answer == Answer::no);
}

TEST_CASE("check: what needs a plugin for GPUs") {
  Known known;
  torch_world(known);
  known.package("jax", R"({"0.6": {"wheels": {"any": "py3-none"}, "requires": ["jax-cuda12-plugin==0.6; extra == \"cuda12\""]}})");
  known.package("jax-cuda12-plugin", pure({{"0.6", {}}}));
  known.overlay(R"({"of": "jax", "versions": "*", "gpu_from": ["jax-cuda12-plugin"], "instead": "jax[cuda12]"},
    {"of": "jax-cuda12-plugin", "versions": "*", "built_for": {"cuda": "12.8", "cubins": ["8.0"]}})");
  const auto checked = known.check(on_gpu({"jax"}, "8.0"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("jax from the index runs on CPUs; a plugin makes it use a GPU: jax[cuda12]"));
  REQUIRE_FALSE(checked.nearest.empty());
  CHECK(known.check(on_gpu({"jax[cuda12]"}, "8.0")).answer == Answer::yes);
  CHECK(known.check(on_gpu({"jax[cuda12]"}, "7.0")).answer == Answer::no);
}

TEST_CASE("check: what an extra of its own makes use a GPU") {
  Known known;
  torch_world(known);
  known.package("server", R"({"1": {"wheels": {"any": "py3-none"}, "requires": ["torch==2.4.0; extra == \"srt\""]}})");
  known.overlay(R"({"of": "server", "versions": "*", "built_for": {"cuda": "none"}, "note": "alone a client", "instead": "server[srt]"})");
  const auto checked = known.check(on_gpu({"server"}, "8.0"));
  CHECK(checked.answer == Answer::no);
  REQUIRE_FALSE(checked.nearest.empty());
  CHECK(checked.nearest[0].install == Texts{"server[srt]"});
  CHECK(known.check(on_gpu({"server", "torch==2.4.0"}, "8.0")).answer == Answer::no);  // asked for, and a client alone
  const auto whole = known.check(on_gpu({"server[srt]"}, "8.0"));
  CHECK(whole.answer == Answer::yes);
  CHECK(joined(whole.notes).find("client") == std::string::npos);
}

// "Binary compatibility between desktop and Tegra is not supported" (CUDA C++ Programming Guide).
TEST_CASE("check: a Jetson runs code for itself alone") {
  Known known;
  torch_world(known);
  known.package("own", pure({{"1", {}}})).package("portable", pure({{"1", {}}})).package("others", pure({{"1", {}}}));
  known.overlay(R"({"of": "others", "versions": "*", "built_for": {"cuda": "12.6", "cubins": ["8.0", "8.6"]}},
    {"of": "own", "versions": "*", "built_for": {"cuda": "12.6", "cubins": ["8.7"]}},
    {"of": "portable", "versions": "*", "built_for": {"cuda": "12.6", "cubins": ["8.0"], "ptx": ["8.0"]}})");
  const auto asked = [&](const std::string& package) {
    auto orin = on_gpu({package}, "8.7");
    orin.gpu->jetson = true;
    return known.check(orin);
  };
  CHECK(known.check(on_gpu({"others"}, "8.7")).answer == Answer::yes);
  CHECK(asked("others").answer == Answer::unknown);
  CHECK_THAT(asked("others").text, Contains("others 1 is built for GPUs of PCs and servers") && Contains("JetPack"));
  CHECK(asked("own").answer == Answer::yes);
  // PTX is compiled where code does not fit; where it would fit, reach() says `cubin`, and nothing says whether the driver goes on.
  CHECK(asked("portable").answer == Answer::unknown);
}

TEST_CASE("check: AMD's and NVIDIA's builds are for their own") {
  Known known;
  torch_world(known);
  known.overlay(R"({"of": "torch", "versions": ["2.9.0+rocm6.4"], "built_for": {"rocm": "6.4", "gfx": ["gfx90a", "gfx942"]}})");
  CHECK_THAT(known.check(on_gpu({"torch==2.9.0+rocm6.4"}, "8.0")).text, Contains("torch 2.9.0+rocm6.4 is built for AMD's ROCm"));
  auto amd = on_gpu({"torch==2.9.0+rocm6.4"}, "");
  amd.gpu = AskedGpu{"mi250x", "MI250X", "mi250x", "amd", "cdna2", "", "gfx90a", true};
  CHECK(known.check(amd).answer == Answer::yes);
  amd.gpu->gfx = "gfx1100";
  CHECK_THAT(known.check(amd).text, Contains("has no kernels for MI250X (gfx1100); it has them for gfx90a, gfx942"));
  amd.asked = question({"torch==2.9.0"}).asked;
  CHECK_THAT(known.check(amd).text, Contains("torch 2.9.0 is built for NVIDIA's CUDA"));
}

TEST_CASE("check: Google's builds are for the chips that they drive") {
  Known known;
  torch_world(known);
  known.overlay(R"({"of": "torch", "versions": ["2.9.0+tpu"], "built_for": {"tpu": ["tpu-v4", "tpu-v5e"]}})");
  CHECK_THAT(known.check(on_gpu({"torch==2.9.0+tpu"}, "8.0")).text, Contains("torch 2.9.0+tpu is built for Google's TPUs"));
  auto tpu = on_gpu({"torch==2.9.0+tpu"}, "");
  tpu.gpu = AskedGpu{"tpu-v5e", "TPU v5e", "v5e", "google", "tpu", "", "", false};
  CHECK(known.check(tpu).answer == Answer::yes);
  tpu.gpu->name = "tpu7x", tpu.gpu->asked = "TPU7x";
  CHECK_THAT(known.check(tpu).text, Contains("has no code for TPU7x; it has it for tpu-v4, tpu-v5e"));
}

TEST_CASE("check: what never runs as installed is a no with its reason") {
  Known known;
  torch_world(known);
  known.overlay(R"({"of": "torch", "versions": ["2.4.0"], "fails": "a library is missing"})");
  const auto checked = known.check(on_gpu({"torch==2.4.0"}, "8.0"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("torch 2.4.0 cannot be used: a library is missing"));
  CHECK(checked.overlays.size() == 1);
}

TEST_CASE("check: an installer does not know what fails") {
  Known known;
  known.package("a", pure({{"1", {}}, {"2", {}}}));
  known.facts(R"({"of": "a", "versions": ["2"], "fails": "a library is missing"})");
  const auto checked = known.check(question({"a"}));
  CHECK(checked.answer == Answer::no);
  CHECK(stack_of(checked, "a") == "2");
}

TEST_CASE("check: an installer does not know for which CUDA a library must be") {
  Known known;
  torch_world(known);
  known.package("bits", pure({{"1", {"torch"}}}));
  known.overlay(R"({"of": "bits", "versions": "*", "built_for": {"cuda": "any"}, "cudas": ["12.1"], "cubins_for": {"12.1": ["8.0", "9.0"]}})");
  const auto newest = known.check(on_gpu({"bits"}, "8.0"));
  CHECK(stack_of(newest, "torch") == "2.9.0");
  CHECK(newest.answer == Answer::no);
  CHECK(known.check(on_gpu({"bits", "torch==2.4.0"}, "8.0")).answer == Answer::yes);
  const auto old = known.check(on_gpu({"bits", "torch==2.4.0"}, "7.0"));
  CHECK(old.answer == Answer::no);
  CHECK_THAT(old.text, Contains("the library for CUDA 12.1 in bits 1 has no kernels for V100 (sm_70)"));
}

TEST_CASE("check: what is loaded from the system is noted") {
  Known known;
  torch_world(known);
  known.package("tensorflow", pure({{"2.5", {}}}));
  known.overlay(R"({"of": "tensorflow", "versions": "*", "built_for": {"cuda": "11.7", "cubins": ["8.0"]}, "system": {"cuda": "11.2", "cudnn": "8.1"}})");
  CHECK_THAT(joined(known.check(on_gpu({"tensorflow"}, "8.0")).notes), Contains("tensorflow 2.5 loads CUDA 11.2 and cuDNN 8.1 of the system"));
}

TEST_CASE("check: forward compatibility counts where cuda-compat is there, on data-center GPUs and its drivers") {
  const auto with = [](const char* compat, const char* driver, bool data_center = true) {
    Known known;
    known.package("a", pure({{"1", {}}})).facts(R"(
      {"of": "a", "versions": ["1"], "built_for": {"cuda": "12.8", "cubins": ["8.0"]}},
      {"of": "cuda", "versions": ["12.8"], "driver": "570.26", "minor": "525.60.13"},
      {"of": "cuda-compat", "cuda": "12.6", "branches": ["470"]}, {"of": "cuda-compat", "cuda": "12.8", "branches": ["470"]},
      {"of": "cuda-compat", "cuda": "13.0", "branches": ["515"]})");
    auto question = on_gpu({"a"}, "8.0", driver);
    question.gpu->data_center = data_center;
    question.cuda_compat = compat;
    return known.check(question);
  };
  CHECK(with("", "470.57.02").answer == Answer::no);
  CHECK(with("12.8", "470.57.02").answer == Answer::yes);
  CHECK(with("12.8", "450.80.02").answer == Answer::no);
  CHECK(with("12.8", "515.43").answer == Answer::no);
  CHECK(with("13.0", "515.43").answer == Answer::yes);   // newer than the build needs
  CHECK(with("12.6", "470.57.02").answer == Answer::no);  // older
  CHECK(with("12.8", "470.57.02", false).answer == Answer::no);
  CHECK(with("12.8", "525.60.13").answer == Answer::yes);
  CHECK(with("12.8", "").driver == ">=470,<471 or >=525.60.13");
}

TEST_CASE("check: an older cuda-compat of the same major version runs machine code, not PTX, and a no names it") {
  const auto with = [](const char* compat, const char* code) {
    Known known;
    known.package("a", pure({{"1", {}}})).facts(std::string(R"(
      {"of": "cuda", "versions": ["13.0"], "driver": "580.65.06", "minor": "580"},
      {"of": "cuda", "versions": ["13.2"], "driver": "595.45.04", "minor": "580"},
      {"of": "cuda-compat", "cuda": "13.0", "branches": ["550"]},
      {"of": "a", "versions": ["1"], "built_for": {"cuda": "13.2", )") + code + "}}");
    auto question = on_gpu({"a"}, "8.0", "550.54.14");
    question.gpu->data_center = true;
    question.cuda_compat = compat;
    return known.check(question);
  };
  constexpr auto machine_code = R"("cubins": ["8.0"])", ptx = R"("cubins": [], "ptx": ["7.5"])";
  CHECK(with("13.0", machine_code).answer == Answer::yes);
  CHECK(with("13.0", ptx).answer == Answer::no);
  const auto no = with("", machine_code);
  CHECK(no.answer == Answer::no);
  CHECK_THAT(joined(no.notes), Contains("cuda-compat-13-0 driver R550"));
}

TEST_CASE("check: a library of the system counts in any release of its major version") {
  const auto on = [](const char* capability, const char* cudnn) {
    Known known;
    known.package("tensorflow", R"({"2.15.0": {"wheels": {"manylinux2014_x86_64": "cp311-cp311"}, "requires": []}})")
        .package("nvidia-cudnn-cu12", R"({"8.9.4.25": {"wheels": {"manylinux2014_x86_64": "py3-none"}, "requires": []},
                                          "8.9.7.29": {"wheels": {"manylinux2014_x86_64": "py3-none"}, "requires": []},
                                          "9.10.2.21": {"wheels": {"manylinux2014_x86_64": "py3-none"}, "requires": []}})")
        .facts(std::string(drivers) + R"(,
          {"of": "tensorflow", "versions": "*", "built_for": {"cuda": "12.1", "cubins": ["7.0"], "ptx": ["7.0"]},
           "system": {"cuda": "12.1", "cudnn": ")" + cudnn + R"("}},
          {"of": "nvidia-cudnn-cu12", "versions": ["8.9.4.25"], "built_for": {"cuda": "12.0", "cubins": ["7.0", "8.0"]}},
          {"of": "nvidia-cudnn-cu12", "versions": ["8.9.7.29"], "built_for": {"cuda": "12.0", "cubins": ["7.0", "9.0"]}},
          {"of": "nvidia-cudnn-cu12", "versions": ["9.10.2.21"], "built_for": {"cuda": "12.0", "cubins": ["12.0"]}})");
    return known.check(on_gpu({"tensorflow==2.15.0"}, capability));
  };
  CHECK(on("9.0", "8.9").answer == Answer::yes);  // 8.9.7 has it
  CHECK(on("8.0", "8.9").answer == Answer::yes);  // 8.9.4 has it
  CHECK(on("8.0", "8.9.5").answer == Answer::no);
  CHECK_THAT(joined(on("12.0", "9.1").notes), Contains("tensorflow 2.15.0 loads CUDA 12.8 and cuDNN 9.1 of the system; older releases have no code for"));
  CHECK_THAT(joined(on("8.0", "8.9").notes), Contains("loads CUDA 12.1 and cuDNN 8.9 of the system\n"));
  CHECK(on("12.0", "9.1").answer == Answer::yes);
  CHECK(on("12.0", "7.6").answer == Answer::yes);  // nobody states anything of cuDNN 7
  const auto checked = on("12.0", "8.9");
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("tensorflow 2.15.0 cannot be used: it loads cuDNN 8 of the system, and no release of that has "
                                    "kernels for") && Contains("(sm_120)"));
}

TEST_CASE("check: what a release works with alone, where that is there") {
  Known known;
  torch_world(known);
  known.package("vision", pure({{"1", {"torch==1.13.1", "numpy"}}}));
  known.overlay(R"({"of": "torch", "versions": "<2.9", "beside": {"numpy": "<2"}})");
  const auto asked = [&](const Texts& texts) { return known.check(on_gpu(texts, "8.0")); };
  const auto checked = asked({"torch==2.4.0", "numpy==2.0"});
  CHECK(checked.answer == Answer::no);
  CHECK(checked.text == "torch 2.4.0 needs numpy <2, and numpy ==2.0 is asked for");
  CHECK(asked({"torch==2.4.0", "numpy==1.26.4"}).answer == Answer::yes);
  CHECK(asked({"torch==2.4.0", "numpy==1.26.4"}).notes.empty());
  for (const Texts& open : {Texts{"torch==1.13.1", "numpy"}, Texts{"vision"}})  // its torch says nothing of NumPy
    CHECK_THAT(joined(asked(open).notes), Contains("torch 1.13.1 works with numpy <2 alone") && Contains("ask for \"numpy<2\", too"));
  CHECK_THAT(joined(asked({"torch==2.4.0"}).notes), Contains("works with numpy <2 alone"));  // it requires numpy <3
  CHECK(asked({"torch==2.9.0", "numpy==2.0"}).answer == Answer::yes);
  CHECK(asked({"torch==1.13.1"}).notes.empty());  // nothing brings NumPy
}

TEST_CASE("check: of source alone its wheels are told") {
  Known known;
  torch_world(known);
  known.package("array-cuda12", pure({{"1", {}}}));
  known.overlay(R"({"of": "array", "versions": "*", "instead": "array-cuda12", "note": "on the index as source alone"},
    {"of": "array-cuda12", "versions": "*", "built_for": {"cuda": "12.1", "minimum": "7.0"}})");
  const auto checked = known.check(on_gpu({"array"}, "8.0"));
  CHECK(checked.answer == Answer::unknown);
  CHECK(checked.text == "array is on the index as source alone");
  REQUIRE(checked.nearest.size() == 1);
  CHECK(checked.nearest[0].changes_text() == "array-cuda12 1 instead of array");
  CHECK(checked.nearest[0].install == Texts{"array-cuda12"});
  CHECK(known.check(on_gpu({"array"}, "6.0")).nearest.empty());
}

}  // namespace check_tests
