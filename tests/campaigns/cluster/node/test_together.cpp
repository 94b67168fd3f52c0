// Nodes of one block, played by threads: what the first makes of what happens on the others.
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include "campaigns/campaign.hpp"
#include "campaigns/cluster/node/helper.hpp"
#include "campaigns/cluster/node/together.hpp"
#include "specs/error.hpp"

namespace together_tests {

using namespace stackx;
using namespace stackx::campaigns::cluster;
using Catch::Contains;
using specs::Outcome;

namespace {

// Takes as long as it is told to, or until it is stopped.
struct Node : inspector::StackInspector {
  std::function<bool()> stop;
  double seconds = 0;
  bool broken = false;
  Outcome outcome = Outcome::ok;
  std::optional<inspector::WorkerPlace> place;
  std::atomic<int> inspected = 0;

  void check(const specs::Stack&, const specs::Workload&) override {}
  inspector::Prepared prepare(const specs::Stack&, const std::function<void(const std::string&)>&) override {
    return broken ? inspector::Prepared{false, Outcome::build_failed, "no such wheel", ""} : inspector::Prepared{true, Outcome::ok, "", ""};
  }
  void join(const std::optional<inspector::WorkerPlace>& given) override { place = given; }
  specs::Inspection inspect(const specs::Stack& stack, const specs::Workload& workload) override {
    ++inspected;
    specs::Inspection result;
    result.stack = stack;
    result.workload = workload;
    const auto end = campaigns::steady_seconds() + seconds;
    while (campaigns::steady_seconds() < end && !(stop && stop())) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const bool stopped = campaigns::steady_seconds() < end;
    result.outcome = stopped ? Outcome::failed : outcome;
    if (result.outcome != Outcome::ok) result.reason = stopped ? "interrupted" : "it broke";
    return result;
  }
};

specs::Arm arm(const std::string& label, const std::string& workers) {
  return {label, {{{"lib", label}}}, {"train_resnet50", {{"workers", workers}, {"nodes", "3"}}}, false};
}

// A block of three nodes.
struct Block {
  std::vector<specs::Arm> arms{arm("one", "1"), arm("two", "2"), arm("three", "3")};
  specs::Catalog catalog;
  Node first, second, third;
  std::atomic<bool> leave = false;  // the third node's program ends
  std::vector<Helper> helpers;
  std::vector<std::thread> others;
  std::optional<Together> together;

