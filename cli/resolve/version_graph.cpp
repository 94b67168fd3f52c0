#include "cli/resolve/version_graph.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "inspector/process/process.hpp"
#include "specs/error.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;

// Removes the file with itself.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& text) {
    std::string path = fs::absolute(fs::temp_directory_path() / "stackx-graph-XXXXXX").string();
    const int descriptor = ::mkstemp(path.data());
    if (descriptor < 0)
      throw broken_environment(
          fmt::format("{}: cannot be created; set $TMPDIR to a directory that can "
                      "be written to",
                      path));
    ::close(descriptor);
    path_ = path;
    std::ofstream(path_) << text;
  }
  ~ScratchFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string drawn(const std::string& dot) {
  const auto program = inspector::find_program("dot");
  if (program.empty())
    throw broken_environment(
        "--graph svg: the program dot is not installed; install graphviz, or take --graph dot and "
        "draw it elsewhere");
  const ScratchFile file(dot);
  inspector::Command command;
  command.argv = {program.string(), "-Tsvg", file.path().string()};
  command.environment = inspector::current_environment();
  command.deadline = std::chrono::minutes(10);
  const auto finished = inspector::run(command);
  if (!finished.ok())
    throw broken_environment(fmt::format(
        "--graph svg: dot could not draw the graph: {}; --graph dot prints it undrawn",
        finished.err.empty() ? "it gave no reason" : inspector::tail(finished.err, 500)));
  return finished.out;
}

}  // namespace

void write_graph(const resolver::Resolver& resolver, const std::string& format) {
  const auto dot = resolver.graph();
  workspace::write_out(format == "svg" ? drawn(dot) : dot);
}

}  // namespace stackx::cli
