#include <catch2/catch.hpp>
#include <fstream>

#include "campaigns/cluster/place.hpp"
#include "specs/format/text_file.hpp"
#include "tests/campaigns/cluster/made_up.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/place.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using namespace stackx::test;
using Catch::Matchers::Contains;

namespace {

std::size_t entries(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("place: without campaign.json nothing is there, and that says it may be the mount") {
  const tests::Place spool("place");
  const auto campaign = made_up_campaign(spool.path(), made_up_plan(2));
  const auto root = root_of(campaign);
  CHECK_FALSE(is_there(root));
  CHECK_THAT(tests::message_of([&] { read_campaign(root); }), Contains(root.string()) && Contains("mounted"));
  CHECK(entries(spool.path()) == 0);
  put_on_spool(campaign);
  CHECK(specs::to_json(read_campaign(root)) == specs::to_json(campaign));
}

TEST_CASE("place: a file comes whole, replaces what was there, and leaves nothing where it cannot be written") {
  const tests::Place place("place");
  place_file(place / "a.json", "one");
  place_file(place / "a.json", std::string(100'000, 'x'));
  CHECK(specs::read_text_file(place / "a.json", "a file").size() == 100'000);
  CHECK_THAT(tests::message_of([&] { place_file(place / "away" / "a.json", "one"); }), Contains("a.json"));
  fs::create_directory(place / "directory");
  CHECK_THROWS_AS(place_file(place / "directory", "one"), Error);
  CHECK(entries(place.path()) == 2);
}

TEST_CASE("place: a wave that is begun stays as it is") {
  const tests::Place spool("place");
  const auto campaign = made_up_campaign(spool.path(), made_up_plan(2));
  const auto root = put_on_spool(campaign);
  CHECK(waves_begun(root, "v100") == 0);
  CHECK_FALSE(read_wave(root, "v100", 0));
  begin_wave(root, {campaign.id, "v100", 0, {"a", "b"}});
  begin_wave(root, {campaign.id, "v100", 0, {"a"}});
  CHECK(read_wave(root, "v100", 0)->arms == std::vector<std::string>{"a", "b"});
  CHECK(waves_begun(root, "v100") == 1);
  CHECK(entries(root / "v100") == 1);
}

TEST_CASE("place: of two heads that begin a submission one does") {
  const tests::Place spool("place");
  const auto campaign = made_up_campaign(spool.path(), made_up_plan(2));
  const auto root = put_on_spool(campaign);
  CHECK(begin_submission(root, "v100", {0, "2026", {0, 1, 2, 7}, {}}));
  CHECK_FALSE(begin_submission(root, "v100", {0, "2027", {0}, {}}));
  CHECK(read_submitted(root, "v100").at(0).created == "2026");
  write_submitted(root, "v100", {0, "2026", {0, 1, 2, 7}, {"12", "13"}});
  CHECK(begin_submission(root, "v100", {1, "2028", {7}, {}}));
  const auto all = read_submitted(root, "v100");
  REQUIRE(all.size() == 2);
  CHECK(all[0].blocks == Blocks{0, 1, 2, 7});
  CHECK(all[0].jobs == std::vector<std::string>{"12", "13"});
  CHECK(all[1].number == 1);
  CHECK(entries(root / "v100") == 2);
}

TEST_CASE("place: what a start says of itself is the same after writing and reading") {
  Attempt attempt;
  attempt.cluster = std::string(64, 'c');
  attempt.target = "v100";
  attempt.attempt = "12_3.0-n2-4f0a91c2";
  attempt.block = 3;
  attempt.node = "n2";
  attempt.began = "2026-01-01T00:00:00.000Z";
  for (const auto state : {AttemptState::running, AttemptState::complete, AttemptState::interrupted, AttemptState::wrong_node,
                           AttemptState::failed, AttemptState::nothing_left}) {
    attempt.state = state;
    const auto json = to_json(attempt);
    const auto again = attempt_from(specs::Node::parse_text(specs::canonical(json), "attempt.json"));
    CHECK(again.state == state);
    CHECK(to_json(again) == json);
  }
  attempt.reason = "a byte that is none: \xff";
  const auto text = specs::canonical(to_json(attempt));
  CHECK_THAT(attempt_from(specs::Node::parse_text(text, "attempt.json")).reason, Contains("none: "));
  auto unknown = to_json(attempt);
  unknown["state"] = "asleep";
  CHECK_THAT(tests::message_of([&] { attempt_from(specs::Node::parse_text(specs::canonical(unknown), "attempt.json")); }),
             Contains("/state") && Contains("asleep"));
}
