#include "tests/inspector/support.hpp"

#include <algorithm>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "inspector/process/process.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"

namespace stackx::inspector::testing {

namespace fs = std::filesystem;

TempDirectory::TempDirectory() {
  auto name = (fs::temp_directory_path() / "stackx-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = fs::canonical(name);
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Variable::Variable(std::string name, const std::optional<std::string>& value)
    : name_(std::move(name)) {
  if (const char* before = std::getenv(name_.c_str())) before_ = before;
  if (value) {
    setenv(name_.c_str(), value->c_str(), 1);
  } else {
    unsetenv(name_.c_str());
  }
}

Variable::~Variable() {
  if (before_) {
    setenv(name_.c_str(), before_->c_str(), 1);
  } else {
    unsetenv(name_.c_str());
  }
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

fs::path fake_pi() { return fs::path(STACKX_BINARY_DIR) / "tests" / "fake_pi"; }

fs::path supervisor() { return fs::path(STACKX_BINARY_DIR) / "stackx-supervise"; }

fs::path uv() {
  std::vector<std::string> places{"uv", std::string(STACKX_SOURCE_DIR) + "/.venv/bin/uv"};
  if (const char* named = std::getenv("STACKX_UV")) places.insert(places.begin(), named);
  places.push_back((fs::path(STACKX_TEST_PYTHON).parent_path() / "uv").string());
  for (const auto& place : places) {
    if (const auto found = find_program(place); !found.empty()) return found;
  }
  return {};
}

namespace {

MadeWheel made_by(const std::string& script, const fs::path& directory, const std::vector<std::string>& more) {
  fs::create_directories(directory);
  Command command;
  command.argv = {STACKX_TEST_PYTHON, std::string(STACKX_SOURCE_DIR) + "/tests/inspector/" + script, directory.string()};
  command.argv.insert(command.argv.end(), more.begin(), more.end());
  command.environment = current_environment();
  const auto made = run(command);
  if (!made.ok()) throw std::runtime_error(script + ": " + made.err);
  const auto file = directory / made.out.substr(0, made.out.find('\n'));
  return {file, specs::sha256_file(file)};
}

}  // namespace

MadeWheel make_wheel(const fs::path& directory, const std::string& name, const std::string& version,
                     const std::vector<std::string>& entries) {
  auto words = entries;
  words.insert(words.begin(), {name, version});
  return made_by("make_wheel.py", directory, words);
}

MadeWheel make_bomb(const fs::path& directory, const std::string& name, const std::string& version, int megabytes,
                    int stored) {
  return made_by("make_bomb.py", directory, {name, version, std::to_string(megabytes), std::to_string(stored)});
}

int processes_with(const std::string& word) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (!std::isdigit(static_cast<unsigned char>(name[0]))) continue;
    if (name == std::to_string(getpid())) continue;
    count += read(entry.path() / "cmdline").find(word) != std::string::npos;  // empty for zombies
  }
  return count;
}

bool wait_for_processes(const std::string& word, int count) {
  for (int i = 0; i < 6000; ++i) {
    if (processes_with(word) == count) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

specs::Catalog catalog_of(const std::string& json) {
  return specs::parse_catalog(specs::Node::parse_text(json, "test catalog"));
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

}  // namespace stackx::inspector::testing
