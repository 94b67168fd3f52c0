#include <catch2/catch.hpp>

#include "inspector/run/pi_command.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace fs = std::filesystem;

namespace {

using Paths = std::vector<fs::path>;

StackEnvironment native() {
  StackEnvironment environment;
  environment.component = "openblas";
  environment.library = "/cache/libopenblas.so.0";
  return environment;
}

StackEnvironment python(const fs::path& site) {
  StackEnvironment environment;
  environment.python = PythonRuntime{"/usr/bin/python3.11", "3.11.2", "cpython-311", "2.36", {}};
  environment.site = site;
  return environment;
}

const Pis ours{"/opt/stackx-pi", "/opt/python", {}};

}  // namespace

TEST_CASE("a native stack's PI is told which library to load", "[pi_command]") {
  const auto command = pi_command(ours, native(), "matmul", {{"n", "8"}, {"m", "$(id) \n;"}});
  CHECK(command.argv == Words{"/opt/stackx-pi", "matmul", "--library", "/cache/libopenblas.so.0",
                              "--component", "openblas", "m=$(id) \n;", "n=8"});
  CHECK(command.visible == Paths{"/opt/stackx-pi"});
  CHECK(pi_command(ours, {}, "hello_world", {}).argv == Words{"/opt/stackx-pi", "hello_world"});
}

TEST_CASE("a Python stack's PI imports from its tree, or from the interpreter's own packages",
          "[pi_command]") {
  CHECK(pi_command(ours, python("/cache/tree"), "matmul", {{"n", "8"}}).argv ==
        Words{"/usr/bin/python3.11", "-s", "-S", "/opt/python/bootstrap.py", "/cache/tree",
              "/opt/python/pi.py", "matmul", "n=8"});
  CHECK(pi_command(ours, python(""), "import", {}).argv ==
        Words{"/usr/bin/python3.11", "-s", "/opt/python/bootstrap.py", "-", "/opt/python/pi.py",
              "import"});
  CHECK(pi_command(ours, python(""), "import", {}).visible == Paths{"/opt/python"});
}

TEST_CASE("a PI of the user's stands in the place of ours", "[pi_command]") {
  auto pis = ours;
  pis.own = "/home/me/my pi.py";
  const auto script = pi_command(pis, python("/cache/tree"), "any name; at all", {});
  CHECK(script.argv == Words{"/usr/bin/python3.11", "-s", "-S", "/opt/python/bootstrap.py",
                             "/cache/tree", "/home/me/my pi.py", "any name; at all"});
  CHECK(script.visible == Paths{"/opt/python", "/home/me/my pi.py"});
  // A stack without Python starts it as it is: its first line says what runs it.
  CHECK(pi_command(pis, {}, "x", {}).argv == Words{"/home/me/my pi.py", "x"});
  pis.own = "/home/me/pi";
  CHECK(pi_command(pis, python("/cache/tree"), "x", {}).argv == Words{"/home/me/pi", "x"});
}

TEST_CASE("a plain program has its own words, and sees its files", "[pi_command]") {
  auto pis = ours;
  pis.own = "/home/me/bench.py";
  stackx::specs::PiProgram program{false, pis.own.string(), "", true, {"--batch", "a b"}, "seconds", "/home/me/data"};
  const auto script = plain_command(pis, python("/cache/tree"), program);
  CHECK(script.argv == Words{"/usr/bin/python3.11", "-s", "-S", "/opt/python/bootstrap.py", "/cache/tree", "/home/me/bench.py",
                             "--batch", "a b"});
  CHECK(script.visible == Paths{"/opt/python", "/home/me/bench.py", "/home/me/data"});
  CHECK(plain_command(pis, native(), program).argv == Words{"/home/me/bench.py", "--batch", "a b"});
  pis.own = program.path = "/usr/bin/sort";
  program.files.clear();
  const auto sort = plain_command(pis, python("/cache/tree"), program);
  CHECK(sort.argv == Words{"/usr/bin/sort", "--batch", "a b"});
  CHECK(sort.visible == Paths{"/usr/bin/sort"});
}

TEST_CASE("a PI that cannot be started is named", "[pi_command]") {
  const TempDirectory root;
  Pis pis{root / "pi", root / "python", {}};
  CHECK_THAT(*why_no_pi(pis, native()), Catch::Contains("does not exist"));
  testing::write(root / "pi", "#!/bin/sh\n");
  CHECK_THAT(*why_no_pi(pis, native()), Catch::Contains("chmod +x"));
  fs::permissions(root / "pi", fs::perms::owner_all);
  CHECK_FALSE(why_no_pi(pis, native()));

  CHECK_THAT(*why_no_pi(pis, python("")), Catch::Contains("bootstrap.py does not exist"));
  testing::write(root / "python/bootstrap.py", "");
  CHECK_THAT(*why_no_pi(pis, python("")), Catch::Contains("pi.py does not exist"));
  fs::create_directory(root / "python/pi.py");
  CHECK_THAT(*why_no_pi(pis, python("")), Catch::Contains("is not a file"));
  pis.own = root / "own.py";
  testing::write(pis.own, "");
  CHECK_FALSE(why_no_pi(pis, python("")));  // Python reads it: it need not be executable
  CHECK_THAT(*why_no_pi(pis, native()), Catch::Contains("the stack has no Python that would run it"));
}
