// A small torch and its libraries, what is asked of it, and what check() says.
#pragma once

#include <algorithm>

#include "advisor/check/check.hpp"
#include "specs/format/json.hpp"
#include "tests/advisor/known.hpp"

namespace check_tests {

using namespace stackx;
using namespace stackx::advisor;
using namespace stackx::tests;
using Texts = std::vector<std::string>;

// torch as it is: a build for each CUDA, wheels for some Pythons, NVIDIA's libraries as packages.
inline const char* const torch = R"({
  "1.13.1": {"wheels": {"manylinux1_x86_64": "cp38-cp38 cp311-cp311"}, "requires": ["nvidia-cudnn-cu11==8.5.0.96"]},
  "2.4.0": {"wheels": {"manylinux1_x86_64": "cp310-cp310 cp311-cp311", "manylinux2014_aarch64": "cp311-cp311"},
            "requires": ["numpy<3", "nvidia-cudnn-cu12==9.1.0.70; platform_machine == \"x86_64\"", "opt-einsum>=3.3; extra == \"opt-einsum\""]},
  "2.9.0": {"wheels": {"manylinux_2_28_x86_64": "cp311-cp311 cp313-cp313"}, "requires": ["nvidia-cudnn-cu12==9.10.2.21; platform_machine == \"x86_64\""]},
  "2.9.1": {"yanked": true, "wheels": {"manylinux_2_28_x86_64": "cp311-cp311"}, "requires": []}})";
inline const char* const drivers = R"(
  {"of": "cuda", "versions": ["11.7"], "driver": "515.43", "minor": "450.80.02"},
  {"of": "cuda", "versions": ["12.1"], "driver": "530.30", "minor": "525.60.13"},
  {"of": "cuda", "versions": ["12.6"], "driver": "560.28", "minor": "525.60.13"},
  {"of": "cuda", "versions": ["12.8"], "driver": "570.26", "minor": "525.60.13"},
  {"of": "driver", "gpu": ["9.0"], "since": "525.60.13"}, {"of": "driver", "gpu": ["12.0"], "since": "570.20"},
  {"of": "driver", "branch": "470", "last_for": ["3.7"]}, {"of": "cuda-compat", "cuda": "12.8", "branches": ["535"]})";
inline const std::string builds = std::string(drivers) + R"(,
  {"of": "torch", "versions": ["1.13.1"], "built_for": {"cuda": "11.7", "cubins": ["3.7", "5.0", "6.0", "7.0", "8.0"]}},
  {"of": "torch", "versions": ["2.4.0"], "built_for": {"cuda": "12.1", "cubins": ["5.0", "6.0", "7.0", "8.0", "9.0"]},
   "known": "read", "source": {"url": "https://h", "read": "2026-11-21"}},
  {"of": "torch", "versions": ["2.4.0"], "machine": "aarch64", "built_for": {"cuda": "none"}, "note": "PyPI's wheel for aarch64"},
  {"of": "torch", "versions": ["2.9.0"], "built_for": {"cuda": "12.8", "cubins": ["7.5", "8.0", "9.0"], "ptx": ["9.0"]}},
  {"of": "torch", "versions": ["2.9.0+cu126"], "built_for": {"cuda": "12.6", "cubins": ["5.0", "7.0", "8.0", "9.0"]}},
  {"of": "torch", "versions": ["2.9.0+cpu"], "built_for": {"cuda": "none"}},
  {"of": "nvidia-cudnn-cu12", "versions": "*", "built_for": {"cuda": "12.0", "cubins": ["5.0", "6.0", "7.0", "8.0", "9.0"]}})";

inline void torch_world(Known& known) {
  known.package("torch", torch);
  known.package("nvidia-cudnn-cu11", R"({"8.5.0.96": {"wheels": {"manylinux1_x86_64": "py3-none"}, "requires": []}})");
  known.package("nvidia-cudnn-cu12", R"({"9.1.0.70": {"wheels": {"manylinux1_x86_64": "py3-none"}, "requires": []},
    "9.10.2.21": {"wheels": {"manylinux1_x86_64": "py3-none"}, "requires": []}})");
  known.facts(builds);
}
inline Checked in_torch_world(const Question& question) {
  Known known;
  torch_world(known);
  return known.check(question);
}

// Versions of pure Python: {"1": [...], ...}
inline std::string pure(const std::map<std::string, Texts>& versions) {
  auto json = specs::Json::object();
  for (const auto& [version, requirements] : versions)
    json[version] = {{"wheels", {{"any", "py3-none"}}}, {"requires", requirements}};
  return json.dump();
}
inline std::string stack_of(const Checked& checked, const std::string& package) {
  const auto found = checked.stack.components.find(package);
  return found == checked.stack.components.end() ? "" : found->second;
}
inline std::string joined(const Texts& texts) {
  std::string all;
  for (const auto& text : texts) all += text + "\n";
  return all;
}
inline bool not_judged(const Checked& checked, const std::string& name) {
  return std::ranges::find(checked.not_judged, name) != checked.not_judged.end();
}

}  // namespace check_tests
