// Documents on their way into the store: once, verified, together, bounded.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>

#include "serve/documents/intake.hpp"
#include "specs/format/digest.hpp"
#include "store/changes.hpp"
#include "store/store.hpp"

using namespace stackx;
using namespace stackx::serve;

namespace {

namespace fs = std::filesystem;

class Place {
 public:
  Place() {
    std::string pattern = (fs::temp_directory_path() / "stackx-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Place() { fs::remove_all(path_); }
  Place(const Place&) = delete;
  fs::path store() const { return path_ / "stackx.db"; }

 private:
  fs::path path_;
};

nlohmann::json published(int number) {
  nlohmann::json document{{"$schema", "stackx/published/1"}, {"hardware", "Tesla V100"}, {"metric", "elapsed_ms"}, {"stack", {{"cuda", "9.0"}}},
                          {"source", {{"url", "https://example.org/table"}, {"read", "2026-11-01"}}}, {"value", number + 0.5},
                          {"workload", {{"params", {{"m", "512"}}}, {"pi", "matmul"}}}};
  document["id"] = specs::sha256(document.dump());
  return document;
}

std::string line(int number) { return published(number).dump() + "\n"; }

Brought sent(Intake& intake, std::string bytes, std::string expected = "") {
  std::promise<Brought> brought;
  auto future = brought.get_future();
  REQUIRE(intake.offer({std::move(bytes), std::move(expected), [&](Brought one) { brought.set_value(std::move(one)); }}));
  return future.get();
}

}  // namespace

TEST_CASE("intake: stored once, however often it comes") {
  const Place place;
  Intake intake(place.store(), 1 << 20);
  auto brought = sent(intake, line(1) + "\n" + line(2));
  CHECK((brought.inserted == 2 && brought.already_there == 0 && brought.refused == 0 && brought.failed.empty()));
  brought = sent(intake, line(2) + line(1) + line(3));
  CHECK((brought.inserted == 1 && brought.already_there == 2));
  CHECK(store::Store::open(place.store(), store::Mode::read_only).published({}).size() == 3);
}

TEST_CASE("intake: a refused line is named, and the others are stored") {
  const Place place;
  Intake intake(place.store(), 1 << 20);
  auto changed = published(1);
  changed["value"] = 99.5;
  const auto brought = sent(intake, line(1) + changed.dump() + "\n\nno JSON\n" + line(2));
  CHECK((brought.inserted == 2 && brought.refused == 2));
  REQUIRE(brought.reasons.size() == 2);
  CHECK(brought.reasons[0].line == 2);
  CHECK(brought.reasons[1].line == 4);
  const auto many = sent(intake, [] {
    std::string lines;
    for (int i = 0; i < 500; ++i) lines += "{}\n";
    return lines;
  }());
  CHECK((many.refused == 500 && many.reasons.size() == 100));
}

TEST_CASE("intake: an address names one document") {
  const Place place;
  Intake intake(place.store(), 1 << 20);
  const std::string id = published(1)["id"];
  CHECK(sent(intake, line(1), id).inserted == 1);
  CHECK(sent(intake, line(1), id).already_there == 1);
  CHECK(sent(intake, line(2), id).refused == 1);
  CHECK(sent(intake, line(1) + line(2), id).refused == 1);
  CHECK(sent(intake, "", id).refused == 1);
  std::string many;
  for (int i = 0; i < 1500; ++i) many += line(i);
  const auto brought = sent(intake, many, id);
  CHECK((brought.refused == 1 && brought.inserted == 0));
  CHECK(intake.state().inserted == 1);
}

TEST_CASE("intake: what came meanwhile shares a transaction, and too much is told to come again") {
  const Place place;
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  std::size_t done = 0, inserted = 0;
  {
    Intake intake(place.store(), 50'000);
    // Its answer holds the writer's thread until all others are offered.
    REQUIRE(intake.offer({line(0), "", [&](const Brought&) {
                            std::unique_lock lock(mutex);
                            changed.wait(lock, [&] { return open; });
                          }}));
    while (intake.state().waiting != 0) std::this_thread::yield();
    std::size_t offered = 0;
    for (int i = 1; i <= 40; ++i)
      offered += intake.offer({line(i), "", [&](const Brought& brought) {
                                 const std::lock_guard lock(mutex);
                                 ++done;
                                 inserted += brought.inserted;
                               }});
    CHECK(offered == 40);
    CHECK(intake.offer({std::string(30'000, ' '), "", [](const Brought&) {}}));
    CHECK_FALSE(intake.offer({std::string(30'000, ' '), "", [](const Brought&) {}}));
    CHECK(intake.state().waiting == 41);
    {
      const std::lock_guard lock(mutex);
      open = true;
    }
    changed.notify_all();
    while (intake.state().waiting != 0) std::this_thread::yield();
    CHECK(intake.state().transactions == 2);
    CHECK(intake.state().waiting_bytes == 0);
  }
  CHECK(done == 40);
  CHECK(inserted == 40);
}

TEST_CASE("intake: at its end what was offered is written first") {
  const Place place;
  std::size_t inserted = 0;
  {
    Intake intake(place.store(), 1 << 20);
    for (int i = 0; i < 100; ++i) REQUIRE(intake.offer({line(i), "", [&](const Brought& brought) { inserted += brought.inserted; }}));
  }
  CHECK(inserted == 100);
  CHECK(store::Store::open(place.store(), store::Mode::read_only).published({}).size() == 100);
}

TEST_CASE("intake: bytes that are not what they seem are unreadable") {
  const Place place;
  Intake intake(place.store(), 1 << 20);
  const auto brought = sent(intake, "\x1f\x8b\x08" + std::string(50, 'x'));
  CHECK(brought.unreadable);
  CHECK_FALSE(brought.failed.empty());
  CHECK(sent(intake, line(1)).inserted == 1);
}

TEST_CASE("changes: any commit moves the counter, of another process' connection, too") {
  const Place place;
  Intake intake(place.store(), 1 << 20);
  store::Changes changes(place.store());
  const auto before = changes.count();
  CHECK(changes.count() == before);
  sent(intake, line(1));
  const auto after = changes.count();
  CHECK(after > before);
  sent(intake, line(1));
  sent(intake, "{}\n");
  sent(intake, line(2));
  CHECK(changes.count() > after);
}
