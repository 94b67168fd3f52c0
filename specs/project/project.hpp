// The project: root requirements, hardware, workload, catalogs, campaign (format stackx/project/1).
//
// `requires` and `hardware` are the roots: present in every stack. `pins` restrict a component only
// where it is selected. Catalog names are looked up beside the project file, then in the data
// directory. The format is in schemas/project.json.
//
// A Python project's own file (specs/python/project.hpp) is a project too: roots and pins without
// hardware, workload and campaign.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/project/campaign.hpp"
#include "specs/project/cluster.hpp"
#include "specs/project/workload.hpp"

namespace stackx::specs {

struct Project {
  std::string name;
  std::string description;
  std::filesystem::path file;
  std::vector<std::string> catalogs;
  std::vector<Requirement> requires_;
  std::map<std::string, std::string> hardware;  // component -> a version of it, "host", or a name of several GPUs ("v100")
  std::vector<Requirement> pins;
  std::vector<Workload>
      workloads;  // lists already crossed; empty if there is only something to resolve
  CampaignSpec campaign;
  std::optional<ClusterSettings> cluster;  // where it runs, if not on one machine
};

// A project with the catalogs it names, merged and checked: requirement keys are parsed with the
// versioning of the component they name.
struct LoadedProject {
  Project project;
  Catalog catalog;
};

// What the file of a Python project does not say.
struct PythonContext {
  std::vector<std::string> catalogs;  // paths, or names in the data directory; beside a project of stackx overlays only
  std::vector<std::filesystem::path> overlays;  // of the user, for everything
  bool of_user = true;                // where `overlays` is empty: those that this user has here (workspace/load.hpp)
  std::string python;                 // "3.7": markers hold for this one; "": the newest that fits
  std::string platform = "linux x86_64";
  std::set<std::string> extras, groups;  // optional parts of the project to take in
};
LoadedProject load_project(const std::filesystem::path& file,
                           const std::filesystem::path& data_directory,
                           const PythonContext& context = {});

// The project against catalogs that are already there (parse_project leaves `catalogs` unread).
Project parse_project(const Node& document, const Catalog& catalog);

// Components and virtual components, sorted: what a requirement may name.
std::vector<std::string> known_names(const Catalog& catalog);

}  // namespace stackx::specs
