// The Python packages of a Thoth document as components, each at one version: from its lock, or resolved anew.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "campaigns/job.hpp"
#include "campaigns/thoth/python.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/thoth/amun.hpp"

namespace stackx::campaigns {

using Packages = std::vector<specs::Component>;  // one version each

// As locked; artifacts from the package index. Markers hold for the place's Python and this machine.
std::expected<Packages, Refusal> locked_packages(const specs::AmunSpecification& specification,
                                                 const PythonPlace& place,
                                                 const JobOptions& options);

// The same packages without artifacts, where nothing will be installed.
Packages named_packages(const specs::AmunSpecification& specification, const std::string& python);

// The latest stack of the Pipfile's requirements on the place's Python, by the index as it is now.
std::expected<Packages, Refusal> resolved_packages(const specs::AmunSpecification& specification,
                                                   const PythonPlace& place,
                                                   const JobOptions& options);

}  // namespace stackx::campaigns
