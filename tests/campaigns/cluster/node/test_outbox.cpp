// Documents on their way, over deliveries that fail as spools and servers do. Nothing here waits for time to pass.
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <map>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "campaigns/cluster/node/outbox.hpp"
#include "specs/format/text_file.hpp"
#include "tests/campaigns/cluster/made_up.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/place.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using namespace stackx::test;
using Catch::Matchers::Contains;

namespace {

struct Delivered {
  std::map<std::string, std::string> texts;       // "attempt/name"
  std::vector<std::string> order;                 // in which they came
  std::function<bool(const std::string&)> fails;  // by name
  int tries = 0;
};

class FakeDelivery : public Delivery {
 public:
  explicit FakeDelivery(Delivered& to) : to_(to) {}
  std::optional<std::string> deliver(const specs::BlockOf& block, const std::string& name, const std::string& text) override {
    ++to_.tries;
    if (to_.fails && to_.fails(name)) return "no: " + name;
    to_.order.push_back(block.attempt + "/" + name);
    to_.texts[block.attempt + "/" + name] = text;
    return std::nullopt;
  }

 private:
  Delivered& to_;
};

specs::BlockOf block_of(const std::string& attempt, const std::string& cluster = std::string(64, 'c')) { return {cluster, "v100", 3, attempt}; }

std::unique_ptr<Outbox> outbox_to(Delivered& to, const tests::Place& scratch, const std::string& attempt,
                                  std::vector<std::string>* said = nullptr) {
  return std::make_unique<Outbox>(scratch.path(), block_of(attempt), std::make_unique<FakeDelivery>(to),
                                  [said](const std::string& line) {
                                    if (said != nullptr) said->push_back(line);
                                  });
}

bool try_once(Outbox& outbox) {
  return outbox.flush(0, [] { return true; });
}

std::string document_name(int number) { return std::string(62, 'a' + static_cast<char>(number % 6)) + std::to_string(10 + number) + ".json"; }

std::size_t count_of(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

const auto never = [](const std::string&) { return true; };

// A start that dies with `documents` documents undelivered, and without its destructor.
void die_with(const tests::Place& scratch, const std::string& attempt, int documents) {
  const pid_t child = fork();
  if (child == 0) {
    Delivered nowhere;
    nowhere.fails = never;
    const auto outbox = outbox_to(nowhere, scratch, attempt);
    outbox->put("plan.json", "plan");
    for (int i = 1; i < documents; ++i) outbox->put(document_name(i), std::to_string(i));
    kill(getpid(), SIGKILL);
  }
  REQUIRE(child > 0);
  waitpid(child, nullptr, 0);
}

}  // namespace

TEST_CASE("outbox: what is delivered leaves nothing on the node") {
  const tests::Place scratch("outbox");
  Delivered to;
  {
    const auto outbox = outbox_to(to, scratch, "a");
    outbox->put("plan.json", "the plan");
    outbox->put(document_name(1), "one");
    CHECK(outbox->waiting() == 0);
    CHECK(to.order == std::vector<std::string>{"a/plan.json", "a/" + document_name(1)});  // as they came, without waiting for the end
    CHECK(to.texts.at("a/plan.json") == "the plan");
  }
  CHECK(count_of(scratch.path()) == 0);
}

TEST_CASE("outbox: over a way that is closed for a while everything comes once, as it was put, and the plan first") {
  for (int closed = 0; closed <= 12; ++closed) {
    const tests::Place scratch("outbox");
    Delivered to;
    int tries = 0;
    to.fails = [&](const std::string&) { return tries++ < closed; };
    std::vector<std::string> said;
    {
      const auto outbox = outbox_to(to, scratch, "a", &said);
      outbox->put("plan.json", "plan");
      for (int i = 0; i < 20; ++i) outbox->put(document_name(i), std::to_string(i));
      for (int i = 0; i < 20 && !try_once(*outbox); ++i) {
      }
      CHECK(outbox->waiting() == 0);
    }
    INFO("closed for " << closed << " tries");
    REQUIRE(to.order.size() == 21);
    CHECK(to.order.front() == "a/plan.json");
    for (int i = 0; i < 20; ++i) CHECK(to.texts.at("a/" + document_name(i)) == std::to_string(i));
    CHECK(said.size() == (closed > 0 ? 1u : 0u));  // a log of a night is not full of it
    CHECK(count_of(scratch.path()) == 0);
  }
}

TEST_CASE("outbox: a closed way is not tried with every document") {
  const tests::Place scratch("outbox");
  Delivered to;
  to.fails = never;
  const auto outbox = outbox_to(to, scratch, "a");
  for (int i = 0; i < 50; ++i) outbox->put(document_name(i), "x");
  CHECK(to.tries <= 2);
  CHECK(outbox->waiting() == 50);
  const int before = to.tries;
  CHECK_FALSE(try_once(*outbox));
  CHECK(to.tries - before <= 2);
}

TEST_CASE("outbox: documents that are refused keep no other back") {
  for (int refused = 1; refused <= 4; ++refused) {
    const tests::Place scratch("outbox");
    Delivered to;
    bool closed = true;
    to.fails = [&](const std::string& name) {
      for (int i = 0; i < refused; ++i)
        if (name == document_name(i + 1)) return true;
      return closed;
    };
    fs::path kept;
    {
      const auto outbox = outbox_to(to, scratch, "a");
      for (int i = 0; i < 12; ++i) outbox->put(document_name(i), "x");
      closed = false;
      for (int i = 0; i < refused + 1; ++i) CHECK_FALSE(try_once(*outbox));
      CHECK(outbox->waiting() == static_cast<std::size_t>(refused));
      kept = outbox->directory();
    }
    CHECK(to.order.size() == static_cast<std::size_t>(12 - refused));
    CHECK(specs::read_text_file(kept / document_name(1), "it") == "x");
  }
}

TEST_CASE("outbox: what is put twice is delivered as it was put last") {
  const tests::Place scratch("outbox");
  Delivered to;
  bool closed = true;
  to.fails = [&](const std::string&) { return closed; };
  const auto outbox = outbox_to(to, scratch, "a");
  outbox->put("attempt.json", "running");
  outbox->put("attempt.json", "complete");
  closed = false;
  CHECK(try_once(*outbox));
  CHECK(to.order.size() == 1);
  CHECK(to.texts.at("a/attempt.json") == "complete");
}

TEST_CASE("outbox: what the node's own disk refuses is an error, and no half document is ever delivered") {
  const tests::Place scratch("outbox");
  Delivered to;
  const auto outbox = outbox_to(to, scratch, "a");
  rlimit usual{};
  getrlimit(RLIMIT_FSIZE, &usual);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full{1000, usual.rlim_max};
  setrlimit(RLIMIT_FSIZE, &full);
  const auto message = tests::message_of([&] { outbox->put(document_name(1), std::string(5000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, old);
  CHECK_THAT(message, Contains("cannot be written: File too large"));
  CHECK(outbox->waiting() == 0);
  CHECK(count_of(outbox->directory()) == 2);  // its lock, and whose it is
  CHECK(to.order.empty());
}

TEST_CASE("outbox: what a start that is gone left is delivered by the next, as that start's, once") {
  const tests::Place scratch("outbox");
  {
    Delivered nowhere;
    nowhere.fails = never;
    const auto outbox = outbox_to(nowhere, scratch, "ended");
    outbox->put("plan.json", "plan");
    outbox->put(document_name(1), "1");
  }
  die_with(scratch, "killed", 5);
  CHECK(count_of(scratch.path()) == 2);
  std::ofstream(scratch.path() / fs::directory_iterator(scratch.path())->path() / ".half.json.1.part") << "hal";

  Delivered to;
  int tries = 0;
  to.fails = [&](const std::string&) { return ++tries % 4 == 0 || tries < 4; };  // closed at first, then every now and then
  std::vector<std::string> said;
  const auto outbox = outbox_to(to, scratch, "new", &said);
  for (int i = 0; i < 6; ++i) outbox->finish_others();
  CHECK(to.order.size() == 7);
  CHECK(to.texts.size() == 7);
  CHECK(to.texts.at("ended/" + document_name(1)) == "1");
  CHECK(to.texts.at("killed/" + document_name(4)) == "4");
  CHECK(count_of(scratch.path()) == 1);
  CHECK_FALSE(said.empty());
}

TEST_CASE("outbox: the plan of a start that is gone comes before its results") {
  const tests::Place scratch("outbox");
  const auto usual = umask(0002);  // as where every user has a group
  die_with(scratch, "killed", 5);
  umask(usual);
  Delivered to;
  outbox_to(to, scratch, "new")->finish_others();
  REQUIRE(to.order.size() == 5);
  CHECK(to.order.front() == "killed/plan.json");
}

TEST_CASE("outbox: a start that lives is left alone") {
  const tests::Place scratch("outbox");
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    Delivered nowhere;
    nowhere.fails = never;
    const auto outbox = outbox_to(nowhere, scratch, "living");
    outbox->put(document_name(1), "1");
    (void)!write(ready[1], "x", 1);
    pause();
    _exit(0);
  }
  REQUIRE(child > 0);
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  Delivered to;
  {
    const auto outbox = outbox_to(to, scratch, "new");
    outbox->finish_others();
    CHECK(to.order.empty());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    outbox->finish_others();
    CHECK(to.order == std::vector<std::string>{"living/" + document_name(1)});
  }
  CHECK(count_of(scratch.path()) == 0);
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("outbox: what others laid beside it is neither delivered nor in the way") {
  const tests::Place scratch("outbox");
  const std::string mine = "stackx-cccccccccccc-";
  const auto lay = [&](const std::string& name, const std::string& block) {
    fs::create_directory(scratch.path() / name);
    std::ofstream(scratch.path() / name / "block") << block;
    std::ofstream(scratch.path() / name / document_name(1)) << "forged";
  };
  const auto block_text = [](const std::string& target, const std::string& attempt) {
    return specs::canonical({{"cluster", std::string(64, 'c')}, {"target", target}, {"block", 3}, {"attempt", attempt}});
  };
  fs::create_symlink(scratch.path() / (mine + "loop"), scratch.path() / (mine + "loop"));
  std::ofstream(scratch.path() / (mine + "file")) << "x";
  lay(mine + "v100-3-damaged", "{\"cluster\":");
  lay(mine + "v100-3-incomplete", "{}");
  lay(mine + "v100-3-upwards", block_text("v100", "../../../elsewhere"));
  lay(mine + "v100-3-away", block_text("../..", "away"));
  lay("stackx-dddddddddddd-v100-3-foreign", block_text("v100", "foreign"));
  fs::create_directory_symlink(scratch.path() / "stackx-dddddddddddd-v100-3-foreign", scratch.path() / (mine + "v100-3-foreign"));
  die_with(scratch, "mine", 2);
  const auto before = count_of(scratch.path());

  Delivered to;
  std::vector<std::string> said;
  {
    const auto outbox = outbox_to(to, scratch, "new", &said);
    outbox->finish_others();
  }
  CHECK(to.order == std::vector<std::string>{"mine/plan.json", "mine/" + document_name(1)});
  CHECK(count_of(scratch.path()) == before - 1);
  CHECK(said.size() >= 3);
}

TEST_CASE("outbox: two starts of one name do not share a directory") {
  const tests::Place scratch("outbox");
  Delivered to;
  const auto first = outbox_to(to, scratch, "a");
  CHECK_THAT(tests::message_of([&] { outbox_to(to, scratch, "a"); }), Contains("there already") && Contains("STACKX_SCRATCH"));
}

TEST_CASE("outbox: a spool that is not mounted stays an empty directory, and gets all when it is back") {
  const tests::Place scratch("outbox"), spool("outbox-spool"), elsewhere("outbox-elsewhere");
  const auto campaign = made_up_campaign(spool.path(), made_up_plan(2));
  const auto start = made_up_start(campaign, "v100", 1, "a", 2);
  const auto root = root_of(campaign);
  {
    Outbox outbox(scratch.path(), *start.plan.block, to_spool(root), [](const std::string&) {});
    for (const auto& [name, text] : files_of(start)) outbox.put(name, text);
    CHECK_FALSE(try_once(outbox));
    CHECK(count_of(spool.path()) == 0);
    fs::create_directory(root);  // the mount point of the campaign alone
    CHECK_FALSE(try_once(outbox));
    CHECK(count_of(root) == 0);
    put_on_spool(campaign);
    fs::rename(root, elsewhere / "away");  // away again
    CHECK_FALSE(try_once(outbox));
    CHECK(count_of(spool.path()) == 0);
    fs::rename(elsewhere / "away", root);
    CHECK(try_once(outbox));
  }
  for (const auto& [name, text] : files_of(start)) CHECK(specs::read_text_file(directory_of(root, start.plan) / name, "it") == text);
  CHECK(count_of(directory_of(root, start.plan)) == files_of(start).size());
  CHECK(count_of(scratch.path()) == 0);
}
