#include "campaigns/job.hpp"

#include <fmt/ranges.h>

#include "campaigns/python_project.hpp"
#include "campaigns/thoth/job.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/project/is_project.hpp"
#include "specs/thoth/amun.hpp"
#include "workspace/allowed_paths.hpp"
#include "workspace/asked/plain_program.hpp"
#include "workspace/output.hpp"

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

Job of_python_project(const JobOptions& options, const workspace::Context& context) {
  if (!options.relax.empty()) throw bad_input("--relax: belongs to --amun and --pipfile-lock; which Python measures a Python project says --python");
  check_files(options.pi, options.files);
  const auto project = specs::read_python_project(options.project, {});
  if (!project.left_out.empty())
    workspace::remark("not installed, as stackx does not know what the package index calls them: {} (conda's own; what the index has can "
                      "stand under pip:)\n",
                      fmt::format("{}", fmt::join(project.left_out, ", ")));
  check_measured(options.workload, options.pi, options.runner);
  Job job;
  specs::Workload workload;
  if (options.pi.empty()) {
    workload = framework_workload(project, options.workload, options.device, context);
  } else {
    job.program = workspace::plain_program(options.pi, options.files, options.prints);
    workload = plain_workload(*job.program, options.device);
  }
  specs::PythonContext overlaid;
  overlaid.python = measured_python(options.python);
  overlaid.catalogs = options.catalogs;
  if (overlaid.catalogs.empty())
    overlaid.catalogs.push_back(kept_python_catalog(project, overlaid.python, {.python = options.pip, .index_url = options.index_url}, options.offline).string());
  job.loaded = load(options.project, context, overlaid, workspace::Need::inspections, options.device);
  if (!options.dockerfile_only && !options.dry_run) workspace::require_consent(job.loaded.catalog, options.allow_paths);
  need_python(job.loaded);
  job.of_releases = true;
  job.loaded.project.workloads = {workload};
  return job;
}

}  // namespace

void draw(specs::CampaignSpec& campaign, std::optional<std::uint64_t> sample, std::optional<std::uint64_t> seed) {
  auto& sampler = campaign.sampler;
  if (sample && !campaign.stacks.empty())
    throw bad_input(fmt::format("--sample: the project lists its {} stacks; remove some of /campaign/stacks instead", campaign.stacks.size()));
  using Kind = specs::SamplerSpec::Kind;
  if (sample && (sampler.kind == Kind::all || sampler.kind == Kind::cover)) sampler.kind = Kind::uniform;  // those have a number of their own
  if (sample) sampler.count = *sample;
  if (seed) sampler.seed = *seed;
}

Job load_job(const JobOptions& options, const workspace::Context& context) {
  const int documents =
      !options.project.empty() + !options.amun.empty() + !options.pipfile_lock.empty();
  if (documents != 1)
    throw bad_input("inspect: expected one of PROJECT, --amun FILE and --pipfile-lock FILE\n  usage: stackx inspect PROJECT; more: stackx inspect --help");
  if (!options.amun.empty()) return load_thoth(specs::load_amun(options.amun), options, context);
  if (!options.pipfile_lock.empty())
    return load_thoth(of_lock(options.pipfile_lock), options, context);
  if (specs::is_amun_file(options.project))
    return load_thoth(specs::load_amun(options.project), options, context);
  if (specs::is_python_project(options.project)) return of_python_project(options, context);
  specs::check_is_project(options.project);  // before anything is said of options that do not fit one
  if (!options.files.empty() || !options.python.empty())
    throw bad_input(fmt::format("{}: --files and --python belong to Python projects (requirements.txt, Pipfile, pyproject.toml); a project of "
                                "stackx says this itself",
                                options.project.string()));
  if (!options.workload.empty() || !options.relax.empty())
    throw bad_input(
        fmt::format("{}: --workload and --relax belong to Python projects, --amun and --pipfile-lock; a project of "
                    "stackx says this itself",
                    options.project.string()));
  specs::PythonContext overlaid;
  overlaid.catalogs = options.catalogs;
  Job job{load(options.project, context, overlaid, workspace::Need::inspections, options.device), std::nullopt, {}};
  if (!options.dockerfile_only && !options.dry_run) workspace::require_consent(job.loaded.catalog, options.allow_paths);
  return job;
}

}  // namespace stackx::campaigns
