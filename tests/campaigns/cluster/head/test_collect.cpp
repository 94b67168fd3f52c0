// What is on the spool against what is in the store: in any order, as often as one likes, damaged, and killed at any moment.
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <sys/wait.h>

#include "campaigns/cluster/head/collect.hpp"
#include "campaigns/cluster/node/outbox.hpp"
#include "specs/format/seal.hpp"
#include "specs/random.hpp"
#include "tests/campaigns/cluster/made_up.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/place.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using namespace stackx::test;
using Catch::Matchers::Contains;

namespace {

// Every document of the store, sorted, a line each.
std::vector<std::string> content_of(const store::Store& store) {
  std::vector<std::string> lines;
  for (const auto& campaign : store.campaigns()) store.documents(campaign.id, [&](const std::string& text) { lines.push_back(text + "\n"); });
  store.documents("", [&](const std::string& text) { lines.push_back(text + "\n"); });
  std::ranges::sort(lines);
  return lines;
}

std::vector<std::string> content_of(const std::vector<Start>& starts) {
  std::vector<std::string> lines;
  for (const auto& start : starts)
    for (const auto& [name, text] : files_of(start)) lines.push_back(text);
  std::ranges::sort(lines);
  return lines;
}

struct Scene {
  explicit Scene(const std::vector<std::string>& targets = {"v100"})
      : spool("collect"), campaign(made_up_campaign(spool.path(), made_up_plan(3, 100, 1), targets)), root(put_on_spool(campaign)) {}

  store::Store open() const { return store::Store::open(spool / "of-head.db"); }
  Start start(std::uint64_t block, const std::string& attempt, std::uint64_t rounds = 2, const std::string& target = "v100") const {
    return made_up_start(campaign, target, block, attempt, rounds);
  }

  tests::Place spool;
  specs::ClusterCampaign campaign;
  fs::path root;
};

bool has_remark(const Collected& collected, const std::string& file, const std::string& why = "") {
  return std::ranges::any_of(collected.remarks, [&](const auto& line) { return line.find(file) != line.npos && line.find(why) != line.npos; });
}

}  // namespace

TEST_CASE("collect: takes in what was written, and a second time nothing") {
  const Scene scene({"v100", "h100"});
  const std::vector<Start> starts{scene.start(0, "a"), scene.start(0, "b"), scene.start(2, "a"), scene.start(0, "a", 2, "h100")};
  for (const auto& start : starts) leave(scene.root, start);
  auto store = scene.open();
  const auto first = collect(scene.campaign, scene.root, store);
  CHECK(first.documents == 4 * (1 + 2 * 4));
  CHECK(first.starts == 4);
  CHECK(first.remarks.empty());
  CHECK(first.whole);
  CHECK(content_of(store) == content_of(starts));
  CHECK(store.check().empty());
  const auto second = collect(scene.campaign, scene.root, store);
  CHECK(second.documents == 0);
  CHECK(second.starts == 0);  // not looked into again
  const auto rows = store.blocks(scene.campaign.id);
  CHECK(rows.size() == 4);
}

TEST_CASE("collect: whatever comes when, and however often one collects, each document is there once") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Scene scene({"v100", "h100"});
    specs::Random random(seed);
    std::vector<Start> starts;
    struct Leaving {
      std::size_t start;
      std::pair<std::string, std::string> file;
    };
    std::vector<Leaving> to_come;
    for (std::uint64_t i = 0; i < 4; ++i) {
      starts.push_back(scene.start(random.below(3), "start-" + std::to_string(i), 1 + random.below(3), random.below(2) ? "v100" : "h100"));
      for (auto& file : files_of(starts.back())) to_come.push_back({i, std::move(file)});
    }
    random.shuffle(to_come);  // plans anywhere, also last
    auto store = std::make_unique<store::Store>(scene.open());
    for (const auto& [start, file] : to_come) {
      leave_file(scene.root, starts[start].plan, file);
      if (random.below(12) == 0) collect(scene.campaign, scene.root, *store);
      if (random.below(20) == 0) store = std::make_unique<store::Store>(scene.open());  // another head
    }
    const auto last = collect(scene.campaign, scene.root, *store);
    CHECK(last.remarks.empty());
    CHECK(content_of(*store) == content_of(starts));
    CHECK(store->check().empty());
    CHECK(collect(scene.campaign, scene.root, *store).documents == 0);
  }
}

