// The project: root requirements, hardware, workload, catalogs, campaign (format stackx/project/1).
//
// `requires` and `hardware` are the roots: present in every stack. `pins` restrict a component only
// where it is selected. Catalog names are looked up beside the project file, then in the data
// directory. The format is in schemas/project.json.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "specs/campaign.hpp"
#include "specs/catalog.hpp"
#include "specs/workload.hpp"

namespace stackx::specs {

struct Project {
  std::string name;
  std::string description;
  std::filesystem::path file;
  std::vector<std::string> catalogs;
  std::vector<Requirement> requires_;
  std::map<std::string, std::string> hardware;  // component -> a version of it, or "host"
  std::vector<Requirement> pins;
  std::vector<Workload>
      workloads;  // lists already crossed; empty if there is only something to resolve
  CampaignSpec campaign;
};

// A project with the catalogs it names, merged and checked: requirement keys are parsed with the
// versioning of the component they name.
struct LoadedProject {
  Project project;
  Catalog catalog;
};
LoadedProject load_project(const std::filesystem::path& file,
                           const std::filesystem::path& data_directory);

// The project against catalogs that are already there (parse_project leaves `catalogs` unread).
Project parse_project(const Node& document, const Catalog& catalog);

}  // namespace stackx::specs
