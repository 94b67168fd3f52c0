// What the server can be asked, as OpenAPI 3.0.3 says it: made of the commands' declarations.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/commands.hpp"

namespace stackx::cli {

nlohmann::json openapi_document(const std::string& version, const Globals& globals);

}  // namespace stackx::cli
