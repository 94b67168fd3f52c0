#include "advisor/answer/candidate.hpp"

#include <catch2/catch.hpp>

#include <random>

#include "specs/version/version_text.hpp"
#include "tests/advisor/known.hpp"
#include "tests/cases.hpp"

namespace stackx::advisor {
namespace candidate_tests {

using tests::Known;

// torch 2.3: on the usual index for CUDA 13; other builds are on PyTorch's. Of 2.3+cu126 nobody is known to have seen one.
void world(Known& known) {
  const std::string wheels = R"("uploaded": "2026-01-01", "wheels": {"manylinux_2_28_x86_64": "cp311-cp311 cp312-cp312"})";
  known
      .package("torch", "{\"2.3.0\": {" + wheels + R"(, "requires": ["nvidia-cudnn-cu13==9.20.0.1"]},
                          "2.2.1": {)" + wheels + R"(, "requires": []}, "2.2.0": {)" + wheels + R"(, "requires": []},
                          "2.1.0": {"wheels": {"manylinux_2_28_x86_64": "cp39-cp39"}, "requires": []}})")
      .package("nvidia-cudnn-cu13", R"({"9.20.0.1": {"wheels": {"manylinux2014_x86_64": "py3-none"}, "requires": []}})")
      .facts(R"({"of": "torch", "versions": ["2.3.0"], "built_for": {"cuda": "13.0", "cubins": ["7.5", "8.0"]}, "known": "read"},
                {"of": "torch", "versions": ["2.3.0+cu126"], "built_for": {"cuda": "12.6", "cubins": ["7.0", "8.0"]}, "exists": "inferred", "known": "inferred"},
                {"of": "torch", "versions": ["2.2.1", "2.2.0"], "built_for": {"cuda": "12.8", "cubins": ["7.5", "8.0"]}, "known": "read"},
                {"of": "torch", "versions": ["2.2.1+cu126"], "built_for": {"cuda": "12.6", "cubins": ["7.0", "8.0"]}, "exists": "inferred", "known": "inferred"},
                {"of": "torch", "versions": ["2.2.0+cu126"], "built_for": {"cuda": "12.6", "cubins": ["7.0", "8.0"]}, "known": "read"},
                {"of": "torch", "versions": ["2.2.0+cu118"], "built_for": {"cuda": "11.8", "cubins": ["3.7", "7.0", "8.0"]}, "known": "read"},
                {"of": "torch", "versions": ["2.2.0+cpu"], "built_for": {"cuda": "none"}, "known": "read"},
                {"of": "torch", "versions": ["2.1.0"], "built_for": {"cuda": "12.1", "cubins": ["8.0"]}, "known": "read"},
                {"of": "nvidia-cudnn-cu13", "versions": ["9.20.0.1"], "built_for": {"cuda": "13.0", "cubins": ["7.5", "8.0"]}},
                {"of": "cuda", "versions": ["13.0"], "driver": "580.65.06", "minor": "580"},
                {"of": "cuda", "versions": ["12.1", "12.6", "12.8"], "driver": "560.28.03", "minor": "525.60.13"},
                {"of": "cuda", "versions": ["11.8"], "driver": "520.61.05", "minor": "450.80.02"})");
}

Wish wish(const std::string& compute_capability, const std::string& driver = "") {
  Wish result;
  result.question = tests::on_gpu({}, compute_capability, driver);
  result.root = "torch";
  return result;
}

std::string found(const Known& known, const Wish& wish) {
  const auto candidate = newest_candidate(known.knowledge(), wish);
  return candidate ? candidate->version : "";
}

TEST_CASE("candidate: the newest release, as the usual index serves it where that runs") {
  Known known;
  world(known);
  const auto candidate = newest_candidate(known.knowledge(), wish("8.0"));
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

TEST_CASE("candidate: a build that nobody has seen counts where another patch release has it") {
  Known known;
  world(known);
  const auto candidate = newest_candidate(known.knowledge(), wish("7.0"));
  REQUIRE(candidate);
  CHECK(candidate->version == "2.2.1+cu126");  // 2.2.0+cu126 was seen
  CHECK(candidate->unsure == std::vector<std::string>{"2.3.0+cu126"});
  CHECK(candidate->pinned.packages[0].index == "cu126");
}

TEST_CASE("candidate: driver, CUDA, Python and the project's range hold") {
  Known known;
  world(known);
  CHECK(found(known, wish("8.0", "535.183.01")) == "2.2.1");
  CHECK(found(known, wish("8.0", "470.82.01")) == "2.2.0+cu118");
  CHECK(found(known, wish("8.0", "440.33")).empty());
  auto kept = wish("8.0");
  kept.cuda = "12.6";
  CHECK(found(known, kept) == "2.2.1+cu126");
  kept.cuda = "12";
  CHECK(found(known, kept) == "2.2.1");
  auto old = wish("8.0");
  old.question.python = "3.9";
  CHECK(found(known, old) == "2.1.0");
  auto ranged = wish("8.0");
  ranged.question.asked.push_back(specs::read_dependency("torch<2.2.1", "the test"));
  CHECK(found(known, ranged) == "2.2.0");
  auto exactly = wish("8.0");
  exactly.exactly = "2.2.0";
  CHECK(found(known, exactly) == "2.2.0");
}

TEST_CASE("candidate: without a GPU the build for processors, and nothing where no build runs") {
  Known known;
  world(known);
  Wish cpu;
  cpu.question = tests::question({});
  cpu.root = "torch";
  cpu.exactly = "2.2.0";
  CHECK(found(known, cpu) == "2.2.0+cpu");
  CHECK(found(known, wish("3.5")).empty());
  auto unknown = wish("8.0");
  unknown.root = "nobody-has-it";
  CHECK(found(known, unknown).empty());
}

TEST_CASE("candidate: a row for each range of drivers that another release is the newest for") {
  Known known;
  world(known);
  const auto knowledge = known.knowledge();
  const auto asked = wish("8.0");
  const auto rows = by_driver(knowledge, asked, *newest_candidate(knowledge, asked));
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
    auto asked = quick ? wish(one_of({"7.0", "8.0", "9.0", "12.0"}), "") : wish(one_of({"3.7", "5.2", "6.0", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"}),
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
