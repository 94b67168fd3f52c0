// Runs stackx-pi as a process and collects what it prints.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

struct PiResult {
  int status = -1;  // exit status, or -signal
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

inline std::string fake(const std::string& name) {
  return std::string(STACKX_FAKES) + "/lib" + name + ".so";
}

inline std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// `environment`: NAME=VALUE settings added to ours.
inline PiResult run_pi(std::vector<std::string> arguments,
                       const std::vector<std::string>& environment = {}) {
  const auto directory =
      std::filesystem::temp_directory_path() / ("stackx-pi-" + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  const auto out = directory / "out", err = directory / "err";
  arguments.insert(arguments.begin(), STACKX_PI);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (const std::string& setting : environment) putenv(strdup(setting.c_str()));
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  PiResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), contents(out),
                  contents(err)};
  std::filesystem::remove_all(directory);
  return result;
}

// A matmul that is over quickly; later words override nothing, so give each key once.
inline PiResult run_matmul(const std::string& library, std::vector<std::string> words = {},
                           const std::vector<std::string>& environment = {}) {
  std::vector<std::string> arguments{"matmul", "--library", library, "warmup_ms=0",
                                     "min_sample_ms=0.01"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  return run_pi(arguments, environment);
}
