// What `stackx inspect` is asked to inspect: a project of ours, or what another tool's document says.
//
//   PROJECT                         a project file (stackx/project/1), or a Python project (requirements.txt ...) with what is
//                                   measured of it: --workload, or --pi COMMAND (campaigns/python_project.hpp)
//   --amun specification.json       an Amun inspection specification (specs/thoth/amun.hpp), done as campaigns/thoth/job.hpp says
//   --pipfile-lock Pipfile.lock     the stack that the lock names, measured by --workload
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "specs/project/pi_program.hpp"
#include "specs/result/outcome.hpp"
#include "workspace/load.hpp"

namespace stackx::campaigns {

struct JobOptions {
  std::filesystem::path project, amun, pipfile_lock;
  std::string workload;  // instead of the document's script; of a Python project
  std::string pi, files, prints = "seconds";  // of a Python project: a plain program (workspace/asked/plain_program.hpp)
  std::string python;    // of a Python project; "": this machine's
  std::string relax;     // "python": another one where the document's is not to be had
  std::string device;    // UUID or index of the GPU; "": the first visible
  std::string runner;    // as asked for; "": what suits the document
  std::vector<std::string> catalogs;  // overlays over those of the project
  std::string index_url, pip = "python3";
  bool offline = false;          // use what is cached and fetch nothing
  bool allow_paths = false;      // catalogs may name programs and files of this machine
  bool dry_run = false;          // nothing will run
  bool dockerfile_only = false;  // nothing will run here: no Python is needed
};

// What the document asks for cannot be had: the outcome of every inspection of it.
struct Refusal {
  specs::Outcome outcome;  // unsupported, build_failed, hash_mismatch
  std::string reason;
};

struct Job {
  workspace::Loaded loaded;
  std::optional<Refusal> refusal;
  std::filesystem::path script;  // Python program to run as the PI; "" for the PIs of stackx
  std::optional<specs::PiProgram> program = {};  // a plain program that measures a Python project
  bool of_releases = false;  // a Python project's: its stacks are those of release_stacks.hpp
};

// --sample and --seed over the sampler's own. Throws Error(bad_input) where the stacks are listed.
void draw(specs::CampaignSpec& campaign, std::optional<std::uint64_t> sample, std::optional<std::uint64_t> seed);

Job load_job(const JobOptions& options, const workspace::Context& context);

}  // namespace stackx::campaigns
