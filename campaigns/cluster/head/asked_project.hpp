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
#include "specs/project/pi_program.hpp"
#include "specs/project/workload.hpp"
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
  bool with_cuda = false;      // the framework that computes
  std::optional<specs::PiProgram> program;

  // The workload where the hardware is this.
  specs::Workload workload_on(const std::map<std::string, std::string>& hardware) const;
};

// Throws Error(bad_input) for what is no project, and for words that do not belong to one; as the index does.
AskedProject asked_project(const std::filesystem::path& file, const PythonAsked& asked, const workspace::Context& context);

// Of a project of stackx. Throws Error(bad_input) for anything else.
specs::Node project_document(const std::filesystem::path& file);

// Its name alone, as results have it; asks nobody. Throws Error(bad_input).
std::string project_name(const std::filesystem::path& file);

}  // namespace stackx::campaigns::cluster
