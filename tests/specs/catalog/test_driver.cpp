#include "specs/catalog/driver.hpp"

#include <catch2/catch.hpp>

#include "specs/catalog/open.hpp"
#include "specs/format/json.hpp"
#include "tests/specs/message_of.hpp"

namespace driver_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Reach = GpuBuild::Reach;
using Texts = std::vector<std::string>;

namespace {

DriverFacts read(const std::vector<std::string>& facts) {
  DriverFacts drivers;
  for (const auto& list : facts)
    drivers.read(Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {}, "facts": [)" + list + "]}", "f.json"));
  return drivers;
}
std::string refusal(const std::string& fact) {
  return message_of([&] { read({fact}); });
}

const char* const sample = R"(
  {"of": "cuda", "versions": ["12.8"], "driver": "570.26", "minor": "525.60.13"},
  {"of": "cuda", "versions": ["12.0", "12.1"], "driver": 525.105, "minor": "525.60.13"},
  {"of": "cuda", "versions": ["10.2"], "driver": "440.33", "minor": null},
  {"of": "cuda", "versions": ["9.0"]},
  {"of": "driver", "gpu": ["9.0", "10.0"], "since": "525.60.13"},
  {"of": "driver", "branch": "470", "last_for": ["3.5", "3.7"]},
  {"of": "driver", "gpu": ["3.5"], "since": "319.17"},
  {"of": "cuda-compat", "cuda": "12.8", "branches": ["470", "535"]},
  {"of": "torch", "versions": "*"})";

// On which side of what the GPU is driven.
bool drives(const DriverFacts& drivers, const std::string& gpu, const std::string& driver, const FirstDriver& product = {}) {
  auto component = drivers.component(gpu, product, driver);
  const auto* entry = add_open(component, driver);
  REQUIRE(entry != nullptr);
  VersionEntry device;
  device.attributes["compute_capability"] = gpu;
  return std::ranges::all_of(entry->requires_, [&](const auto& one) { return holds(one, device); });
}

}  // namespace

TEST_CASE("driver: a product's own first counts, in the branch of the driver that is there") {
  const auto drivers = read({sample});
  const FirstDriver h200{"550.90.07", {"535.183.01", "555.42.06"}}, early{"520.56.06"};
  CHECK(drives(drivers, "9.0", "525.60.13"));
  CHECK_FALSE(drives(drivers, "9.0", "525.60.13", h200));
  CHECK(drives(drivers, "9.0", "535.183.06", h200));
  CHECK_FALSE(drives(drivers, "9.0", "555.42.02", h200));
  CHECK(drives(drivers, "9.0", "520.56.06", early));  // older than the first CUDA for its capability
  CHECK(drivers.since("9.0", h200) == "550.90.07");
  CHECK(drivers.component("9.0", h200).versions.size() == 2);  // of any driver the least number counts
}

TEST_CASE("driver: machine code needs what minor-version compatibility does, PTX the toolkit's own driver") {
  const auto drivers = read({sample});
  CHECK(drivers.least("12.8", Reach::cubin) == "525.60.13");
  CHECK(drivers.least("12.8", Reach::ptx) == "570.26");
  CHECK(drivers.least("12.8.1", Reach::ptx) == "570.26");
  CHECK(drivers.least("12.1", Reach::ptx) == "525.105");
  CHECK(drivers.least("10.2", Reach::cubin) == "440.33");  // no such compatibility before 11
}

TEST_CASE("driver: of a release that is not listed its major's rule is known, or nothing") {
  const auto drivers = read({sample});
  CHECK(drivers.least("12.9", Reach::cubin) == "525.60.13");
  CHECK(drivers.least("12", Reach::cubin) == "525.60.13");
  CHECK(drivers.least("10.1", Reach::cubin) == std::nullopt);
  CHECK(drivers.least("9.0", Reach::cubin) == std::nullopt);
  CHECK(drivers.least("1.2", Reach::cubin) == std::nullopt);  // not of 12
  CHECK(drivers.least("", Reach::cubin) == std::nullopt);
  CHECK(read({}).least("12.8", Reach::ptx) == std::nullopt);
}