  Block() {
    const Meeting meeting{"127.0.0.1", two_free_ports()};
    for (auto* node : {&second, &third}) {
      const std::uint64_t rank = node == &second ? 1 : 2;
      others.emplace_back([this, node, rank, meeting] {
        Wire wire = knock(meeting, 10, [] { return false; });
        wire.send({{"secret", "s"}, {"node", "n" + std::to_string(rank + 1)}, {"rank", rank}, {"wrong", ""}, {"broken", ""}});
        Helping helping(wire, arms, [this, rank] { return rank == 2 && leave.load(); });
        node->stop = [&] { return helping.should_stop(); };
        helping.use(*node);
        helping.run();
      });
    }
    helpers = await_helpers(meeting, 3, "s", 10, [] { return false; });
    const auto refused = [](const campaigns::Refusal& why, const specs::Stack& stack, const specs::Workload& workload) {
      specs::Inspection result;
      result.stack = stack;
      result.workload = workload;
      result.outcome = why.outcome;
      result.reason = why.reason;
      return result;
    };
    together.emplace(helpers, "n1", arms, catalog, refused, [] { return false; });
    first.stop = [this] { return together->should_stop(); };
    together->use(first);
  }
  ~Block() {
    for (auto& helper : helpers) helper.wire.send({{"do", "end"}});
    for (auto& other : others) other.join();
  }
  specs::Inspection inspect(std::size_t which) { return together->inspect(arms[which].stack, arms[which].workload); }
};

}  // namespace

TEST_CASE("an arm runs on as many nodes as it has workers, and each knows its place") {
  Block block;
  CHECK(block.inspect(0).outcome == Outcome::ok);
  CHECK_FALSE(block.first.place.has_value());
  CHECK(block.inspect(1).outcome == Outcome::ok);
  CHECK(block.first.place->nodes == std::vector<std::string>{"n1", "n2"});
  CHECK((block.second.place->rank == 1 && block.second.place->size == 2));
  CHECK(block.second.place->port == block.first.place->port);
  CHECK(block.second.place->address == "127.0.0.1");
  CHECK(block.inspect(2).outcome == Outcome::ok);
  CHECK((block.third.place->rank == 2 && block.third.place->size == 3));
  CHECK((block.first.inspected == 3 && block.second.inspected == 2 && block.third.inspected == 1));
}

TEST_CASE("what cannot be made on one node is that result, and nobody runs it") {
  Block block;
  block.third.broken = true;
  const auto prepared = block.together->prepare(block.arms[2].stack, [](const std::string&) {});
  CHECK_FALSE(prepared.ok);
  CHECK(prepared.outcome == Outcome::build_failed);
  CHECK_THAT(prepared.reason, Contains("on n3 (node 3 of 3): no such wheel"));
  CHECK(block.inspect(2).outcome == Outcome::build_failed);
  CHECK(block.first.inspected == 0);
  CHECK(block.inspect(1).outcome == Outcome::ok);  // the others go on
}

TEST_CASE("a worker that fails ends the inspection at once, and is named") {
  Block block;
  block.first.seconds = block.second.seconds = 600;
  block.third.outcome = Outcome::out_of_memory;
  const auto began = campaigns::steady_seconds();
  const auto result = block.inspect(2);
  CHECK(campaigns::steady_seconds() - began < 300);
  CHECK(result.outcome == Outcome::out_of_memory);
  CHECK(result.reason == "on n3 (node 3 of 3): it broke");
  block.first.seconds = block.second.seconds = 0;
  block.third.outcome = Outcome::ok;
  CHECK(block.inspect(2).outcome == Outcome::ok);  // and the next one is not disturbed
}

TEST_CASE("where the first worker fails the others are stopped, and its own outcome stays") {
  Block block;
  block.first.outcome = Outcome::crashed;
  block.second.seconds = 600;
  const auto result = block.inspect(1);
  CHECK(result.outcome == Outcome::crashed);
  CHECK(result.reason == "it broke");
  block.first.outcome = Outcome::ok;
  block.second.seconds = 0;
  CHECK(block.inspect(1).outcome == Outcome::ok);
}

TEST_CASE("a node that is lost ends the start, and is named") {
  Block block;
  block.first.seconds = block.second.seconds = block.third.seconds = 600;
  block.leave = true;
  (void)block.inspect(2);
  CHECK_THAT(block.together->lost(), Contains("on n3 (node 3 of 3): its program has ended"));
}

TEST_CASE("nodes that do not come are counted, and strangers are not taken for them") {
  const Meeting meeting{"127.0.0.1", two_free_ports()};
  std::thread stranger([&] {
    Wire wire = knock(meeting, 10, [] { return false; });
    wire.send({{"secret", "another"}, {"node", "n2"}, {"rank", 1}});
    while (wire.is_open()) (void)wire.next(100);
  });
  try {
    (void)await_helpers(meeting, 2, "s", 1, [] { return false; });
    FAIL("a stranger was let in");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Contains("of the 2 nodes of this block, number 2 has not come to 127.0.0.1:"));
  }
  stranger.join();
  CHECK_THROWS_AS(knock(meeting, 0, [] { return false; }), Error);
}

TEST_CASE("where nodes meet is a host and a port") {
  CHECK(meeting_from("n1:29400").host == "n1");
  CHECK(meeting_from("n1:29400").port == 29400);
  for (const char* wrong : {"", "n1", ":29400", "n1:", "n1:0", "n1:99999", "n1:2x"}) CHECK_THROWS_AS(meeting_from(wrong), Error);
}

}  // namespace together_tests