TEST_CASE("collect: over a way that opens and closes, with starts that are killed, nothing is lost and nothing is twice") {
  struct Flaky : Delivery {
    Flaky(fs::path root, specs::Random& drawn) : spool(to_spool(root)), random(drawn) {}
    std::optional<std::string> deliver(const specs::BlockOf& block, const std::string& name, const std::string& text) override {
      if (random.below(3) == 0) return "full";
      const auto why = spool->deliver(block, name, text);
      if (!why && random.below(5) == 0) return "the answer was lost";
      return why;
    }
    std::unique_ptr<Delivery> spool;
    specs::Random& random;
  };
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const Scene scene;
    const tests::Place scratch("collect-scratch");
    specs::Random random(seed);
    auto store = scene.open();
    const auto outbox_of = [&](const specs::BlockOf& block) {
      return std::make_unique<Outbox>(scratch.path(), block, std::make_unique<Flaky>(scene.root, random), [](const std::string&) {});
    };
    std::vector<Start> starts;
    std::vector<std::string> put;
    for (std::uint64_t i = 0; i < 5; ++i) {
      starts.push_back(scene.start(i % 3, "start-" + std::to_string(i)));
      const auto files = files_of(starts.back());
      const auto dies_after = random.below(files.size() + 1);
      auto outbox = outbox_of(*starts.back().plan.block);
      outbox->finish_others();
      for (std::size_t n = 0; n < dies_after; ++n) {
        outbox->put(files[n].first, files[n].second);
        put.push_back(files[n].second);
        if (random.below(4) == 0) outbox->flush(0, [] { return true; });
        if (random.below(6) == 0) collect(scene.campaign, scene.root, store);
      }
    }
    const auto last = outbox_of({scene.campaign.id, "v100", 0, "last"});
    for (int i = 0; i < 100 && std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()) > 1; ++i) last->finish_others();
    collect(scene.campaign, scene.root, store);
    std::ranges::sort(put);
    CHECK(content_of(store) == put);
    CHECK(store.check().empty());
  }
}

TEST_CASE("collect: a start without its plan is under way") {
  const Scene scene;
  const auto start = scene.start(0, "a");
  const auto files = files_of(start);
  for (std::size_t i = 1; i < files.size(); ++i) leave_file(scene.root, start.plan, files[i]);
  auto store = scene.open();
  const auto before = collect(scene.campaign, scene.root, store);
  CHECK(before.documents == 0);
  CHECK(before.remarks.empty());
  CHECK(before.whole);
  leave_file(scene.root, start.plan, files[0]);
  CHECK(collect(scene.campaign, scene.root, store).documents == files.size());
}

TEST_CASE("collect: what is damaged or no document is named, and the rest goes on") {
  const Scene scene;
  const auto good = scene.start(0, "a"), foreign = scene.start(1, "elsewhere"), later = scene.start(2, "z");
  leave(scene.root, good);
  leave(scene.root, later);
  const auto directory = directory_of(scene.root, good.plan);
  const auto name = [](char letter) { return std::string(64, letter) + ".json"; };
  const auto text = text_of_document(good.inspections[0]);
  const auto lay = [&](const std::string& file, const std::string& content) { std::ofstream(directory / file, std::ios::binary) << content; };
  fs::remove(directory / (good.inspections[3].id + ".json"));
  lay(good.inspections[3].id + ".json", text_of_document(good.inspections[3]).substr(0, 700));  // truncated
  lay(name('1'), "\x80 not JSON");
  lay(name('2'), "{}");
  lay(name('3'), "[1, 2]");
  auto changed = specs::to_json(good.inspections[1]);
  changed["load_1m"] = 77.5;
  lay(name('4'), changed.dump());
  lay(name('5'), text);  // again, under a name that is not its own
  lay(name('6'), text_of_document(foreign.inspections[0]));
  lay(name('7'), "");
  lay(name('8'), "\n");
  fs::create_directory(directory / name('9'));
  lay("notes.txt", "x");
  lay("." + name('a') + ".1.part", "{\"half\":");
  lay("attempt.json", "{\"$schema\": \"stackx/attempt/1\"");
  const auto pretty = specs::to_json(later.inspections[0]).dump(2);  // as people write it
  std::ofstream(directory_of(scene.root, later.plan) / (later.inspections[0].id + ".json")) << pretty << "\n\n";
  std::ofstream(scene.root / "v100" / "block-0" / "stray") << "x";
  std::ofstream(scene.root / "v100" / "block-1") << "x";
  fs::create_directory(scene.root / "v100" / "block-x");
  fs::create_directory(scene.root / "v100" / "block-18446744073709551616");

  auto store = scene.open();
  const auto found = collect(scene.campaign, scene.root, store);
  for (const auto& line : found.remarks) UNSCOPED_INFO(line);
  for (const char* digit : {"1", "2", "3", "4", "7", "8", "9"}) {
    INFO(digit);
    CHECK(has_remark(found, (directory / name(digit[0])).string()));
  }
  CHECK(has_remark(found, (directory / (good.inspections[3].id + ".json")).string()));
  CHECK(has_remark(found, name('4'), "changed"));
  CHECK(has_remark(found, "attempt.json"));
  CHECK(found.remarks.size() == 9);
  CHECK(found.whole);  // none of it is the spool's fault
  auto expected = content_of({good, later});
  std::erase(expected, text_of_document(good.inspections[3]));
  expected.push_back(text_of_document(foreign.inspections[0]));
  std::ranges::sort(expected);
  CHECK(content_of(store) == expected);
  CHECK(store.check().empty());

  const auto again = collect(scene.campaign, scene.root, store);
  CHECK(again.documents == 0);
  lay(good.inspections[3].id + ".json", text_of_document(good.inspections[3]));  // whole after all
  CHECK(collect(scene.campaign, scene.root, store).documents == 1);
}