TEST_CASE("driver: the first CUDA with code that runs on a GPU") {
  const auto drivers = read({sample, R"({"of": "cuda", "versions": ["11.0"], "driver": "450.51", "minor": "450.36"},
    {"of": "cuda", "versions": ["11.8"], "driver": "520.61", "minor": "450.80"},
    {"of": "driver", "gpu": ["8.0"], "since": "450.36"}, {"of": "driver", "gpu": ["8.9"], "since": "520.61"}, {"of": "driver", "gpu": ["12.0"], "since": "570.26"})"});
  CHECK(drivers.first_toolkit("12.0") == "12.8");
  CHECK(drivers.first_toolkit("12.1") == "12.8");  // what 12.0 runs
  CHECK(drivers.first_toolkit("8.9") == "11.0");   // what 8.0 runs, though its own target came with 11.8
  CHECK(drivers.first_toolkit("9.0") == "12.0");
  CHECK(drivers.first_toolkit("7.0") == std::nullopt);
}

TEST_CASE("driver: first drivers, last branches, forward compatibility") {
  const auto drivers = read({sample});
  CHECK(drivers.since("9.0") == "525.60.13");
  CHECK(drivers.since("7.0") == std::nullopt);
  CHECK(drivers.last_branch("3.7") == "470");
  CHECK(drivers.last_branch("9.0") == std::nullopt);
  CHECK(drivers.compatible_branches("12.8") == Texts{"470", "535"});
  CHECK(drivers.compatible_branches("12.8.1") == Texts{"470", "535"});
  CHECK(drivers.compatible_branches("12.6").empty());
}

TEST_CASE("driver: later documents win, and one without facts says nothing") {
  auto drivers = read({sample, R"({"of": "cuda", "versions": ["12.8"], "driver": "571"}, {"of": "driver", "gpu": ["9.0"], "since": "530"},
    {"of": "driver", "branch": "471", "last_for": ["3.7"]}, {"of": "cuda-compat", "cuda": 12.8, "branches": []})"});
  drivers.read(Node::parse_text("{}", "f.json"));
  CHECK(drivers.least("12.8", Reach::cubin) == "571");
  CHECK(drivers.since("9.0") == "530");
  CHECK(drivers.since("10.0") == "525.60.13");
  CHECK(drivers.last_branch("3.7") == "471");
  CHECK(drivers.compatible_branches("12.8").empty());
}

TEST_CASE("driver: a toolkit's own driver counts where no fact says one") {
  auto drivers = read({sample});
  drivers.add_toolkit("12.8", "999");
  drivers.add_toolkit("12.9", "575.51.03");
  drivers.add_toolkit("10.1", "418.39");
  drivers.add_toolkit("9.0", "384.81");
  CHECK(drivers.least("12.8", Reach::ptx) == "570.26");
  CHECK(drivers.least("12.9", Reach::ptx) == "575.51.03");
  CHECK(drivers.least("12.9", Reach::cubin) == "525.60.13");  // its major's rule
  CHECK(drivers.least("10.1", Reach::cubin) == "418.39");
  CHECK(drivers.least("9.0", Reach::cubin) == "384.81");
}

TEST_CASE("driver: an open component, a version each time something changes") {
  const auto drivers = read({sample});
  const auto component = drivers.component("3.5");
  CHECK(component.name == "driver");
  CHECK(component.kind == Kind::driver);
  CHECK(component.open);
  Texts versions;
  for (const auto& entry : component.versions) versions.push_back(entry.version.text());
  CHECK(versions == Texts{"0", "319.17", "471"});
  CHECK_FALSE(drives(drivers, "3.5", "319.16"));
  CHECK(drives(drivers, "3.5", "319.17"));
  CHECK(drives(drivers, "3.5", "470.256.02"));
  CHECK_FALSE(drives(drivers, "3.5", "471"));
  CHECK_FALSE(drives(drivers, "3.5", "570.26"));
  CHECK(drives(drivers, "3.7", "1"));
  CHECK_FALSE(drives(drivers, "3.7", "495.29"));
  CHECK_FALSE(drives(drivers, "9.0", "525.60.12"));
  CHECK(drives(drivers, "9.0", "999"));
  CHECK(drives(drivers, "7.0", "0"));  // nobody says anything
}

TEST_CASE("driver: one error, with file and place") {
  CHECK_THAT(refusal(R"({"of": "cuda", "driver": "570"})"), Contains("f.json: /facts/0: ") && Contains("\"versions\""));
  CHECK_THAT(refusal(R"({"of": "driver", "last_for": ["3.7"]})"), Contains("f.json: /facts/0: ") && Contains("\"branch\""));
  CHECK_THAT(refusal(R"({"of": "cuda-compat", "cuda": "12.8"})"), Contains("f.json: /facts/0: ") && Contains("\"branches\""));
  CHECK_THAT(refusal(R"({"of": "driver", "gpu": "9.0", "since": "525"})"), Contains("f.json: /facts/0/gpu: "));
  CHECK_THAT(refusal(R"({"versions": []})"), Contains("f.json: /facts/0: ") && Contains("\"of\""));
}

// The user's overlays may hold any of these: words where versions are expected, and keys that nobody reads.
TEST_CASE("driver: versions, branches and keys are checked where they stand") {
  CHECK_THAT(refusal(R"({"of": "driver", "gpu": ["9.0"], "since": "new"})"), Contains("f.json: /facts/0/since: "));
  CHECK_THAT(refusal(R"({"of": "driver", "branch": "R470", "last_for": ["3.7"]})"), Contains("f.json: /facts/0/branch: "));
  CHECK_THAT(refusal(R"({"of": "cuda", "versions": ["12.8"], "driver": "new"})"), Contains("f.json: /facts/0/driver: "));
  CHECK_THAT(refusal(R"({"of": "cuda", "versions": ["12.8"], "minor": "new"})"), Contains("f.json: /facts/0/minor: "));
  CHECK_THAT(refusal(R"({"of": "driver", "gpus": ["9.0"], "since": "525"})"), Contains("f.json: /facts/0: unknown key \"gpus\""));
}

}  // namespace driver_tests
