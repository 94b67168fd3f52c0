// check() on small worlds. That it takes what pip would take is test_check_property.cpp's.
#include "advisor/check/check.hpp"

#include <catch2/catch.hpp>

#include "advisor/check/check_json.hpp"
#include "specs/format/json.hpp"
#include "tests/advisor/known.hpp"

namespace check_tests {

using namespace stackx;
using namespace stackx::advisor;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

namespace {

// torch as it is: a build for each CUDA, wheels for some Pythons, NVIDIA's libraries as packages.
const char* const torch = R"({
  "1.13.1": {"wheels": {"manylinux1_x86_64": "cp38-cp38 cp311-cp311"}, "requires": ["nvidia-cudnn-cu11==8.5.0.96"]},
  "2.4.0": {"wheels": {"manylinux1_x86_64": "cp310-cp310 cp311-cp311", "manylinux2014_aarch64": "cp311-cp311"},
            "requires": ["numpy<3", "nvidia-cudnn-cu12==9.1.0.70; platform_machine == \"x86_64\"", "opt-einsum>=3.3; extra == \"opt-einsum\""]},
  "2.9.0": {"wheels": {"manylinux_2_28_x86_64": "cp311-cp311 cp313-cp313"}, "requires": ["nvidia-cudnn-cu12==9.10.2.21; platform_machine == \"x86_64\""]},
  "2.9.1": {"yanked": true, "wheels": {"manylinux_2_28_x86_64": "cp311-cp311"}, "requires": []}})";
const char* const drivers = R"(
  {"of": "cuda", "versions": ["11.7"], "driver": "515.43", "minor": "450.80.02"},
  {"of": "cuda", "versions": ["12.1"], "driver": "530.30", "minor": "525.60.13"},
  {"of": "cuda", "versions": ["12.6"], "driver": "560.28", "minor": "525.60.13"},
  {"of": "cuda", "versions": ["12.8"], "driver": "570.26", "minor": "525.60.13"},
  {"of": "driver", "gpu": ["9.0"], "since": "525.60.13"}, {"of": "driver", "gpu": ["12.0"], "since": "570.20"},
  {"of": "driver", "branch": "470", "last_for": ["3.7"]}, {"of": "cuda-compat", "cuda": "12.8", "branches": ["535"]})";
const std::string builds = std::string(drivers) + R"(,
  {"of": "torch", "versions": ["1.13.1"], "built_for": {"cuda": "11.7", "cubins": ["3.7", "5.0", "6.0", "7.0", "8.0"]}},
  {"of": "torch", "versions": ["2.4.0"], "built_for": {"cuda": "12.1", "cubins": ["5.0", "6.0", "7.0", "8.0", "9.0"]},
   "known": "read", "source": {"url": "https://h", "read": "2026-11-21"}},
  {"of": "torch", "versions": ["2.4.0"], "machine": "aarch64", "built_for": {"cuda": "none"}, "note": "PyPI's wheel for aarch64"},
  {"of": "torch", "versions": ["2.9.0"], "built_for": {"cuda": "12.8", "cubins": ["7.5", "8.0", "9.0"], "ptx": ["9.0"]}},
  {"of": "torch", "versions": ["2.9.0+cu126"], "built_for": {"cuda": "12.6", "cubins": ["5.0", "7.0", "8.0", "9.0"]}},
  {"of": "torch", "versions": ["2.9.0+cpu"], "built_for": {"cuda": "none"}},
  {"of": "nvidia-cudnn-cu12", "versions": "*", "built_for": {"cuda": "12.0", "cubins": ["5.0", "6.0", "7.0", "8.0", "9.0"]}})";

void torch_world(Known& known) {
  known.package("torch", torch);
  known.package("nvidia-cudnn-cu11", R"({"8.5.0.96": {"wheels": {"manylinux1_x86_64": "py3-none"}, "requires": []}})");
  known.package("nvidia-cudnn-cu12", R"({"9.1.0.70": {"wheels": {"manylinux1_x86_64": "py3-none"}, "requires": []},
    "9.10.2.21": {"wheels": {"manylinux1_x86_64": "py3-none"}, "requires": []}})");
  known.facts(builds);
}
Checked in_torch_world(const Question& question) {
  Known known;
  torch_world(known);
  return known.check(question);
}

