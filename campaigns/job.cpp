#include "campaigns/job.hpp"

#include <fmt/core.h>

#include "campaigns/thoth/job.hpp"
#include "specs/thoth/amun.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::cli {
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

void add_job_options(CLI::App& command, JobOptions& options) {
  command
      .add_option("project", options.project,
                  "Project file (stackx/project/1), or an Amun specification")
      ->type_name("PROJECT");
  command
      .add_option(
          "--amun", options.amun,
          "Amun inspection specification of Project Thoth, instead of a project: its locked "
          "stack, its script, as often as its batch_size")
      ->type_name("FILE");
  command
      .add_option("--pipfile-lock", options.pipfile_lock,
                  "Pipfile.lock, instead of a project: its stack, hashes checked")
      ->type_name("FILE");
  command
      .add_option(
          "--workload", options.workload,
          "What to measure of --amun (instead of its script) or --pipfile-lock [matmul of 512]")
      ->type_name("NAME[:KEY=VALUE,...]");
  command
      .add_option(
          "--relax", options.relax,
          "python: where the document's Python is not to be had, take the nearest and resolve "
          "the packages anew")
      ->check(CLI::IsMember({"python"}));
  command
      .add_option("--index-url", options.index_url,
                  "Another package index than pip's for --amun and --pipfile-lock")
      ->type_name("URL");
  command.add_option("--pip", options.pip, "Python that has the pip to ask for the index")
      ->type_name("PYTHON")
      ->capture_default_str();
  command.add_flag("--dockerfile-only", options.dockerfile_only,
                   "Print the Containerfiles of the stacks, run nothing");
  command.add_flag("--offline", options.offline, "Use what is cached and fetch nothing");
}

Job load_job(const JobOptions& options, const Globals& globals) {
  const int documents =
      !options.project.empty() + !options.amun.empty() + !options.pipfile_lock.empty();
  if (documents != 1)
    throw bad_input("inspect: expected one of PROJECT, --amun FILE and --pipfile-lock FILE");
  if (!options.amun.empty()) return load_thoth(specs::load_amun(options.amun), options, globals);
  if (!options.pipfile_lock.empty())
    return load_thoth(of_lock(options.pipfile_lock), options, globals);
  if (specs::is_amun_file(options.project))
    return load_thoth(specs::load_amun(options.project), options, globals);
  if (!options.workload.empty() || !options.relax.empty())
    throw bad_input(
        fmt::format("{}: --workload and --relax belong to --amun and --pipfile-lock; a project of "
                    "stackx says this itself",
                    options.project.string()));
  return {load(options.project, globals, {}, Need::inspections, options.device), std::nullopt, {}};
}

}  // namespace stackx::cli
