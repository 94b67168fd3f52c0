#include "workspace/asked/plain_program.hpp"

#include <catch2/catch.hpp>

#include "inspector/process/process.hpp"
#include "specs/format/digest.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/workspace/scene.hpp"

namespace plain_program_tests {

using namespace stackx::workspace;
using stackx::specs::PiProgram;
using stackx::tests::message_of;
using stackx::workspace::testing::Scene;
using Catch::Matchers::Contains;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

PiProgram program(const std::string& command, const fs::path& files = {}) { return plain_program(command, files, "seconds"); }

std::string refusal(const std::string& command, const fs::path& files = {}) {
  return message_of([&] { program(command, files); });
}

// What such a script prints, under bootstrap.py as stacks run it, in a directory.
std::string printed(const PiProgram& script, const fs::path& directory) {
  stackx::inspector::Command command;
  command.argv = {STACKX_TEST_PYTHON, "-s", STACKX_SOURCE_DIR "/kernels/python/bootstrap.py", "-", script.path};
  command.argv.insert(command.argv.end(), script.arguments.begin(), script.arguments.end());
  command.environment = stackx::inspector::current_environment();
  command.directory = directory;
  const auto ran = stackx::inspector::run(command);
  INFO(ran.err);
  CHECK(ran.ok());
  return ran.out;
}

}  // namespace

TEST_CASE("a command is a file with its words") {
  const Scene scene;
  const auto script = scene.write("bench.py", "print(1)\n"), tool = scene.write("my tool", "#!/bin/sh\n", true);
  for (const char* command : {"./bench.py --batch 8", "bench.py --batch 8", "python bench.py --batch 8", "python3 bench.py --batch 8",
                              "python2 bench.py --batch 8", "python3.12 'bench.py' --batch \"8\""}) {
    INFO(command);
    const auto made = program(command);
    CHECK(made == PiProgram{false, script.string(), stackx::specs::sha256("print(1)\n"), true, {"--batch", "8"}});
  }
  const auto made = plain_program("'./my tool' ''", scene.root(), "rate");
  CHECK(made == PiProgram{false, tool.string(), stackx::specs::sha256("#!/bin/sh\n"), true, {""}, "rate", scene.root().string()});
  CHECK(program("env true").path == fs::canonical(stackx::inspector::find_program("env")).string());
  CHECK(program("/bin/sh -c 'exit 0'").arguments == Words{"-c", "exit 0"});
}

TEST_CASE("a file that cannot be run gives way to a program on PATH, and is named else") {
  const Scene scene;
  scene.write("env", "data");
  scene.write("tool", "#!/bin/sh\n");
  CHECK(program("env").path == fs::canonical(stackx::inspector::find_program("env")).string());
  CHECK_THAT(refusal("./tool"), Contains("--pi \"./tool\": ./tool is not executable; chmod +x it"));
  CHECK_THAT(refusal("tool x"), Contains("chmod +x"));
  CHECK_THAT(refusal("./nowhere"), Contains("./nowhere: no such file"));
  CHECK_THAT(refusal("no-such-program-here"), Contains("neither a file nor a program on PATH"));
  CHECK_THAT(refusal("./"), Contains("a directory"));
  CHECK_THAT(refusal(""), Contains("expected a command"));
  CHECK_THAT(refusal("'"), Contains("is not closed"));
}

TEST_CASE("python means the stack's, and does what stackx can pass on") {
  const Scene scene;
  scene.write("bench", "print(1)\n");
  CHECK_THAT(refusal("python"), Contains("expected python FILE.py, python -c CODE or python -m MODULE"));
  CHECK_THAT(refusal("python -u bench.py"), Contains("python -u: options of Python's are not passed on") && Contains("python -c CODE"));
  CHECK_THAT(refusal("python bench"), Contains("ends in .py"));
  CHECK_THAT(refusal("python nowhere.py"), Contains("--pi nowhere.py: No such file"));
  CHECK_THAT(refusal("python -c"), Contains("python -c CODE"));
  CHECK_THAT(refusal("python -m 'a b'"), Contains("expected the name of a module"));
  CHECK_THAT(refusal("python -m -h"), Contains("expected the name of a module"));
  CHECK_THAT(refusal("python3.x bench.py"), Contains("neither a file nor a program on PATH"));
  CHECK_THAT(refusal("pythonic bench.py"), Contains("neither a file nor a program on PATH"));
}

TEST_CASE("code and modules become scripts that do what python -c and python -m do") {
  const Scene scene;
  scene.write("here/tool.py", "import sys\nprint(__name__, sys.argv[1:], sys.argv[0][-7:])\n");
  const auto code = program("python -c \"from __future__ import print_function; import sys, tool; "
                            "print('\u00e9\\\"\\\\\\\\n', sys.argv, '__file__' in globals())\" a 'b c'");
  CHECK(fs::path(code.path).parent_path() == scene.root() / "cache/stackx/scripts");
  CHECK(fs::path(code.path).filename() == code.sha256 + ".py");
  CHECK(printed(code, scene.root() / "here") == "tool ['a', 'b c'] -c\n\u00e9\"\\n ['-c', 'a', 'b c'] False\n");
  CHECK(program("python -c \"from __future__ import print_function; import sys, tool; "
                "print('\u00e9\\\"\\\\\\\\n', sys.argv, '__file__' in globals())\"").path == code.path);
  const auto module = program("python -m tool x");
  CHECK(module.arguments == Words{"x"});
  CHECK(printed(module, scene.root() / "here") == "__main__ ['x'] tool.py\n");
  CHECK(module.sha256 != code.sha256);
}

TEST_CASE("files are a directory that a sandbox may show") {
  const Scene scene;
  scene.write("bench.py", "");
  fs::create_directory(scene.root() / "data");
  fs::create_directory_symlink(scene.root() / "data", scene.root() / "link");
  CHECK(program("bench.py", "link").files == (scene.root() / "data").string());
  CHECK_THAT(refusal("bench.py", "nowhere"), Contains("--files nowhere: ") && Contains("expected a directory"));
  CHECK_THAT(refusal("bench.py", "bench.py"), Contains("--files bench.py: not a directory"));
  CHECK_THAT(refusal("bench.py", "/"), Contains("--files / is no path below the root"));
  CHECK_THAT(refusal("bench.py", "/tmp"), Contains("--files /tmp holds what users keep"));
  CHECK_THAT(refusal("bench.py", "/etc"), Contains("belongs to the machine"));
}

TEST_CASE("what no document can hold is refused") {
  const Scene scene;
  scene.write("bench.py", "");
  CHECK_THAT(refusal("bench.py \xff"), Contains("expected UTF-8"));
  CHECK_THAT(refusal("bench.py " + std::string(20'000, 'x')), Contains("a word of 20000 bytes"));
  CHECK_THAT(refusal("bench.py " + std::string(200'000, ' ')), Contains("a command of 200009 bytes"));
  CHECK_THAT(message_of([] { plain_program("bench.py", "", "hours"); }), Contains("expected seconds, rate or error, found \"hours\""));
}

}  // namespace plain_program_tests