// Versions of pure Python: {"1": [...], ...}
std::string pure(const std::map<std::string, Texts>& versions) {
  auto json = specs::Json::object();
  for (const auto& [version, requirements] : versions)
    json[version] = {{"wheels", {{"any", "py3-none"}}}, {"requires", requirements}};
  return json.dump();
}
std::string stack_of(const Checked& checked, const std::string& package) {
  const auto found = checked.stack.components.find(package);
  return found == checked.stack.components.end() ? "" : found->second;
}
std::string joined(const Texts& texts) {
  std::string all;
  for (const auto& text : texts) all += text + "\n";
  return all;
}
bool not_judged(const Checked& checked, const std::string& name) {
  return std::ranges::find(checked.not_judged, name) != checked.not_judged.end();
}

}  // namespace

TEST_CASE("check: yes, with what would be installed and the drivers that do") {
  const auto checked = in_torch_world(on_gpu({"torch==2.4.0"}, "7.0"));
  CHECK(checked.answer == Answer::yes);
  CHECK(checked.text == "torch==2.4.0 runs on V100 (sm_70) with driver >=525.60.13 on Python 3.11");
  CHECK(checked.because.at(0) == "torch 2.4.0 has code for it");
  CHECK(checked.driver == ">=525.60.13");
  CHECK(checked.pythons == Texts{"3.11"});
  CHECK(stack_of(checked, "torch") == "2.4.0");
  CHECK(stack_of(checked, "nvidia-cudnn-cu12") == "9.1.0.70");
  CHECK(checked.nearest.empty());
  CHECK(checked.clash.empty());
  CHECK(not_judged(checked, "numpy"));
  CHECK(checked.as_of == "2026-11-22");
  const auto used = [&](const std::string& package, const std::string& known) {
    return std::ranges::any_of(checked.facts, [&](const auto& one) { return one.package == package && one.known == known; });
  };
  CHECK(used("torch", "generated"));
  CHECK(used("torch", "read"));
  CHECK_FALSE(used("numpy", "generated"));
  CHECK(checked.overlays.empty());
}

TEST_CASE("check: no by compute capability, and the same version in another build is nearest") {
  const auto checked = in_torch_world(on_gpu({"torch==2.9.0"}, "7.0"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("torch 2.9.0 has no kernels for V100 (sm_70)"));
  REQUIRE(checked.because.size() > 1);
  CHECK_THAT(checked.because[1], Contains("torch 2.9.0 is built for CUDA 12.8 and compute capability 7.5, 8.x, 9.x"));
  CHECK(stack_of(checked, "torch") == "2.9.0");  // what would be installed
  CHECK_FALSE(checked.clash.empty());
  REQUIRE_FALSE(checked.nearest.empty());
  REQUIRE(checked.nearest[0].changes.size() == 1);
  CHECK(checked.nearest[0].changes[0].name == "torch");
  CHECK(checked.nearest[0].changes[0].to == "2.9.0+cu126");
}

TEST_CASE("check: what an installer would take is judged, not what it could") {
  const auto checked = in_torch_world(on_gpu({"torch"}, "7.0"));
  CHECK(checked.answer == Answer::no);
  CHECK(stack_of(checked, "torch") == "2.9.0");
}

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

TEST_CASE("check: no wheel for this Python") {
  const auto checked = [&] {
    auto asked = on_gpu({"torch==2.4.0"}, "7.0");
    asked.python = "3.13";
    return in_torch_world(asked);
  }();
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("torch 2.4.0 has wheels for Python 3.10 to 3.11, not for 3.13"));
  CHECK(checked.stack.components.empty());
}

TEST_CASE("check: without a Python named, those that take the same") {
  auto asked = on_gpu({"torch==2.4.0"}, "7.0");
  asked.python.clear();
  const auto checked = in_torch_world(asked);
  CHECK(checked.answer == Answer::yes);
  CHECK(checked.pythons == Texts{"3.11", "3.10"});
  CHECK_THAT(checked.text, Contains("on Python 3.10 to 3.11"));
}

TEST_CASE("check: glibc is too old for the wheels") {
  auto asked = on_gpu({"torch==2.9.0"}, "8.0");
  asked.glibc = "2.27";
  const auto checked = in_torch_world(asked);
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("torch 2.9.0 has wheels for glibc >=2.28, and here is 2.27"));
  asked.glibc = "2.28";
  CHECK(in_torch_world(asked).answer == Answer::yes);
  auto older = on_gpu({"torch"}, "8.0");
  older.glibc = "2.27";
  CHECK(stack_of(in_torch_world(older), "torch") == "2.4.0");  // as pip falls back
}

