#include "inspector/python/python_runtime.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include "inspector/machine/tree.hpp"

namespace stackx::inspector {
namespace {

// "cpython-311"; Python 2 has no word for it.
std::string tag_of(const std::string& version) {
  const auto numbers = words(version, ".");
  return numbers.size() < 2 ? "cpython" : "cpython-" + numbers[0] + numbers[1];
}

std::string machine() {
  utsname system{};
  uname(&system);
  return system.machine;
}

}  // namespace

// Runs under Python 2.7, too.
const char* const python_question =
    "import os, sys\n"
    "libc = os.confstr('CS_GNU_LIBC_VERSION') if 'CS_GNU_LIBC_VERSION' in os.confstr_names else ''\n"
    "print('%d.%d.%d %s' % (sys.version_info[:3] + ((libc or '').replace('glibc ', ''),)))\n";

std::optional<PythonRuntime> python_answer(const std::filesystem::path& program,
                                           const std::string& line) {
  const auto parts = words(line);
  if (parts.empty() || parts.size() > 2 || words(parts[0], ".").size() != 3) return std::nullopt;
  PythonRuntime runtime;
  runtime.program = program;
  runtime.version = parts[0];
  runtime.tag = tag_of(runtime.version);
  if (parts.size() == 2) runtime.glibc = parts[1];
  return runtime;
}

PythonRuntime runtime_of(const Interpreter& interpreter) {
  PythonRuntime runtime;
  runtime.program = interpreter.program;
  runtime.version = interpreter.version;
  runtime.tag = tag_of(interpreter.version);
  runtime.glibc = gnu_get_libc_version();
  for (const auto& path : {interpreter.prefix, interpreter.environment})
    if (!path.empty() && path != "/usr") runtime.needs.push_back(path);
  return runtime;
}

bool is_release(const std::string& says, const std::string& wanted) {
  return says == wanted || says.starts_with(wanted + ".");
}

std::string PythonRuntime::minor() const {
  const auto numbers = words(version, ".");
  return numbers.size() < 2 ? version : numbers[0] + "." + numbers[1];
}

std::string PythonRuntime::platform() const {
  const auto numbers = words(glibc, ".");
  if (numbers.size() < 2) return "linux " + machine();
  return fmt::format("manylinux_{}_{}_{}", numbers[0], numbers[1], machine());
}

specs::Target PythonRuntime::target() const { return {minor(), platform()}; }

}  // namespace stackx::inspector
