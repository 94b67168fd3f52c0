// Python as an oracle: a script beside the tests reads JSON on stdin and prints JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stackx::test {

// {"missing": why} where Python or its modules are not there.
nlohmann::json ask_oracle(const std::string& script, const nlohmann::json& request);

}  // namespace stackx::test
