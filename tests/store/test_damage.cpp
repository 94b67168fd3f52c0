// A damaged store gives an Error or sound data, never a crash and never wrong numbers.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "specs/format/json.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;
using store::Measurement;
using store::Mode;
using store::Store;

namespace {

auto all_of(const Measurement& m) {
  return std::tie(m.inspection, m.campaign, m.arm, m.round, m.position, m.sentinel, m.stack,
                  m.workload, m.host, m.hostname, m.microarchitecture, m.cpu_model, m.device,
                  m.outcome, m.reason, m.finished, m.samples_ns);
}

struct Truth {
  std::map<std::string, Measurement> measurements;
  std::map<std::string, std::string> documents;
  specs::Plan plan;
};

Truth fill(const std::filesystem::path& file) {
  Truth truth;
  truth.plan = plan(4, 4);
  Store store = Store::open(file);
  store.ingest(truth.plan);
  for (std::uint64_t n = 0; n < 16; ++n) {
    const auto document = inspection(n, truth.plan.id);
    store.ingest(document);
    truth.documents[document.id] = specs::canonical(specs::to_json(document));
  }
  for (const auto& m : store.measurements({})) truth.measurements.emplace(m.inspection, m);
  return truth;
}

struct Reading {
  bool error = false;
  std::size_t measurements = 0, documents = 0;
  std::vector<std::string> problems;
};

// Everything a reader gets must be true.
Reading read_all(const std::filesystem::path& file, const Truth& truth) {
  Reading reading;
  const auto attempt = [&](auto work) {
    try {
      work();
    } catch (const Error&) {
      reading.error = true;
    }
  };
  attempt([&] {
    const Store store = Store::open(file, Mode::read_only);
    attempt([&] {
      for (const auto& m : store.measurements({})) {
        const auto expected = truth.measurements.find(m.inspection);
        REQUIRE(expected != truth.measurements.end());
        REQUIRE(all_of(m) == all_of(expected->second));
        REQUIRE(m.work.flop == expected->second.work.flop);
        ++reading.measurements;
      }
    });
    for (const auto& [id, text] : truth.documents)
      attempt([&] {
        const auto document = store.inspection(id);
        if (!document) return;
        REQUIRE(specs::canonical(specs::to_json(*document)) == text);
        ++reading.documents;
      });
    attempt([&] {
      if (const auto p = store.plan(truth.plan.id))
        REQUIRE(specs::canonical(specs::to_json(*p)) ==
                specs::canonical(specs::to_json(truth.plan)));
    });
    attempt([&] { (void)store.campaigns(); });
    attempt([&] { (void)store.done(truth.plan.id); });
    reading.problems = store.check();
  });
  return reading;
}

}  // namespace

TEST_CASE("damage: flipped bytes anywhere in the file") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  const Truth truth = fill(file);
  const std::string sound = read(file);
  REQUIRE(sound.size() > 40'000);
  specs::Random random(20250601);
  std::size_t noticed = 0;
  for (int trial = 0; trial < 150; ++trial) {
    std::string bytes = sound;
    const auto flips = 1 + random.below(trial % 3 == 0 ? 40 : 3);
    for (std::uint64_t f = 0; f < flips; ++f)
      bytes[random.below(trial % 5 == 0 ? 4096 : bytes.size())] ^=
          static_cast<char>(1 + random.below(255));
    write(file, bytes);
    const Reading reading = read_all(file, truth);
    noticed += reading.error || !reading.problems.empty();
    // What is missing without an error must at least be found by check().
    if (reading.measurements < 16 || reading.documents < 16) {
      INFO("trial " << trial);
      CHECK((reading.error || !reading.problems.empty()));
    }
  }
  CHECK(noticed > 15);  // most flips hit the empty part of a page
}

TEST_CASE("damage: overwritten and zeroed pages") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  const Truth truth = fill(file);
  const std::string sound = read(file);
  for (std::size_t page = 0; page < sound.size() / 4096; ++page)
    for (const bool zero : {true, false}) {
      std::string bytes = sound;
      bytes.replace(
          page * 4096, 4096,
          zero ? std::string(4096, '\0') : sound.substr((page + 7) * 4096 % sound.size(), 4096));
      write(file, bytes);
      const Reading reading = read_all(file, truth);
      if (reading.measurements < 16 || reading.documents < 16)
        CHECK((reading.error || !reading.problems.empty()));
    }
}

TEST_CASE("damage: a writer meets a damaged store with an Error, and the file is still there") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  const Truth truth = fill(file);
  const std::string sound = read(file);
  specs::Random random(7);
  for (int trial = 0; trial < 100; ++trial) {
    std::string bytes = sound;
    for (int f = 0; f < 20; ++f)
      bytes[random.below(bytes.size())] ^= static_cast<char>(1 + random.below(255));
    std::filesystem::remove(file.string() + "-wal");
    std::filesystem::remove(file.string() + "-shm");
    write(file, bytes);
    try {
      Store store = Store::open(file);
      store.ingest(inspection(1000 + static_cast<std::uint64_t>(trial), truth.plan.id));
    } catch (const Error&) {
    }
    REQUIRE(std::filesystem::file_size(file) >= sound.size());
  }
}
