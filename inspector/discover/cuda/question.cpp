#include "inspector/discover/cuda/question.hpp"

#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"

namespace stackx::inspector {
namespace {

constexpr const char* version_question = R"(
import ctypes, sys
component, path = sys.argv[1:]
library = ctypes.CDLL(path)
parts = (ctypes.c_int * 3)()
at = [ctypes.byref(parts, i * ctypes.sizeof(ctypes.c_int)) for i in range(3)]
def of_number(function, large):
    function.restype = ctypes.c_size_t
    number = function()
    unit = 10000 if number >= large else 1000
    return number // unit, number % unit // 100, number % 100
if component == 'cublas':
    version = [parts[i] for i in range(3) if library.cublasGetProperty(i, at[i]) == 0]
elif component == 'cublaslt':
    version = of_number(library.cublasLtGetVersion, 100000)
elif component == 'cudnn':
    version = of_number(library.cudnnGetVersion, 90000)
else:
    version = parts[:2] if library.nvrtcVersion(at[0], at[1]) == 0 else []
sys.stdout.write('\nstackx ' + '.'.join(map(str, version)))
)";

}  // namespace

AskVersion asked_by(const Interpreter& interpreter) {
  return [program = interpreter.program.string()](const CudaKind& kind, const std::filesystem::path& file) -> std::string {
    const std::string_view component = kind.component;
    if (component == "cudart" || component == "nccl") return "";
    Command command;
    command.argv = {program, "-E", "-s", "-S", "-c", version_question, kind.component, file.string()};
    command.environment = tool_environment();
    command.deadline = std::chrono::seconds(60);  // half a gigabyte, from a disk that may be far away
    const auto finished = run(command);
    const auto at = finished.out.rfind("\nstackx ");  // a library may print before
    return finished.ok() && at != std::string::npos ? finished.out.substr(at + 8) : "";
  };
}

}  // namespace stackx::inspector
