// What the inspector's tests share: directories that go away, wheels made on the spot, processes to
// look for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "inspector/inspector.hpp"
#include "specs/catalog/catalog.hpp"

namespace stackx::inspector::testing {

class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Sets an environment variable while it lives; nothing: unsets it.
class Variable {
 public:
  Variable(std::string name, const std::optional<std::string>& value);
  ~Variable();
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

std::string read(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);

std::filesystem::path fake_pi();
std::filesystem::path supervisor();

// uv, wherever this machine has it; empty if nowhere: then the test says so and ends.
std::filesystem::path uv();

struct MadeWheel {
  std::filesystem::path file;
  std::string sha256;
};
// Entries are "path=content".
// A wheel of some kB that unpacks to so many MB of zeros, and then is damaged: only who counts while it unpacks knows.
// So many more of them are in it as they are.
MadeWheel make_bomb(const std::filesystem::path& directory, const std::string& name, const std::string& version,
                    int megabytes, int stored = 0);
MadeWheel make_wheel(const std::filesystem::path& directory, const std::string& name,
                     const std::string& version, const std::vector<std::string>& entries);

// How many living processes have `word` in their command line.
int processes_with(const std::string& word);
// Waits until there are so many; false after a minute.
bool wait_for_processes(const std::string& word, int count);

specs::Catalog catalog_of(const std::string& json);

bool mentions(const std::string& text, const std::string& part);
std::vector<std::string> names_in(const std::filesystem::path& directory);  // sorted

}  // namespace stackx::inspector::testing
