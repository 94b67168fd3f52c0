#include "advisor/facts/refresh.hpp"

#include <catch2/catch.hpp>

#include "specs/error.hpp"
#include "tests/pypi/index/fake_index.hpp"
#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"

namespace refresh_facts_tests {

using namespace stackx;
using namespace stackx::advisor;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

namespace {

const char* const today = "2026-11-22";

std::string wheel(const std::string& name, const std::string& version) { return name + "-" + version + "-py3-none-any.whl"; }

struct Run {
  RefreshReport report;
  Texts said;
};
Run refresh(FakeIndex& fake, const std::filesystem::path& directory, const Texts& names, const std::string& day = today) {
  auto index = fake.later();
  Run run;
  run.report = refresh_packages({{"the index", "PyPI", directory, names, &index}}, day, [&](const std::string& text) { run.said.push_back(text); });
  return run;
}

}  // namespace

TEST_CASE("refresh packages: one file each, and news") {
  const Files files;
  FakeIndex fake;
  fake.file("a", wheel("a", "1"), "Requires-Dist: b\n");
  fake.file("a", wheel("a", "2"), "");
  fake.file("b", wheel("b", "3"), "Requires-Dist: a\n");
  const auto directory = files.path() / "deep/generated";
  const auto run = refresh(fake, directory, {"a", "b"});
  CHECK(run.said == Texts{"a: 2 new, newest 2", "b: 1 new, newest 3"});
  REQUIRE(run.report.news.size() == 2);
  CHECK(run.report.news[0].name == "a");
  CHECK(run.report.news[0].newest == "2");
  CHECK(run.report.news[0].added == Texts{"1", "2"});
  REQUIRE(run.report.news[0].unread.size() == 1);
  CHECK(run.report.news[0].unread[0].starts_with("2: "));
  CHECK(run.report.unchanged == 0);
  CHECK(run.report.not_reached.empty());
  CHECK(specs::load_package(directory / "a.json").releases.size() == 2);
  CHECK(specs::load_package(directory / "b.json").releases.at(0).requires_ == Texts{"a"});
  CHECK(std::distance(std::filesystem::directory_iterator(directory), {}) == 2);  // nothing lies beside them

  const auto again = refresh(fake, directory, {"b"}, "2026-11-23");
  CHECK(again.report.news.empty());
  CHECK(again.report.unchanged == 1);
  CHECK(again.said.empty());
  CHECK(specs::load_package(directory / "b.json").as_of == "2026-11-23");  // read that day, if without news
}

TEST_CASE("refresh packages: a file says from which index it is") {
  const Files files;
  FakeIndex fake;
  fake.file("torch", wheel("torch", "1+cpu"), "Requires-Dist: b\n");
  auto index = fake.index();
  refresh_packages({{"PyTorch's own index", "PyTorch's index", files.path(), {"torch"}, &index}}, today, [](const std::string&) {});
  CHECK(specs::load_package(files.path() / "torch.json").source == "PyTorch's index: torch");
}

TEST_CASE("refresh packages: a name that the source does not know is named, and the others are read") {
  const Files files;
  FakeIndex fake;
  fake.file("b", wheel("b", "3"), "Requires-Dist: a\n");
  const auto run = refresh(fake, files.path(), {"x", "y", "z", "b"});
  REQUIRE(run.report.not_reached.size() == 3);
  CHECK(run.report.not_reached[0].what == "the index: x");
  CHECK(run.report.not_reached[0].reason.empty());
  CHECK(run.report.news.size() == 1);
  CHECK_FALSE(std::filesystem::exists(files.path() / "x.json"));
}

TEST_CASE("refresh packages: after two failures the rest is not tried, and all that was known stays") {
  const Files files;
  FakeIndex fake;
  fake.file("a", wheel("a", "1"), "Requires-Dist: b\n");
  refresh(fake, files.path(), {"a"});
  fake.file("a", wheel("a", "2"), "Requires-Dist: b\n");
  fake.transport.reachable = false;
  const auto run = refresh(fake, files.path(), {"a", "b", "c", "d"});
  CHECK(fake.transport.asked.size() == 2);
  REQUIRE(run.report.not_reached.size() == 1);
  CHECK(run.report.not_reached[0].what == "the index: a, b, c, d");
  CHECK_THAT(run.report.not_reached[0].reason, Contains("no connection"));
  CHECK(run.report.news.empty());
  CHECK(specs::load_package(files.path() / "a.json").releases.size() == 1);
}

TEST_CASE("refresh packages: a source that fails does not keep the others") {
  const Files files;
  FakeIndex fake;
  fake.file("a", wheel("a", "1"), "Requires-Dist: b\n");
  FakeTransport down;
  down.reachable = false;
  pypi::Index broken({"https://down/simple", false}, pypi::Cache(files.path() / "cache"), down, nullptr);
  auto index = fake.index();
  const auto report = refresh_packages({{"PyTorch's own index", "PyTorch's index", files.path() / "pytorch", {"torch", "torchvision"}, &broken},
                                        {"the index", "PyPI", files.path(), {"a"}, &index}},
                                       today, [](const std::string&) {});
  REQUIRE(report.not_reached.size() == 1);
  CHECK(report.not_reached[0].what == "PyTorch's own index: torch, torchvision");
  CHECK(report.news.size() == 1);
}

TEST_CASE("refresh packages: a file that is broken is named, not written over") {
  const Files files;
  FakeIndex fake;
  fake.file("a", wheel("a", "1"), "Requires-Dist: b\n");
  files.write("a.json", "{");
  CHECK_THAT(message_of([&] { refresh(fake, files.path(), {"a"}); }), Contains("a.json:"));
}

TEST_CASE("refresh packages: a directory that cannot be written is one error, with what to do") {
  const Files files;
  FakeIndex fake;
  fake.file("a", wheel("a", "1"), "Requires-Dist: b\n");
  const auto blocked = files.write("file", "") / "generated";
  CHECK_THAT(message_of([&] { refresh(fake, blocked, {"a"}); }), Contains("a.json: cannot be written") && Contains("--output DIR"));
}

TEST_CASE("packages to refresh: names as an index writes them") {
  const Files files;
  files.write("packages.json", R"({"$schema": "stackx/packages/1", "description": "some", "packages": ["Torch", "flash_attn"]})");
  CHECK(packages_to_refresh(files.path()) == Texts{"torch", "flash-attn"});
  files.write("packages.json", R"({"$schema": "stackx/packages/1", "packages": ["torch", 1]})");
  CHECK_THAT(message_of([&] { packages_to_refresh(files.path()); }), Contains("packages.json: /packages/1: "));
  files.write("packages.json", R"({"$schema": "stackx/packages/1"})");
  CHECK_THAT(message_of([&] { packages_to_refresh(files.path()); }), Contains("\"packages\""));
  CHECK_THAT(message_of([&] { packages_to_refresh(files.path() / "none"); }), Contains("packages.json"));
}

// The list that is shipped.
TEST_CASE("packages to refresh: the shipped list is read") {
  CHECK_FALSE(packages_to_refresh(std::filesystem::path(STACKX_SOURCE_DIR) / "specs/data").empty());
}

}  // namespace refresh_facts_tests
