#include "campaigns/job.hpp"

#include <fmt/core.h>

#include "campaigns/thoth/job.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/thoth/amun.hpp"
#include "workspace/allowed_paths.hpp"

namespace stackx::campaigns {
namespace {

specs::AmunSpecification of_lock(const std::filesystem::path& file) {
  const auto document = specs::Node::parse_file(file);
  specs::AmunSpecification result;
  result.file = file;
  result.identifier = specs::directory_name(file);
  result.locked = std::make_shared<const specs::Node>(document);
  document.at("default");  // what every Pipfile.lock has
  result.python = specs::read_pipfile_lock(document, file).python;
  result.batch_size = specs::CampaignSpec{}.rounds;
  return result;
}

}  // namespace

Job load_job(const JobOptions& options, const workspace::Context& context) {
  const int documents =
      !options.project.empty() + !options.amun.empty() + !options.pipfile_lock.empty();
  if (documents != 1)
    throw bad_input("inspect: expected one of PROJECT, --amun FILE and --pipfile-lock FILE");
  if (!options.amun.empty()) return load_thoth(specs::load_amun(options.amun), options, context);
  if (!options.pipfile_lock.empty())
    return load_thoth(of_lock(options.pipfile_lock), options, context);
  if (specs::is_amun_file(options.project))
    return load_thoth(specs::load_amun(options.project), options, context);
  if (!options.workload.empty() || !options.relax.empty())
    throw bad_input(
        fmt::format("{}: --workload and --relax belong to --amun and --pipfile-lock; a project of "
                    "stackx says this itself",
                    options.project.string()));
  specs::PythonContext overlaid;
  overlaid.catalogs = options.catalogs;
  Job job{load(options.project, context, overlaid, workspace::Need::inspections, options.device), std::nullopt, {}};
  if (!options.dockerfile_only && !options.dry_run) workspace::require_consent(job.loaded.catalog, options.allow_paths);
  return job;
}

}  // namespace stackx::campaigns
