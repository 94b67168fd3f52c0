#include "cli/inspect_job.hpp"

namespace stackx::cli {

void add_job_options(CLI::App& command, JobOptions& options) {
  command.add_option("project", options.project, "Project file (stackx/project/1)")
      ->required()
      ->type_name("PROJECT");
  command.add_flag("--offline", options.offline, "Use what is cached and fetch nothing");
}

Job load_job(const JobOptions& options, const Globals& globals) {
  return {load(options.project, globals)};
}

}  // namespace stackx::cli