TEST_CASE("collect: of two documents for one place the first stays, and the other is named") {
  const Scene scene;
  const auto start = scene.start(0, "a");
  leave(scene.root, start);
  auto rival = start.inspections[2];
  rival.load_1m += 1;
  specs::seal(rival);
  auto store = scene.open();
  collect(scene.campaign, scene.root, store);
  fs::remove(scene.spool / "of-head.db");
  leave_file(scene.root, start.plan, {rival.id + ".json", text_of_document(rival)});
  auto fresh = store::Store::open(scene.spool / "fresh.db");
  const auto found = collect(scene.campaign, scene.root, fresh);
  REQUIRE(found.remarks.size() == 1);
  CHECK((has_remark(found, rival.id + ".json") || has_remark(found, start.inspections[2].id + ".json")));
  CHECK(found.documents == 1 + start.inspections.size());
}

TEST_CASE("collect: both starts of a block that were never to be two are kept") {
  const Scene scene;
  const auto zombie = scene.start(0, "1-n1"), second = scene.start(0, "1-n2");
  auto store = scene.open();
  leave(scene.root, second);
  collect(scene.campaign, scene.root, store);
  leave(scene.root, zombie);  // its network came back
  collect(scene.campaign, scene.root, store);
  CHECK(content_of(store) == content_of({zombie, second}));
  CHECK(store.blocks(scene.campaign.id).size() == 2);
}

TEST_CASE("collect: what starts say of themselves, of those that did not end well") {
  const Scene scene;
  const auto start = scene.start(1, "a");
  leave(scene.root, start);
  Attempt attempt;
  attempt.cluster = scene.campaign.id;
  attempt.target = "v100";
  attempt.block = 1;
  auto store = scene.open();
  for (const auto& [state, told] : std::vector<std::pair<AttemptState, bool>>{{AttemptState::complete, false}, {AttemptState::nothing_left, false},
                                                                              {AttemptState::running, true}, {AttemptState::interrupted, true},
                                                                              {AttemptState::wrong_node, true}, {AttemptState::failed, true}}) {
    attempt.attempt = to_string(state);
    attempt.state = state;
    fs::create_directories(block_directory(scene.root, "v100", 1) / attempt.attempt);
    write_document(block_directory(scene.root, "v100", 1) / attempt.attempt / "attempt.json", to_json(attempt));
    const auto found = collect(scene.campaign, scene.root, store);
    CHECK(std::ranges::any_of(found.attempts, [&, s = state](const auto& one) { return one.state == s; }) == told);
  }
}

TEST_CASE("collect: where the spool, or part of it, is not there, that is said and nothing is taken for missing") {
  const Scene scene({"v100", "h100"});
  const auto start = scene.start(0, "a");
  leave(scene.root, start);
  auto store = scene.open();
  fs::rename(scene.root / "h100", scene.root / "away");
  const auto partly = collect(scene.campaign, scene.root, store);
  CHECK_FALSE(partly.whole);
  CHECK(has_remark(partly, (scene.root / "h100").string()));
  CHECK(partly.documents == 1 + start.inspections.size());
  fs::rename(scene.root / "away", scene.root / "h100");
  CHECK(collect(scene.campaign, scene.root, store).whole);
  fs::rename(scene.root, scene.spool / "away");
  CHECK_THAT(tests::message_of([&] { collect(scene.campaign, scene.root, store); }), Contains("mounted"));
}

TEST_CASE("collect: killed at any moment, it goes on where it was") {
  const Scene scene;
  std::vector<Start> starts;
  for (std::uint64_t block = 0; block < 3; ++block) {
    starts.push_back(scene.start(block, "a", 8));
    leave(scene.root, starts.back());
  }
  double whole_seconds = 0;
  {
    const double begin = campaigns::steady_seconds();
    auto store = store::Store::open(scene.spool / "timed.db");
    collect(scene.campaign, scene.root, store);
    whole_seconds = campaigns::steady_seconds() - begin;
  }
  specs::Random random(5);
  int killed = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const fs::path database = scene.spool.path() / ("killed-" + std::to_string(trial) + ".db");
    const pid_t child = fork();
    if (child == 0) {
      auto store = store::Store::open(database);
      collect(scene.campaign, scene.root, store);
      _exit(0);
    }
    REQUIRE(child > 0);
    std::this_thread::sleep_for(std::chrono::duration<double>(whole_seconds * random.unit()));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
    if (!WIFSIGNALED(status)) whole_seconds /= 2;  // less than it took when it was timed, beside other work
    auto store = store::Store::open(database);
    const auto last = collect(scene.campaign, scene.root, store);
    CHECK(last.remarks.empty());
    CHECK(content_of(store) == content_of(starts));
    CHECK(store.check().empty());
    CHECK(collect(scene.campaign, scene.root, store).documents == 0);
  }
  CHECK(killed > 5);
}