TEST_CASE("check: another processor, its own wheels and builds") {
  auto asked = on_gpu({"torch==2.9.0"}, "9.0");
  asked.machine = "aarch64";
  const auto missing = in_torch_world(asked);
  CHECK(missing.answer == Answer::no);
  CHECK_THAT(missing.text, Contains("torch 2.9.0 has no wheel for aarch64"));
  asked.asked = question({"torch==2.4.0"}).asked;
  const auto for_cpus = in_torch_world(asked);
  CHECK(for_cpus.answer == Answer::no);
  CHECK_THAT(for_cpus.text, Contains("torch 2.4.0 is built for CPUs and does not use a GPU (PyPI's wheel for aarch64)"));
  CHECK(stack_of(for_cpus, "nvidia-cudnn-cu12").empty());  // whose marker does not hold
}

TEST_CASE("check: pins clash, and the sentence names both sides") {
  Known known;
  torch_world(known);
  known.package("vision", pure({{"1", {"torch==2.9.0"}}}));
  const auto checked = known.check(on_gpu({"vision", "torch==2.4.0"}, "8.0"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("vision 1 needs torch ==2.9.0") && Contains("torch ==2.4.0 is asked for"));
  CHECK_FALSE(checked.clash.empty());
  CHECK(checked.stack.components.empty());
  REQUIRE_FALSE(checked.nearest.empty());
}

TEST_CASE("check: constraints restrict what somebody requires, and ask for nothing") {
  Known known;
  torch_world(known);
  auto asked = on_gpu({"torch"}, "7.0");
  asked.constraints = question({"torch<2.5", "nothing==1"}).asked;
  CHECK(stack_of(known.check(asked), "torch") == "2.4.0");
  CHECK(known.check(asked).answer == Answer::yes);
}

TEST_CASE("check: an extra takes along what it requires, in that very version") {
  Known known;
  known.package("a", R"({"1": {"wheels": {"any": "py3-none"}, "requires": ["b; extra == \"x\"", "c"]},
                         "2": {"wheels": {"any": "py3-none"}, "requires": ["b>=2; extra == \"x\"", "c", "a[x]; extra == \"all\""]}})");
  known.package("b", pure({{"1", {}}, {"2", {}}})).package("c", pure({{"1", {}}}));
  const auto checked = known.check(question({"a[x]"}));
  CHECK(checked.answer == Answer::yes);
  CHECK(checked.stack.components ==
        std::map<std::string, std::string>{{"a", "2"}, {"a+x", "2"}, {"b", "2"}, {"c", "1"}, {"machine", "x86_64"}, {"python", "3.11.0"}});
  CHECK(stack_of(known.check(question({"a"})), "b").empty());
  CHECK(stack_of(known.check(question({"a[all]"})), "b") == "2");  // an extra may name another
  CHECK(stack_of(known.check(question({"a[x]", "b<2"})), "a") == "1");
}

TEST_CASE("check: what was yanked is taken only where it is named alone") {
  CHECK(stack_of(in_torch_world(question({"torch"})), "torch") == "2.9.0");
  CHECK(stack_of(in_torch_world(question({"torch>=2.9"})), "torch") == "2.9.0");
  CHECK(stack_of(in_torch_world(question({"torch==2.9.1"})), "torch") == "2.9.1");
  CHECK(in_torch_world(question({"torch>2.9"})).answer == Answer::unknown);
}

TEST_CASE("check: a local build is taken only where one is named") {
  CHECK(stack_of(in_torch_world(on_gpu({"torch"}, "8.0")), "torch") == "2.9.0");
  CHECK(stack_of(in_torch_world(on_gpu({"torch==2.9.0"}, "8.0")), "torch") == "2.9.0");
  const auto named = in_torch_world(on_gpu({"torch==2.9.0+cu126"}, "7.0"));
  CHECK(named.answer == Answer::yes);
  CHECK(stack_of(named, "torch") == "2.9.0+cu126");
  CHECK(stack_of(named, "nvidia-cudnn-cu12").empty());  // holds its own
}

