// What `stackx doctor` found, as a page and as a document (stackx/doctor/1): the sentence first, then a line for each
// finding, then what to do, numbered.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "workspace/doctor/finding.hpp"

namespace stackx::cli {

// Commands are not broken, however wide: they are there to be copied.
std::string doctor_text(const workspace::Findings& findings, std::size_t width);
nlohmann::json doctor_json(const workspace::Findings& findings);

}  // namespace stackx::cli
