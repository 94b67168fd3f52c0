#include "inspector/confinement/sockets.hpp"

#include <fstream>
#include <set>
#include <string>
#include <utility>

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

// Lines end in a name, if the socket has one: "0000000000000000: 00000002 00000000 00010000 0001 01 21438 /run/x".
// Abstract names begin with "@".
std::set<fs::path> names_of_sockets() {
  std::set<fs::path> names;
  std::ifstream lines("/proc/net/unix");
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find(" /"); at != line.npos) names.insert(line.substr(at + 1));
  return names;
}

// "a/b" of TREE/a/b, "." of the tree itself; nothing of what lies elsewhere.
fs::path within(const fs::path& path, const fs::path& tree) {
  auto relative = path.lexically_relative(tree);
  return relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
}

}  // namespace

std::vector<fs::path> sockets_in(const std::vector<fs::path>& paths) {
  std::error_code error;
  std::vector<std::pair<fs::path, fs::path>> places;  // as they are shown, and what that leads to
  for (const auto& path : paths)
    if (auto place = fs::canonical(path, error); !error) places.emplace_back(path, std::move(place));
  std::set<fs::path> found;
  for (const auto& name : names_of_sockets()) {
    const auto socket = fs::canonical(name, error);
    if (error || fs::status(socket, error).type() != fs::file_type::socket) continue;
    for (const auto& [path, place] : places)
      if (const auto part = within(socket, place); !part.empty()) found.insert(part == "." ? path : path / part);
  }
  return {found.begin(), found.end()};
}

}  // namespace stackx::inspector
