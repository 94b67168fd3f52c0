// PROJECT of `cluster submit`, as what is frozen: a project of stackx.
//
//   FILE (stackx/project/1)    itself
//   a Python project           written for it, into <cache>/cluster: the catalog of the index and those of the targets' hardware, what
//                              its lines require, and what is asked beside it, --workload or --pi (campaigns/python_project.hpp)
//
// Nodes read what the head read, and ask no index. Where a target has GPUs, PIs of stackx compute on them if the framework that is
// asked for comes with CUDA, and the command of --pi is told so. That command is copied to the spool, under its hash.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "pypi/pip_settings.hpp"
#include "specs/format/json.hpp"
#include "specs/project/cluster.hpp"
#include "specs/project/pi_program.hpp"
#include "specs/project/workload.hpp"
#include "specs/python/project.hpp"
#include "workspace/context.hpp"

namespace stackx::campaigns::cluster {

inline constexpr const char* catalog_of_gpus = "gpus.json";  // of those that come with stackx; in what is written for a Python project

// What a Python project does not say. Beside a project of stackx only `pi` may be given: a PI of the user's, as `inspect` takes it.
struct PythonAsked {
  std::string workload;
  std::string pi, files, prints = "seconds";  // prints: what the program does, of specs::printed_numbers
  std::string python;  // "": this machine's
  pypi::PipOptions pip;
  bool offline = false;
};

struct AskedProject {
  std::filesystem::path file;  // stackx/project/1; its catalogs are looked up beside it
  specs::Node document;
  bool is_python = false;      // which measures the releases that it asks for (campaigns/release_stacks.hpp)
  bool on_gpus = false;        // it computes on them, where there are any
  std::optional<specs::PiProgram> program;
};

using TargetHardware = std::map<std::string, std::string>;  // component -> version, "host" or a name of several models

// What a target says of its hardware: nothing for "host". Of several models of a name the most usual, if `exact`, else the name.
// Throws Error(bad_input), beginning with `who`, for what nobody knows.
TargetHardware target_hardware(const specs::ClusterTarget& target, bool exact, const std::string& who, const workspace::Context& context);

// The workload of a Python project where the hardware is this.
specs::Workload workload_on(const TargetHardware& hardware, specs::Workload workload, bool on_gpus);
// A program of the user's is told so, PIs of stackx do with a framework that comes with CUDA.
bool computes_on_gpus(const specs::PythonProject& project, const specs::Workload& workload, const std::optional<specs::PiProgram>& program);
TargetHardware hardware_here(bool on_gpus, const workspace::Context& context);  // of a Python project's target "host"

// A Python project, loaded with what stands beside it, as a project of stackx. Throws Error(bad_input).
specs::Json python_document(const std::filesystem::path& file, const specs::PythonContext& beside, const specs::Workload& workload,
                            const workspace::Context& context);

// Throws Error(bad_input) for what is no project, and for words that do not belong to one; as the index does.
AskedProject asked_project(const std::filesystem::path& file, const PythonAsked& asked, const workspace::Context& context);

// Of a project of stackx. Throws Error(bad_input) for anything else.
specs::Node project_document(const std::filesystem::path& file);

// Its name alone, as results have it; asks nobody. Throws Error(bad_input).
std::string project_name(const std::filesystem::path& file);

}  // namespace stackx::campaigns::cluster
