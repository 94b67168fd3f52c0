// Facts that a person read, or that a rule infers, about versions that other documents list: the member `facts` of a
// catalog (stackx/catalog/1), one line each.
//
//   {"of": "torch", "versions": ["2.7.0", "2.7.1"], "built_for": {"cuda": "12.6", "cubins": ["5.0", ...], "ptx": []},
//    "known": "read", "source": {"url": ..., "read": "2026-11-22"}}
// `versions`: exact texts, or one specifier set; a local build (2.8.0+cu126) is meant only where it is listed. Of several
// facts on one version the last decides, key by key (of `requires`, `beside`, `elsewhere` name by name): an overlay read later wins. Beside `built_for`:
//   also       what the same files hold for the accelerators of other vendors: {"amd": {"rocm": "7.2", "gfx": ["gfx942"]}}
//   requires   what package metadata does not say: name -> specifier set
//   beside     what it works with alone, where that is there, and does not require: {"numpy": "<2"}
//   drops      what the plain release requires and this build does not, or in a build that `requires` names: ["torch"]
//   fails      why it never runs as installed;  `extra`: said of that extra alone
//   gpu_from   packages of which one must be there for a GPU to be used (jax: its plugins)
//   compiled_beside  it comes as source alone, whose build needs these installed, which pip's isolation hides: ["torch"]
//   prebuilt   of such source: what its build downloads a ready binary for, in place of compiling, by torch's series, CUDA's major
//              version and Python: {"torch": ["2.5"], "cuda": ["12"], "pythons": ["3.12"]}
//   set_for    variables to set for some of these targets, when it is installed and when it runs: {"NAME=TRUE": ["gfx1100"]}
//   through    the package in whose builds all of its code for GPUs is: it has none of its own ("torch" of transformers)
//   cudas      the CUDA releases, exact, that the package has a library for: it takes that of the stack's torch
//   instead    the package of the same release that does use a GPU: "tensorflow-gpu", "jax[cuda12]"
//   instead_on the same by the accelerator's vendor, where it is another one: {"google": "jax[tpu]"}
//   elsewhere  by the accelerator's vendor or architecture, or "jetson", where builds for it are that nobody lists here: {"amd": "a sentence without its end"}
//   system     what it loads from the system: {"cuda": "11.2", "cudnn": "8.1"}
//   pythons, machines, glibc  of builds that no index lists here: ["3.9", ...], ["x86_64", "aarch64"], "2.39"; `pythons` of listed ones,
//              too: those that it can be used on, oldest first, where what it requires says more than its own wheels
//   exists     "inferred": nobody is known to have seen this build; checks judge it, advice does not name it
//   soft       a GPU that it has no code for matters only where several GPUs work together (NCCL)
// Of the pseudo packages cuda, driver and cuda-compat: see DriverFacts in specs/catalog/driver.hpp.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "specs/catalog/gpu_build.hpp"
#include "specs/version/specifier.hpp"

namespace stackx::specs {

class Node;

struct Prebuilt {
  std::vector<std::string> torch, cuda, pythons;
};

struct Fact {
  std::string of;
  std::vector<Version> versions;      // exact ones, or
  std::optional<SpecifierSet> range;  // those of this range
  std::string extra;                  // only if this extra is asked for
  std::string machine;                // only of wheels for this architecture

  std::optional<GpuBuild> built_for;
  std::map<std::string, GpuBuild> built_for_cuda;  // by the stack's CUDA ("12.8"), where that decides
  std::map<std::string, GpuBuild> also;            // by vendor
  std::map<std::string, std::string> requires_, beside, system, instead_on, elsewhere;
  std::vector<std::string> drops, gpu_from, compiled_beside, cudas, pythons, machines;
  std::optional<Prebuilt> prebuilt;
  std::map<std::string, std::vector<std::string>> set_for;
  std::string glibc, fails, note, instead, exists, through;
  bool soft = false;

  std::string known;  // "read", "inferred", "generated"
  std::string source;
  std::string date;  // on which it was read: "2026-11-22"
  std::string file;

  bool is_about(const Version& version) const;
  // What it says of that vendor's accelerators: of `also`, where there is something; of a library for each CUDA, that it is NVIDIA's.
  Fact for_vendor(const std::string& vendor) const;
};

// The member `facts` of a document, those of pseudo packages left out.
std::vector<Fact> read_facts(const Node& document);

}  // namespace stackx::specs