TEST_CASE("check: a version that nobody lists is unknown, with its neighbours") {
  const auto checked = in_torch_world(on_gpu({"torch==2.5.0"}, "8.0"));
  CHECK(checked.answer == Answer::unknown);
  CHECK(checked.text == "no torch 2.5.0 is known; known are 2.4.0 and 2.9.0 and 2.9.1");
  CHECK_THAT(joined(checked.notes), Contains("stackx catalog refresh"));
  CHECK_THAT(in_torch_world(on_gpu({"torch==2.9.0+cu999"}, "8.0")).text, Contains("no torch 2.9.0+cu999 is known; the nearest known is 2.9.0+cu126"));
}

TEST_CASE("check: a package that nobody lists is unknown beside a GPU, and not judged beside others") {
  const auto alone = in_torch_world(on_gpu({"magic"}, "8.0"));
  CHECK(alone.answer == Answer::unknown);
  CHECK(not_judged(alone, "magic"));
  const auto beside = in_torch_world(on_gpu({"torch==2.4.0", "magic"}, "8.0"));
  CHECK(beside.answer == Answer::yes);
  CHECK_THAT(beside.text, Contains("torch==2.4.0 runs on "));  // the yes is of what is judged
  CHECK_FALSE(beside.text.contains("magic"));
  CHECK(beside.not_judged.at(0) == "magic");  // what was asked for comes first
}

