#include "advisor/candidate/newest_candidate.hpp"

#include "advisor/candidate/driver_rows.hpp"

#include <catch2/catch.hpp>

#include <random>

#include "specs/version/version_text.hpp"
#include "tests/advisor/torch_world.hpp"
#include "tests/cases.hpp"

namespace stackx::advisor {
namespace candidate_tests {

using tests::Known;

std::string found(const Known& known, const Wish& wish) {
  const auto candidate = newest_candidate(known.knowledge(), wish);
  return candidate ? candidate->version : "";
}

TEST_CASE("candidate: the newest release, as the usual index serves it where that runs") {
  Known known;
  tests::torch_world(known);
  const auto candidate = newest_candidate(known.knowledge(), tests::wish_for_torch("8.0"));
  REQUIRE(candidate);
  CHECK(candidate->text() == "torch 2.3.0 (CUDA 13.0, cuDNN 9.20.0)");
  CHECK(candidate->released == "2026-01-01");
  CHECK(candidate->least_driver == "580");
  CHECK(candidate->pinned.glibc == "2.28");
  REQUIRE(candidate->pinned.packages.size() == 2);
  CHECK(candidate->pinned.packages[0].asked);
  CHECK(candidate->pinned.packages[1].name == "nvidia-cudnn-cu13");
  CHECK(candidate->pinned.packages[1].implied);
}

TEST_CASE("candidate: other frameworks that were asked for are named beside") {
  Known known;
  tests::torch_world(known);
  known.package("vllm", R"({"0.5": {"wheels": {"any": "py3-none"}, "requires": ["torch==2.2.0"]}})");
  auto wish = tests::wish_for_torch("8.0");
  for (const char* text : {"torch", "vllm", "numpy"}) wish.question.asked.push_back(specs::read_dependency(text, "the test"));
  const auto candidate = newest_candidate(known.knowledge(), wish);
  REQUIRE(candidate);
  CHECK(candidate->name() == "torch 2.2.0");
  CHECK(candidate->with_others() == "torch 2.2.0 with vllm 0.5");
  CHECK(candidate->text().starts_with("torch 2.2.0 with vllm 0.5 (CUDA "));
}

TEST_CASE("candidate: a build that nobody has seen counts where another patch release has it") {
  Known known;
  tests::torch_world(known);
  const auto candidate = newest_candidate(known.knowledge(), tests::wish_for_torch("7.0"));
  REQUIRE(candidate);
  CHECK(candidate->version == "2.2.1+cu126");  // 2.2.0+cu126 was seen
  CHECK(candidate->unsure == std::vector<std::string>{"2.3.0+cu126"});
}

TEST_CASE("candidate: driver, CUDA, Python and the project's range hold") {
  Known known;
  tests::torch_world(known);
  CHECK(found(known, tests::wish_for_torch("8.0", "535.183.01")) == "2.2.1");
  CHECK(found(known, tests::wish_for_torch("8.0", "470.82.01")) == "2.2.0+cu118");
  CHECK(found(known, tests::wish_for_torch("8.0", "440.33")).empty());
  auto kept = tests::wish_for_torch("8.0");
  kept.cuda = "12.6";
  CHECK(found(known, kept) == "2.2.1+cu126");
  kept.cuda = "12";
  CHECK(found(known, kept) == "2.2.1");
  auto old = tests::wish_for_torch("8.0");
  old.question.python = "3.9";
  CHECK(found(known, old) == "2.1.0");
  auto ranged = tests::wish_for_torch("8.0");
  ranged.question.asked.push_back(specs::read_dependency("torch<2.2.1", "the test"));
  CHECK(found(known, ranged) == "2.2.0");
  auto exactly = tests::wish_for_torch("8.0");
  exactly.exactly = "2.2.0";
  CHECK(found(known, exactly) == "2.2.0");
}

TEST_CASE("candidate: without a GPU the build for processors, and nothing where no build runs") {
  Known known;
  tests::torch_world(known);
  Wish cpu;
  cpu.question = tests::question({});
  cpu.root = "torch";
  cpu.exactly = "2.2.0";
  CHECK(found(known, cpu) == "2.2.0+cpu");
  CHECK(found(known, tests::wish_for_torch("3.5")).empty());
  auto unknown = tests::wish_for_torch("8.0");
  unknown.root = "nobody-has-it";
  CHECK(found(known, unknown).empty());
}

TEST_CASE("candidate: a row for each range of drivers that another release is the newest for") {
  Known known;
  tests::torch_world(known);
  const auto knowledge = known.knowledge();
  const auto asked = tests::wish_for_torch("8.0");
  const auto rows = driver_rows(knowledge, asked, *newest_candidate(knowledge, asked));
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].driver == "580");
  CHECK(rows[1].driver == "525.60.13");
  CHECK(rows[1].candidate.version == "2.2.1");
  CHECK(rows[2].driver == "450.80.02");
  CHECK(rows[2].candidate.version == "2.2.0+cu118");
}

// The oracle asks check about each release in turn, the newest first, and knows nothing of builds.
std::string by_asking_all(const Knowledge& knowledge, const Wish& wish) {
  const auto* package = knowledge.package(wish.root);
  std::vector<const specs::PackageRelease*> releases;
  for (const auto& release : package->releases) releases.push_back(&release);
  const auto plain = [](const auto* release) {
    return *specs::Version::parse(specs::public_version(release->version.text()), specs::Versioning::pep440);
  };
  std::ranges::stable_sort(releases, [&](const auto* a, const auto* b) { return plain(a) > plain(b); });
  for (const auto* release : releases) {
    if (release->yanked || release->version.is_prerelease()) continue;
    auto question = wish.question;
    question.asked.push_back(specs::read_dependency("torch==" + release->version.text(), "the test"));
    if (check(knowledge, question).answer == Answer::yes) return plain(release).text();
  }
  return "";
}

TEST_CASE("candidate: on the facts that come with stackx no release that runs is newer, whoever asks") {
  const std::filesystem::path data = std::filesystem::path(STACKX_SOURCE_DIR) / "specs/data";
  const Knowledge knowledge({{data / "generated"}, data / "facts", {}});
  std::mt19937 random(20261123);
  const auto one_of = [&](const std::vector<std::string>& all) { return all[random() % all.size()]; };
  for (std::uint64_t i = 0; i < test::cases(3, 60); ++i) {
    const bool quick = test::cases(1, 0) == 1;  // old hardware has many releases that do not run, and each is asked about
    auto asked = quick ? tests::wish_for_torch(one_of({"7.0", "8.0", "9.0", "12.0"}), "") : tests::wish_for_torch(one_of({"3.7", "5.2", "6.0", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"}),
                      one_of({"", "", "450.80.02", "470.256.02", "535.183.01", "570.86.10", "580.95.05"}));
    asked.question.python = quick ? "3.12" : one_of({"3.8", "3.10", "3.12", "3.14"});
    CAPTURE(asked.question.gpu->compute_capability, asked.question.driver, asked.question.python);
    const auto candidate = newest_candidate(knowledge, asked);
    const auto oracle = by_asking_all(knowledge, asked);
    // What nobody has seen runs, too, and is not named.
    if (candidate && !candidate->unsure.empty())
      CHECK(specs::public_version(candidate->unsure.front()) == oracle);
    else
      CHECK((candidate ? specs::public_version(candidate->version) : "") == oracle);
  }
}

}  // namespace candidate_tests
}  // namespace stackx::advisor
