// Input: the name of a file on the first line ("freeze" for a text of pip freeze), then what stands in it.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "specs/python/package_list.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

namespace {

// In memory where that is a directory: one file after the other is written there.
std::filesystem::path directory() {
  static const auto path = [] {
    const std::filesystem::path memory = "/dev/shm";
    const auto base = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    auto result = base / ("stackx-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(result);
    static struct Remove {
      std::filesystem::path path;
      ~Remove() { std::filesystem::remove_all(path); }
    } remove{result};
    return result;
  }();
  return path;
}

PackageList read(std::string_view name, std::string_view text, const PythonContext& context = {}) {
  if (name == "freeze") return parse_freeze(text, "freeze");
  const auto file = directory() / name;
  std::ofstream(file, std::ios::binary | std::ios::trunc).write(text.data(), static_cast<std::streamsize>(text.size()));
  return read_package_list(file, context, "3.12");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto line = input.substr(0, input.find('\n'));
  const auto text = input.substr(std::min(line.size() + 1, input.size()));
  constexpr std::string_view names[] = {"freeze", "uv.lock", "poetry.lock", "environment.yml"};
  std::string_view name = "freeze";
  for (const auto one : names)
    if (line == one) name = one;
  PythonContext parts;
  parts.extras = {"cpu"};
  if (name == "uv.lock") attempt([&] { return read(name, text, parts); });
  const auto list = attempt([&] { return read(name, text); });
  if (!list) return 0;
  for (const auto& one : list->dependencies) {
    require(one.place.find(name) != one.place.npos, "a requirement has a place");
    const auto again = parse_dependency(one.dependency.text());
    require(again && again->text() == one.dependency.text(), "a requirement is what its text says");
  }
  for (const auto& skipped : list->skipped)
    require(!skipped.empty() && to_utf8(skipped) == skipped, "what is skipped can be printed");
  return 0;
}
