// What `stackx inspect` is asked to inspect: a project of ours, or what another tool's document says.
#pragma once

#include <filesystem>
#include <string>

#include "cli/load.hpp"

namespace stackx::cli {

struct JobOptions {
  std::filesystem::path project;
  bool offline = false;  // use what is cached and fetch nothing
};

struct Job {
  Loaded loaded;
};

void add_job_options(CLI::App& command, JobOptions& options);
Job load_job(const JobOptions& options, const Globals& globals);

}  // namespace stackx::cli
