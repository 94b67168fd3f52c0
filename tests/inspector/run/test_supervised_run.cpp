#include "inspector/run/supervised_run.hpp"

#include <catch2/catch.hpp>

#include "inspector/run/sandbox.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using stackx::inspector::testing::TempDirectory;

namespace supervised_run_tests {
namespace {

Verdict shell(const std::string& script, const std::filesystem::path& writable, std::uint64_t disk_bytes) {
  SupervisedRun what;
  what.supervisor = testing::supervisor();
  what.argv = {"/bin/sh", "-c", script, "sh", writable};
  what.confinement.writable = {writable};
  what.confinement.disk_bytes = disk_bytes;
  what.timeout_seconds = 20;
  return judge(what, run(what, Sandbox::none("none")));
}

}  // namespace

TEST_CASE("what a build may write is counted in files, too", "[supervised_run]") {
  const TempDirectory room;
  const std::string empty_files = "i=0; while [ $i -lt 2000 ]; do : > \"$1/$i\"; i=$((i + 1)); done; sleep ";
  const auto verdict = shell(empty_files + "10", room.path(), 1 << 20);
  CHECK_THAT(verdict.reason, Catch::Contains("wrote more than"));
  CHECK(shell(empty_files + "0.5", room.path(), 8 << 20).outcome == stackx::specs::Outcome::ok);
}

}  // namespace supervised_run_tests