TEST_CASE("check: nothing but what nobody lists is no yes on a processor either") {
  CHECK(in_torch_world(question({"magic==1"})).answer == Answer::unknown);
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

TEST_CASE("check: nothing that uses a GPU is unknown") {
  Known known;
  known.package("a", pure({{"1", {}}}));
  const auto checked = known.check(on_gpu({"a"}, "8.0"));
  CHECK(checked.answer == Answer::unknown);
  CHECK(checked.text == "nothing in a is known to use a GPU");
  CHECK(known.check(question({"a"})).answer == Answer::yes);  // where no GPU is to be used
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

TEST_CASE("check: where no release runs, what else is known to run there") {
  Known known;
  torch_world(known);
  known.package("tensorflow", pure({{"2", {}}}));
  known.overlay(R"({"of": "tensorflow", "versions": "*", "built_for": {"cuda": "12.8", "cubins": ["8.0"]}})");
  const auto checked = known.check(on_gpu({"tensorflow"}, "7.0"));
  CHECK(checked.answer == Answer::no);
  CHECK(checked.nearest.empty());
  CHECK_THAT(joined(checked.notes), Contains("no release of tensorflow that is known has code for V100 (sm_70)"));
  CHECK_THAT(joined(checked.notes), Contains("what is known to run there: torch 2.4.0"));
  CHECK_FALSE(joined(known.check(on_gpu({"tensorflow"}, "2.0")).notes).contains("known to run there"));
}

TEST_CASE("check: an old driver and an old release together are the nearest for an old GPU") {
  const auto checked = in_torch_world(on_gpu({"torch==2.4.0"}, "3.7", "535.54.03"));
  CHECK(checked.answer == Answer::no);
  REQUIRE_FALSE(checked.nearest.empty());
  CHECK(checked.nearest[0].changes_text() == "torch 1.13.1 instead of 2.4.0, driver >=450.80.02,<471 instead of 535.54.03");
}

TEST_CASE("check: another Python is the nearest where no release for this one runs") {
  auto old = on_gpu({"torch"}, "9.0");
  old.python = "3.8";
  const auto checked = in_torch_world(old);
  CHECK(checked.answer == Answer::no);
  CHECK(checked.text == "torch 2.9.0 has wheels for Python 3.11 to 3.13, not for 3.8; an installer falls back, and torch 1.13.1 has no "
                        "kernels for V100 (sm_90)");
  REQUIRE_FALSE(checked.nearest.empty());
  CHECK(checked.nearest[0].changes_text() == "Python 3.11 instead of 3.8, torch 2.9.0");
  CHECK(checked.nearest[0].install == Texts{"torch==2.9.0"});
}

TEST_CASE("check: an extra that brings nothing for a GPU is not the nearest") {
  Known known;
  torch_world(known);
  known.package("jax", R"({"0.4": {"wheels": {"any": "py3-none"}, "requires": []},
    "0.6": {"wheels": {"any": "py3-none"}, "requires": ["jax-cuda12-plugin==0.6; extra == \"cuda12\""]}})");
  known.package("jax-cuda12-plugin", pure({{"0.6", {}}}));
  known.overlay(R"({"of": "jax", "versions": "*", "gpu_from": ["jax-cuda12-plugin"], "instead": "jax[cuda12]"},
    {"of": "jax-cuda12-plugin", "versions": "*", "built_for": {"cuda": "12.8", "cubins": ["8.0"]}})");
  const auto checked = known.check(on_gpu({"jax==0.4"}, "8.0"));
  REQUIRE_FALSE(checked.nearest.empty());
  CHECK(checked.nearest[0].changes_text() == "jax[cuda12] 0.6 instead of jax");
  CHECK(known.check(on_gpu({"jax"}, "3.7")).nearest.empty());
}

// As vllm 0.1.3, the last that does not say which torch it takes.
TEST_CASE("check: a release that nobody means is not judged without what the newest needs") {
  Known known;
  torch_world(known);
  known.package("server", pure({{"0.1", {}}, {"2", {"torch==2.4.0"}}, {"3", {"torch==2.4.0"}}}));
  known.overlay(R"({"of": "server", "versions": ">=2", "built_for": {"cuda": "any", "cubins": ["8.0"]}})");
  const auto checked = known.check(on_gpu({"torch==2.9.0", "server"}, "8.0"));
  CHECK(checked.answer == Answer::unknown);
  CHECK(checked.text == "server 3 needs torch ==2.4.0, and torch ==2.9.0 is asked for; an installer falls back, and nobody states "
                        "for which GPUs server 0.1 is built");
  CHECK(stack_of(checked, "server") == "0.1");  // what would be installed
  REQUIRE_FALSE(checked.nearest.empty());
  CHECK(checked.nearest[0].install == Texts{"torch==2.4.0", "server==3"});
  CHECK(checked.nearest[0].changes_text() == "torch 2.4.0 instead of 2.9.0, server 3");
  const auto meant = known.check(on_gpu({"torch==2.9.0", "server==0.1"}, "8.0"));
  CHECK(meant.answer == Answer::unknown);
  CHECK(meant.text == "nobody states for which GPUs server 0.1 is built");
  CHECK(meant.nearest.empty());
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

TEST_CASE("check: constraints may use other names, too") {
  Known known;
  torch_world(known);
  known.overlay("", R"({"torch": {"kind": "package", "aliases": ["pytorch"], "versions": {}}})");
  auto asked = on_gpu({"torch"}, "7.0");
  asked.constraints = question({"pytorch<2.5"}).asked;
  CHECK(stack_of(known.check(asked), "torch") == "2.4.0");
}

TEST_CASE("check: other names are the same packages") {
  Known known;
  torch_world(known);
  known.package("app", pure({{"1", {"pytorch==2.4.0"}}}));
  known.overlay("", R"({"torch": {"kind": "package", "aliases": ["pytorch"], "versions": {}}})");
  CHECK(stack_of(known.check(on_gpu({"pytorch==2.4.0"}, "8.0")), "torch") == "2.4.0");
  const auto checked = known.check(on_gpu({"app"}, "8.0"));
  CHECK(checked.answer == Answer::yes);
  CHECK(stack_of(checked, "torch") == "2.4.0");
  CHECK(known.check(on_gpu({"app", "torch==2.9.0"}, "8.0")).answer == Answer::no);
}

TEST_CASE("check: an overlay adds a version") {
  Known known;
  torch_world(known);
  known.overlay(R"({"of": "torch", "versions": ["2.10.0"], "built_for": {"cuda": "12.8", "cubins": ["7.0"]}})",
                R"({"torch": {"kind": "package", "versions": {"2.10.0": {"requires": {"python": ">=3.11"}}}}})");
  const auto checked = known.check(on_gpu({"torch"}, "7.0"));
  CHECK(checked.answer == Answer::yes);
  CHECK(stack_of(checked, "torch") == "2.10.0");
  CHECK(checked.overlays.size() == 1);
  auto older = on_gpu({"torch==2.10.0"}, "7.0");
  older.python = "3.10";
  CHECK(known.check(older).answer == Answer::no);
}

TEST_CASE("check: an overlay overrides a fact") {
  Known known;
  torch_world(known);
  known.overlay(R"({"of": "torch", "versions": ["2.9.0"], "built_for": {"cuda": "12.8", "cubins": ["7.0"]}})");
  CHECK(known.check(on_gpu({"torch==2.9.0"}, "7.0")).answer == Answer::yes);
  CHECK(known.check(on_gpu({"torch==2.9.0"}, "8.0")).answer == Answer::no);
}

TEST_CASE("check: an overlay's demands count, also those that package metadata cannot make") {
  Known known;
  torch_world(known);
  known.overlay(R"({"of": "own", "versions": "*", "built_for": {"cuda": "12.8", "ptx": ["5.0"]}})",
                R"({"own": {"kind": "package", "versions": {
                     "1": {"requires": {"driver": ">=580", "torch": {"any": ["==2.4.0", "==9"]}}},
                     "2": {"requires": {"gpu.compute_capability": ">=9.0"}},
                     "3": {"conflicts": {"torch": "<2.9"}},
                     "4": {"requires_if": [{"if": {"torch": "<2.9"}, "then": {"gpu.compute_capability": ">=9.0"}}]}}}})");
  CHECK(known.check(on_gpu({"own==1"}, "8.0", "575.1")).answer == Answer::no);
  CHECK(stack_of(known.check(on_gpu({"own==1"}, "8.0", "580.1")), "torch") == "2.4.0");
  CHECK(known.check(question({"own==1"})).answer == Answer::yes);  // without a GPU nobody looks at a driver
  CHECK(known.check(on_gpu({"own==2"}, "8.0")).answer == Answer::no);
  CHECK(known.check(on_gpu({"own==2"}, "9.0")).answer == Answer::yes);
  CHECK(known.check(on_gpu({"own==3", "torch==2.4.0"}, "8.0")).answer == Answer::no);
  CHECK(known.check(on_gpu({"own==3", "torch==2.9.0"}, "8.0")).answer == Answer::yes);
  CHECK_THAT(known.check(on_gpu({"own==4", "torch==2.4.0"}, "8.0")).text, Contains("own 4 needs compute capability >=9.0 if torch <2.9"));
  CHECK(known.check(on_gpu({"own==4", "torch==2.4.0"}, "9.0")).answer == Answer::yes);
  CHECK(known.check(on_gpu({"own==4"}, "8.0")).answer == Answer::yes);
}

