#include "tests/specs/oracle.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace stackx::tests {
namespace {

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Answer ask_oracle(const std::string& script, const nlohmann::json& questions) {
  namespace fs = std::filesystem;
  const fs::path directory = fs::path(STACKX_BINARY_DIR) / "tests" / "oracle";
  fs::create_directories(directory);
  const fs::path in = directory / (script + ".in"), out = directory / (script + ".out"),
                 log = directory / (script + ".log");
  std::ofstream(in) << questions.dump();
  const auto quoted = [](const std::string& path) { return "'" + path + "'"; };
  const std::string command =
      quoted(STACKX_TEST_PYTHON) + " " + quoted(STACKX_SOURCE_DIR "/tests/specs/" + script) +
      " < " + quoted(in.string()) + " > " + quoted(out.string()) + " 2> " + quoted(log.string());
  const int status = std::system(command.c_str());
  constexpr int not_installed = 77, no_python = 127;  // the latter is the shell's
  if (WIFEXITED(status) &&
      (WEXITSTATUS(status) == not_installed || WEXITSTATUS(status) == no_python))
    return {std::nullopt, read(log)};
  if (status != 0) throw std::runtime_error(script + " failed:\n" + read(log));
  return {nlohmann::json::parse(read(out)), ""};
}

}  // namespace stackx::tests
