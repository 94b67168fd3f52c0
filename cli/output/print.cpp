#include "cli/output/print.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace stackx::cli {

void print_json(const nlohmann::json& document) { fmt::print("{}\n", document.dump()); }

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

}  // namespace stackx::cli