TEST_CASE("check: of what no catalog holds ranges that exclude each other are a clash") {
  Known known;
  known.package("a", pure({{"1", {"numpy<2"}}, {"2", {"numpy>=2"}}})).package("b", pure({{"1", {"numpy<2"}}}));
  CHECK(stack_of(known.check(question({"a", "b"})), "a") == "1");
  const auto checked = known.check(question({"a==2", "b"}));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("a 2 needs numpy >=2") && Contains("b 1 needs numpy <2"));
  CHECK(known.check(question({"a==2", "numpy==1.26"})).answer == Answer::no);
  const auto apart = known.check(question({"a==1", "b"}));
  CHECK(apart.answer == Answer::yes);
  CHECK(not_judged(apart, "numpy"));
}

TEST_CASE("check: no version is made up of what no catalog holds") {
  Known known;
  known.package("a", pure({{"1", {"numpy<=2"}}, {"2", {"numpy>2"}}}));
  const auto checked = known.check(question({"a"}));
  CHECK(checked.answer == Answer::yes);
  CHECK(stack_of(checked, "a") == "2");
  CHECK(stack_of(checked, "numpy").empty());
  CHECK(not_judged(checked, "numpy"));
}

TEST_CASE("check: a pre-release as a bound excludes nothing that is newer") {
  Known known;
  known.package("a", pure({{"1", {"numpy>2.0rc1"}}}));
  CHECK(known.check(question({"a"})).answer == Answer::yes);
}

TEST_CASE("check: what is only needed by what is not taken decides nothing") {
  Known known;
  known.package("a", pure({{"1", {"d"}}, {"2", {"c"}}})).package("c", pure({{"1", {"d"}}, {"2", {}}})).package("d", pure({{"1", {}}}));
  const auto checked = known.check(question({"a"}));
  CHECK(stack_of(checked, "a") == "2");
  CHECK(stack_of(checked, "c") == "2");
  CHECK(stack_of(checked, "d").empty());
}

TEST_CASE("check: built from source, requirements that nobody read") {
  Known known;
  known.package("a", R"({"1": {"sdist": true}})");
  const auto checked = known.check(question({"a"}));
  CHECK(checked.answer == Answer::yes);
  CHECK_THAT(joined(checked.notes), Contains("a 1 is built here from its source archive"));
  CHECK(not_judged(checked, "what a 1 requires"));
}

