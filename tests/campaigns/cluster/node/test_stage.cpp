// Which cache a block uses.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

#include "campaigns/cluster/node/stage.hpp"
#include "campaigns/cluster/place.hpp"
#include "specs/format/text_file.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/place.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using Catch::Matchers::Contains;

TEST_CASE("stage: the node's own where nothing is staged, else the spool's, or one copy of it") {
  const tests::Place spool("stage"), scratch("stage-scratch");
  setenv("STACKX_SCRATCH", scratch.path().c_str(), 1);
  const fs::path root = spool / "3f2a09c1d2e4";
  fs::create_directory(root);
  CHECK_FALSE(is_staged(root));
  fs::create_directories(stage_directory(root) / "environments");
  std::ofstream(stage_directory(root) / "environments" / "one") << "1";
  CHECK(is_staged(root));
  CHECK(staged_cache(root, false) == stage_directory(root));
  const auto copy = staged_cache(root, true);
  CHECK(specs::read_text_file(copy / "environments" / "one", "it") == "1");
  std::ofstream(copy / "made-here") << "x";
  CHECK(staged_cache(root, true) == copy);
  CHECK(fs::exists(copy / "made-here"));  // not copied again
  fs::remove(copy.parent_path() / "whole");  // the one that copied was killed
  CHECK(staged_cache(root, true) == copy);
  CHECK_FALSE(fs::exists(copy / "made-here"));

  const auto mine = copy.parent_path();
  fs::rename(mine, scratch / "elsewhere");
  fs::create_directory_symlink(scratch / "elsewhere", mine);
  CHECK_THAT(tests::message_of([&] { staged_cache(root, true); }), Contains("another user's"));
  fs::remove(mine);
  fs::rename(scratch / "elsewhere", mine);
  fs::permissions(mine, fs::perms::all);
  CHECK_THAT(tests::message_of([&] { staged_cache(root, true); }), Contains("another user's"));
  fs::permissions(mine, fs::perms::owner_all);
  if (geteuid() == 0) {
    REQUIRE(chown(mine.c_str(), 1, 1) == 0);
    CHECK_THAT(tests::message_of([&] { staged_cache(root, true); }), Contains("another user's"));
    REQUIRE(chown(mine.c_str(), 0, 0) == 0);
  }
  CHECK(staged_cache(root, true) == copy);
  unsetenv("STACKX_SCRATCH");
}
