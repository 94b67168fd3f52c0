// A Python project (requirements.txt, Pipfile, pyproject.toml, environment.yml) as something to measure. It says neither what
// there is nor what counts:
//
//   catalog    made of the index that pip uses, for one Python: the releases that its lines allow, and what they require
//   workload   asked for beside it: one of stackx's own, done by the framework that the project asks for, or any program
//
// `inspect` measures a sample of its stacks, `watch` what is new of them. Rejected: measuring under each Python that is here,
// which asks the index as often; a project of stackx can say that.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "pypi/index/index.hpp"
#include "pypi/pip_settings.hpp"
#include "specs/catalog/imported.hpp"
#include "specs/project/workload.hpp"
#include "specs/python/project.hpp"
#include "workspace/load.hpp"

namespace stackx::campaigns {

// "3.11": what was asked for, else that of this machine's python3.
std::string measured_python(const std::string& asked);

// The packages of all lines; of one that is named twice, all versions. Throws Error(bad_input) where there is none.
specs::Imported asked_of_index(const specs::PythonProject& project, const std::string& python);

// Asks the index and writes the catalog to `file`. Throws as workspace::index_catalog(), Error(environment) where it cannot be kept.
void write_python_catalog(const specs::PythonProject& project, const std::string& python, pypi::Index& index,
                          const std::filesystem::path& file);

// The same, to a file of the cache that it returns: by where the project lies, made anew each time.
std::filesystem::path kept_python_catalog(const specs::PythonProject& project, const std::string& python, const pypi::PipOptions& pip, bool offline);

// What it asks for runs under a Python, which a catalog for a single one requires nowhere.
void need_python(workspace::Loaded& loaded);

// What is measured: exactly one of `workload` and `pi` (a command) is to be given, and the runner be one that needs no image.
// Throws Error(bad_input) else.
void check_measured(const std::string& workload, const std::string& pi, const std::string& runner);

// --files belongs to --pi. Throws Error(bad_input).
void check_files(const std::string& pi, const std::string& files);

// The workload, told which of the frameworks that are there computes, if it names none. What is there may bring one along that
// is named; where another is there instead, or none, or no PI of stackx measures that, throws
// Error(bad_input): "--workload `asked`: `where` ..."
specs::Workload told_framework(specs::Workload workload, const std::function<bool(const std::string&)>& is_there, const std::string& asked,
                               const std::string& where);

// The same, told where it computes, if it does not say: where a GPU is to be seen, there, if `with_cuda` says so of the framework.
// Said on stderr. `asked`: the GPU that --device names, which is meant for whatever computes.
specs::Workload told_device(specs::Workload workload, const std::string& asked, const std::function<bool(const std::string&)>& with_cuda,
                            const workspace::Context& context);

// Whether an index has it with CUDA, asked for so: torch, jax[cuda12], tensorflow[and-cuda], onnxruntime-gpu, not torch==2.6.0+cpu.
bool brings_cuda(const std::string& package, const std::set<std::string>& extras, const std::string& versions);

// One of stackx's own, told which of the project's packages computes. Throws as told_framework.
specs::Workload asked_framework(const specs::PythonProject& project, const std::string& asked, const workspace::Context& context);

// Whether what the project asks for by this name computes with CUDA (brings_cuda).
bool comes_with_cuda(const specs::PythonProject& project, const std::string& framework);

// asked_framework, told where it computes (told_device).
specs::Workload framework_workload(const specs::PythonProject& project, const std::string& asked, const std::string& device,
                                   const workspace::Context& context);

// That of a plain program: "bench:arguments=--batch 8". Whether it uses a GPU is known where --device names one.
specs::Workload plain_workload(const specs::PiProgram& program, const std::string& device);

}  // namespace stackx::campaigns
