// Which stacks can run a workload on some hardware and keep what the user asks for; where there are none, why, and what
// is nearest to it that works. The first part of `advise`.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advisor/candidate/have.hpp"
#include "advisor/own_stack.hpp"
#include "advisor/recommendation_type.hpp"
#include "advisor/valid_space.hpp"
#include "specs/project/workload_family.hpp"
#include "workspace/asked/hardware.hpp"

namespace stackx::advisor {

struct SpaceOptions {
  RecommendationType type = RecommendationType::performance;
  std::filesystem::path advisories;  // of type security
  std::filesystem::path lock, project;  // project: of Python, or of stackx itself
  specs::PythonContext context;  // of lock and project
  Have have;                     // what the user's machine keeps
};

struct AskedSpace {
  std::unique_ptr<ValidSpace> space;  // null: `no_space` says why
  std::string no_space;
  std::optional<resolver::Unsolvable> impossible;
  std::vector<std::string> nearest_that_works;  // where it is impossible: sentences
  std::vector<std::string> not_in_catalogs;     // packages of lock or project
  std::optional<OwnStack> own;
  std::optional<NearestStack> own_valid;
  Prepared prepared;  // what the type took out of the catalogs
  std::map<std::string, std::string> roots;  // of the space's project: component -> range
  std::vector<specs::Requirement> wishes;  // what the user's project of Python asks for
};

// Of the workload `asked`, on `hardware`; `host` is the machine at hand. Throws Error(bad_input) for files that nobody can
// read or that ask for what the catalogs do not know.
AskedSpace asked_space(const SpaceOptions& options, const specs::Workload& asked,
                       const workspace::AskedHardware& hardware, const specs::Host& host,
                       const specs::Accelerators& accelerators,
                       const specs::WorkloadFamilies& families, const workspace::Context& context);

}  // namespace stackx::advisor
