// What one release demands of the machine: by its wheels a Python, a processor and a glibc; by what it is built for a GPU and a
// driver. The requirements' texts are people's words; wording.hpp makes sentences of them.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/python/wheel_target.hpp"

namespace stackx::advisor {

specs::Requirement needs(const std::string& component, const specs::SpecifierSet& versions);

// What an installer does not know: it installs, and cannot be used.
specs::Requirement fails(const std::string& words);

// The extra with which a package computes on a GPU, where it is one: "srt" of sglang[srt].
std::string extra_for_gpus(const std::string& package, const specs::Fact& fact);

// What the facts say of a release for the machine and the accelerator of the question; what it loads from the system, in the
// least releases that have code for it.
specs::Fact fact_for(const Knowledge& knowledge, const std::string& name, const specs::Version& version, const Question& question);

// What computes on a GPU; a build of these for CPUs is not what somebody who names a GPU wants.
bool is_for_gpus(const std::string& package, const specs::Fact& fact);

// On what is no GPU, with what drives it beside it (torch-xla or vllm-tpu on a TPU, torch-neuronx on Trainium): of torch, and of
// what it brings for CUDA, nothing but the processor's part is used.
bool runs_through_xla(const std::string& package, const Question& question);

// Why what a build loads from the system does not run on the GPU; "" if it does, or nobody knows. It may be any release of
// the library from the stated one to the end of its major version.
std::string system_failure(const Knowledge& knowledge, const specs::Fact& fact, const Question& question);

class Demands {
 public:
  Demands(const Knowledge& knowledge, const Question& question, const specs::Target& target);  // all outlive this

  // False where the release is built here, from its source archive: nothing is demanded then.
  bool add_places(const specs::PackageRelease& release, specs::VersionEntry& made) const;

  // `must_compute`: asked for by itself, so that a build for CPUs is not what is meant.
  void add_gpu(const std::string& package, const specs::Fact& fact, bool must_compute, specs::VersionEntry& made) const;

 private:
  void add_missing_wheel(const specs::PackageRelease& release, const specs::SpecifierSet& python, specs::VersionEntry& made) const;
  void add_build(const std::string& name, const specs::Fact& fact, specs::VersionEntry& made) const;
  void add_no_build(const std::string& package, const specs::Fact& fact, bool must_compute, specs::VersionEntry& made) const;
  void add_cuda_build(const specs::GpuBuild& build, specs::VersionEntry& made) const;
  specs::Requirement driver_for(const specs::GpuBuild& build, const std::string& least) const;

  const Knowledge& knowledge_;
  const Question& question_;
  const specs::Target& target_;
  std::vector<specs::Target> others_;  // of every Python that could matter
};

}  // namespace stackx::advisor
