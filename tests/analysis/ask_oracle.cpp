#include "tests/analysis/ask_oracle.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace stackx::test {

nlohmann::json ask_oracle(const std::string& script, const nlohmann::json& request) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("stackx-" + script + "-" + std::to_string(::getpid()) + ".json");
  std::ofstream(file) << request.dump();
  const std::string command = std::string(STACKX_TEST_PYTHON) + " " STACKX_SOURCE_DIR
                              "/tests/analysis/" + script + " < " + file.string();
  std::string answer;
  if (FILE* pipe = ::popen(command.c_str(), "r")) {
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
      answer.append(buffer, n);
    ::pclose(pipe);
  }
  std::filesystem::remove(file);
  const auto parsed = nlohmann::json::parse(answer, nullptr, false);
  return parsed.is_discarded() ? nlohmann::json{{"missing", "no answer from Python"}} : parsed;
}

}  // namespace stackx::test