TEST_CASE("check: what is loaded from the system is noted") {
  Known known;
  torch_world(known);
  known.package("tensorflow", pure({{"2.5", {}}}));
  known.overlay(R"({"of": "tensorflow", "versions": "*", "built_for": {"cuda": "11.7", "cubins": ["8.0"]}, "system": {"cuda": "11.2", "cudnn": "8.1"}})");
  CHECK_THAT(joined(known.check(on_gpu({"tensorflow"}, "8.0")).notes), Contains("tensorflow 2.5 loads CUDA 11.2 and cuDNN 8.1 of the system"));
}

TEST_CASE("check: a dependency in a version that nobody lists is a no that says so") {
  Known known;
  torch_world(known);
  known.package("app", pure({{"1", {"torch==9"}}}));
  const auto checked = known.check(on_gpu({"app"}, "8.0"));
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("app 1 needs torch ==9, and the index has no such version"));
}

TEST_CASE("check: markers that do not hold ask for nothing") {
  CHECK(in_torch_world(on_gpu({"torch==2.4.0", "torch==2.9.0; python_version < '3.11'"}, "8.0")).answer == Answer::yes);
}

TEST_CASE("check: a cycle of requirements") {
  Known known;
  known.package("a", pure({{"1", {"b"}}, {"2", {"b"}}})).package("b", pure({{"1", {"a<2"}}}));
  CHECK(stack_of(known.check(question({"a"})), "a") == "1");
}

TEST_CASE("check: as JSON") {
  const auto yes = to_json(in_torch_world(on_gpu({"torch==2.4.0"}, "7.0")));
  CHECK(yes["$schema"] == "stackx/check/1");
  CHECK(yes["answer"] == "yes");
  CHECK(yes["driver"] == ">=525.60.13");
  CHECK(yes["nearest"].is_null());
  CHECK_FALSE(yes.contains("clash"));
  CHECK(yes["facts"]["as_of"] == "2026-11-22");
  const auto no = to_json(in_torch_world(on_gpu({"torch==2.9.0"}, "7.0")));
  CHECK(no["answer"] == "no");
  CHECK(no["nearest"]["changes"][0]["to"] == "2.9.0+cu126");
  CHECK(no["clash"].is_array());
}

TEST_CASE("check: beside the version of the index the newer build of another index; extras as people write them") {
  Known known;
  known.package("a", R"({"1": {"wheels": {"any": "py3-none"}, "requires": []}, "2": {"wheels": {"any": "py3-none"}, "requires": []}})")
      .package("b", R"({"1": {"wheels": {"any": "py3-none"}, "requires": ["a>=2; extra == \"x\""]}})")
      .facts(std::string(drivers) + R"(,
        {"of": "a", "versions": ["1"], "built_for": {"cuda": "12.1", "cubins": ["7.0"]}},
        {"of": "a", "versions": ["2"], "built_for": {"cuda": "12.6", "cubins": ["8.0"]}},
        {"of": "a", "versions": ["2+cu121"], "built_for": {"cuda": "12.1", "cubins": ["7.0"]}})");
  for (const char* asked : {"a", "a>=1"}) {
    const auto checked = known.check(on_gpu({asked}, "7.0"));
    CHECK(checked.answer == Answer::no);
    REQUIRE(checked.nearest.size() == 2);
    CHECK(checked.nearest[0].changes[0].to == "1");
    CHECK(checked.nearest[1].changes[0].to == "2+cu121");
    CHECK(checked.nearest[1].install == Texts{"a==2+cu121"});
  }
  CHECK(known.check(on_gpu({"a<2"}, "7.0")).answer == Answer::yes);
  const auto checked = known.check(on_gpu({"b[x]"}, "7.0"));
  CHECK(checked.answer == Answer::no);
  REQUIRE_FALSE(checked.clash.empty());
  CHECK(checked.clash.front().text == "you ask for b[x]");
  REQUIRE_FALSE(checked.clash.front().leads_to.empty());
  CHECK(checked.clash.front().leads_to.front().text == "b[x] 1 needs a >=2");
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
  CHECK(on("12.0", "9.1").answer == Answer::yes);
  CHECK(on("12.0", "7.6").answer == Answer::yes);  // nobody states anything of cuDNN 7
  const auto checked = on("12.0", "8.9");
  CHECK(checked.answer == Answer::no);
  CHECK_THAT(checked.text, Contains("tensorflow 2.15.0 cannot be used: it loads cuDNN 8 of the system, and no release of that has "
                                    "kernels for") && Contains("(sm_120)"));
}

}  // namespace check_tests
