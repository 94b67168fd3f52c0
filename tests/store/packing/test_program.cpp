#include "store/packing/program.hpp"

#include <catch2/catch.hpp>

#include "specs/format/clock.hpp"
#include "specs/format/json.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::store;
using namespace stackx::test;

namespace {

Skeleton split_of(const std::string& text) {
  Skeleton skeleton;
  split(text, Words::none, skeleton);
  return skeleton;
}

// What a document's rest may look like: phases that follow each other, a tail that repeats them.
std::string rest(specs::Random& random, const std::vector<std::int64_t>& samples) {
  const auto number = [&](std::uint64_t below) { return std::to_string(random.below(below)); };
  const std::int64_t finished = 1'795'293'643'026 + static_cast<std::int64_t>(random.below(1000));
  std::int64_t at = finished * 1'000'000 - 400'000'000;
  std::string phases, tail;
  for (int i = 0; i < 3; ++i) {
    const auto duration = static_cast<std::int64_t>(random.below(100'000'000));
    phases += (i ? "," : "") + ("{\"duration_ns\":" + std::to_string(duration) + ",\"end_ns\":" +
              std::to_string(at + duration) + ",\"name\":\"p\",\"start_ns\":" + std::to_string(at) + "}");
    tail += "\\\"duration_ns\\\":" + std::to_string(duration) + ",";
    at += duration + static_cast<std::int64_t>(random.below(20'000));
  }
  std::string list;
  for (const std::int64_t sample : samples) list += (list.empty() ? "" : ",") + std::to_string(sample);
  return "{\"exit_code\":" + number(2) + ",\"finished\":\"" + specs::utc_text(finished, true) +
         "\",\"load_1m\":0." + std::to_string(1 + random.below(9)) + ",\"phases\":[" + phases +
         "],\"stdout_tail\":\"{" + tail + "\\\"samples_ns\\\":[" + list + "],\\\"size\\\":512}" +
         std::string(40, ' ') + "\",\"usage\":{\"minor_faults\":" + number(3000) + ",\"odd\":" + number(3) + "}}";
}

std::vector<std::int64_t> some_samples(specs::Random& random) {
  std::vector<std::int64_t> samples;
  for (std::uint64_t i = 4 + random.below(30); i > 0; --i)
    samples.push_back(5'000'000 + static_cast<std::int64_t>(random.below(300'000)));
  return samples;
}

bool comes_back(const Program& program, const Skeleton& numbers, const std::string& text,
                const std::vector<std::int64_t>& samples) {
  const Numbers again = program.unpack(program.pack(numbers, samples), samples);
  return join(numbers.text, again.tokens, again.lists) == text;
}

}  // namespace

TEST_CASE("program: what it packs comes back, and programs only widen") {
  specs::Random random(7);
  std::vector<Program> programs;
  std::size_t bytes = 0, documents = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const auto samples = some_samples(random);
    const std::string text = rest(random, samples);
    const Skeleton numbers = split_of(text);
    const Program* fits = nullptr;
    for (const Program& program : programs)
      if (program.holds(numbers, samples)) fits = &program;
    if (!fits) {
      programs.push_back(programs.empty() ? Program::first(numbers, samples)
                                          : programs.back().widened(numbers, samples));
      fits = &programs.back();
      REQUIRE(fits->holds(numbers, samples));
    }
    CHECK(comes_back(*fits, numbers, text, samples));
    CHECK(packed_finish(fits->pack(numbers, samples)) > 1'795'293'643'000);
    bytes += fits->pack(numbers, samples).size();
    ++documents;
  }
  CHECK(programs.size() < 12);
  CHECK(static_cast<double>(bytes) / static_cast<double>(documents) < 50);  // of some 600 of text
}

TEST_CASE("program: its bytes are the program") {
  specs::Random random(8);
  const auto samples = some_samples(random);
  const std::string text = rest(random, samples);
  const Skeleton numbers = split_of(text);
  const Program program = Program::from(Program::first(numbers, samples).bytes());
  CHECK(program.holds(numbers, samples));
  CHECK(comes_back(program, numbers, text, samples));
}

TEST_CASE("program: damaged bytes are errors, never a crash") {
  specs::Random random(9);
  const auto samples = some_samples(random);
  const Skeleton numbers = split_of(rest(random, samples));
  const Program sound = Program::first(numbers, samples);
  const std::string program = sound.bytes(), packed = sound.pack(numbers, samples);
  for (int trial = 0; trial < 5000; ++trial) {
    std::string bytes = trial % 2 ? program : packed;
    for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips)
      bytes[random.below(bytes.size())] ^= static_cast<char>(1 + random.below(255));
    if (random.below(4) == 0) bytes.resize(random.below(bytes.size()));
    try {
      const Numbers again = trial % 2 ? Program::from(bytes).unpack(packed, samples)
                                      : sound.unpack(bytes, samples);
      (void)join(numbers.text, again.tokens, again.lists);
    } catch (const Error&) {
    }
  }
  SUCCEED();
}
