#include <catch2/catch.hpp>

#include "inspector/run/measuring_program.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "tests/inspector/support.hpp"

namespace measuring_program_tests {

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using Catch::Matchers::Contains;

namespace {

StackEnvironment python_stack() {
  StackEnvironment environment;
  environment.python = PythonRuntime{"/usr/bin/python3.11", "3.11.2", "cpython-311", "2.36", {}};
  return environment;
}

}  // namespace

TEST_CASE("stackx's own PIs are named by what they are", "[measuring_program]") {
  const TempDirectory directory;
  write(directory / "stackx-pi", "native");
  write(directory / "pi.py", "one");
  write(directory / "bootstrap.py", "two");
  MeasuringProgram program({directory / "stackx-pi", directory.path(), {}}, {});
  CHECK(program.planned() == specs::PiProgram{});
  CHECK(program.running({}).value() == specs::PiProgram{true, "", specs::sha256("native")});
  CHECK(program.running(python_stack()).value().sha256 ==
        specs::sha256(specs::sha256("two") + "  bootstrap.py\n" + specs::sha256("one") + "  pi.py\n"));
  MeasuringProgram missing({directory / "none", directory / "none", {}}, {});
  CHECK_FALSE(missing.running({}));
  CHECK_FALSE(missing.running(python_stack()));
}

TEST_CASE("a program that changed since it was planned does not run", "[measuring_program]") {
  const TempDirectory directory;
  const auto file = directory / "bench.py";
  write(file, "first");
  MeasuringProgram program({{}, {}, file}, {});
  CHECK(program.planned() == specs::foreign_program(file));
  CHECK(program.running(python_stack()).value() == program.planned());
  write(file, "second");
  CHECK_THAT(program.running({}).error(), Contains("changed since the campaign was planned"));
  std::filesystem::remove(file);
  CHECK_FALSE(program.running({}));
  CHECK_THROWS_AS(MeasuringProgram({{}, {}, file}, {}), Error);  // there never was one
}

}  // namespace measuring_program_tests
