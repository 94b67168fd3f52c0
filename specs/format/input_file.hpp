// A file that is read once, from its beginning to its end.
//
// Files, pipes and terminals. What never ends or never begins is refused: devices (/dev/zero), and a named pipe into
// which nobody writes for ten seconds (the kernel would wait for ever), and so are files of the kernel from which
// nothing comes for one second (/proc/kmsg).
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace stackx::specs {

class InputFile {
 public:
  // "-" is stdin where `or_stdin`. `kind` is for messages: "a JSON file". Throws Error(bad_input) for a file that is
  // not there (it names the one beside it whose name is close), a directory or a device, Error(environment) if it may not be read.
  InputFile(const std::filesystem::path& file, std::string_view kind, bool or_stdin = false);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::size_t read(char* buffer, std::size_t size);  // 0 at the end; throws Error(environment)

  // Everything, if it is at most `most` bytes: else Error(bad_input).
  std::string whole(std::size_t most);

 private:
  std::size_t begin(char* buffer, std::size_t size);
  void wait(std::chrono::steady_clock::time_point since) const;

  std::string name_, kind_;
  int descriptor_ = -1;
  bool begun_ = false, is_file_ = false;
};

// Of a file that is not there: "; did you mean "requirements.txt"?", of what lies in the same directory. Where nothing is
// close, or nobody can look: "; check the path".
std::string where_instead(const std::filesystem::path& file);

}  // namespace stackx::specs
