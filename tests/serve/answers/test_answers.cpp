// Answers: made once for all who ask, kept while nothing changes, and bounded.
#include <atomic>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "serve/answers/answers.hpp"

using namespace stackx::serve;
using namespace std::chrono_literals;

namespace {

// What came to those who asked.
struct Told {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> bodies;
  int busy = 0, late = 0;

  Answers::Given given() {
    return [this](const std::shared_ptr<const Answer>& answer) {
      const std::lock_guard lock(mutex);
      bodies.push_back(answer->body);
      changed.notify_all();
    };
  }
  Answers::Refused refused() {
    return [this](Answers::Refusal why) {
      const std::lock_guard lock(mutex);
      ++(why == Answers::Refusal::busy ? busy : late);
      changed.notify_all();
    };
  }
  bool wait(std::size_t answers) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 60s, [&] { return bodies.size() >= answers; });
  }
};

// A maker that waits until it may go on.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  std::atomic<int> made = 0, began = 0;

  std::function<Answer()> make(const std::string& body) {
    return [this, body] {
      ++began;
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return open; });
      return Answer{.body = body + std::to_string(++made)};
    };
  }
  void let() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
  bool wait_for_begin(int count) {
    for (int i = 0; i < 6000 && began < count; ++i) std::this_thread::sleep_for(10ms);
    return began >= count;
  }
};

}  // namespace

TEST_CASE("answers: who asks what is being made waits for it, and it is kept") {
  Gate gate;
  Told told;
  std::atomic<std::uint64_t> version = 1;
  Answers answers({.workers = 2}, [&] { return version.load(); });
  for (int i = 0; i < 20; ++i) answers.ask("key", false, gate.make("a"), told.given(), told.refused());
  CHECK(answers.state().waiting == 20);
  gate.let();
  REQUIRE(told.wait(20));
  CHECK(gate.made == 1);
  answers.ask("key", false, gate.make("a"), told.given(), told.refused());
  answers.ask("key", true, gate.make("a"), told.given(), told.refused());
  REQUIRE(told.wait(22));
  CHECK(gate.made == 1);
  CHECK(answers.state().kept == 2);
  version = 2;
  answers.ask("key", true, gate.make("a"), told.given(), told.refused());
  REQUIRE(told.wait(23));
  CHECK(gate.made == 2);
  CHECK(told.bodies.back() == "a2");
}

TEST_CASE("answers: who wants the newest sees what came while one was being made") {
  Gate gate;
  Told first, second;
  std::atomic<std::uint64_t> version = 1;
  Answers answers({.workers = 1}, [&] { return version.load(); });
  answers.ask("key", false, gate.make("a"), first.given(), first.refused());
  REQUIRE(gate.wait_for_begin(1));
  version = 2;
  answers.ask("key", true, gate.make("a"), second.given(), second.refused());
  gate.let();
  REQUIRE(first.wait(1));
  REQUIRE(second.wait(1));
  CHECK(first.bodies.front() == "a1");
  CHECK(second.bodies.front() == "a2");
}

TEST_CASE("answers: a queue that is full says no, and what is late is told") {
  Gate gate;
  Told told;
  {
    Answers answers({.workers = 1, .queue = 2, .patience = 0s}, [] { return 1U; });
    answers.ask("running", false, gate.make("a"), told.given(), told.refused());
    REQUIRE(gate.wait_for_begin(1));
    for (int i = 0; i < 5; ++i) answers.ask(std::to_string(i), false, gate.make("b"), told.given(), told.refused());
    CHECK(told.busy == 3);
    CHECK(answers.state().turned_away == 3);
    std::this_thread::sleep_for(20ms);
    answers.drop_late();
    CHECK(told.late == 3);
    CHECK(answers.state().waiting == 0);
    gate.let();
  }
  CHECK(told.bodies.empty());
}

TEST_CASE("answers: at the end what nobody waits for is not made") {
  Gate gate;
  Told told;
  std::optional<Answers> answers(std::in_place, Answers::Limits{.workers = 1}, [] { return 1U; });
  const auto slowly = [make = gate.make("a")] {  // 50 of them take much longer than it can take to reset
    auto answer = make();
    std::this_thread::sleep_for(1s);
    return answer;
  };
  for (int i = 0; i < 50; ++i) answers->ask(std::to_string(i), false, slowly, told.given(), told.refused());
  REQUIRE(gate.wait_for_begin(1));
  std::thread opens([&] {
    std::this_thread::sleep_for(300ms);
    gate.let();
  });
  answers.reset();
  opens.join();
  CHECK(gate.made < 50);
}

TEST_CASE("answers: what is kept is bounded by the bytes of answers and of questions") {
  Told told;
  Answers answers({.workers = 2, .bytes = 100'000}, [] { return 1U; });
  for (std::size_t i = 0; i < 100; ++i)
    answers.ask(std::to_string(i), false, [] { return Answer{.body = std::string(10'000, 'x')}; }, told.given(), told.refused());
  REQUIRE(told.wait(100));
  CHECK(answers.state().bytes <= 120'000);
  for (std::size_t i = 0; i < 100; ++i)
    answers.ask(std::string(10'000, 'k') + std::to_string(i), false, [] { return Answer{.body = "x"}; }, told.given(), told.refused());
  REQUIRE(told.wait(200));
  CHECK(answers.state().entries <= 10);
}

TEST_CASE("answers: a failure of the moment is not kept") {
  Told told;
  std::atomic<int> made = 0;
  Answers answers({.workers = 1}, [] { return 1U; });
  const auto make = [&] { return Answer{.status = 500, .body = std::to_string(++made)}; };
  for (std::size_t i = 1; i <= 3; ++i) {
    answers.ask("key", false, make, told.given(), told.refused());
    REQUIRE(told.wait(i));
  }
  CHECK(made == 3);
}

TEST_CASE("answers: at the end it is known whether some are still being made") {
  Gate gate;
  Told told;
  Answers answers({.workers = 1}, [] { return 1; });
  answers.ask("first", false, gate.make("a"), told.given(), told.refused());
  REQUIRE(gate.wait_for_begin(1));
  answers.ask("second", false, gate.make("b"), told.given(), told.refused());
  CHECK_FALSE(answers.finish());
  gate.let();
  for (int i = 0; i < 6000 && !answers.finish(); ++i) std::this_thread::sleep_for(10ms);
  CHECK(answers.finish());
  CHECK(gate.began == 1);  // the second is not begun
}
