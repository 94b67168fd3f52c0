#include "pypi/refresh.hpp"

#include <catch2/catch.hpp>

#include "tests/pypi/index/fake_index.hpp"

namespace refresh_tests {

using namespace stackx;
using namespace stackx::tests;
using Texts = std::vector<std::string>;

namespace {

const char* const today = "2026-11-22";
const char* const tomorrow = "2026-11-23";

pypi::Refreshed read(FakeIndex& fake, const std::string& name, const std::optional<specs::Package>& before = std::nullopt,
                     const std::string& day = today) {
  auto index = fake.later();
  auto refreshed = pypi::refresh(name, before, day, index);
  REQUIRE(refreshed);
  return std::move(*refreshed);
}

Texts versions(const specs::Package& package) {
  Texts texts;
  for (const auto& one : package.releases) texts.push_back(one.version.text());
  return texts;
}
const specs::PackageRelease& release(const pypi::Refreshed& refreshed, const std::string& version) {
  const auto* found = refreshed.package.find(*specs::Version::parse(version, specs::Versioning::pep440));
  REQUIRE(found != nullptr);
  return *found;
}
const char* const linux_wheel = "-cp311-cp311-manylinux1_x86_64.whl";

}  // namespace

TEST_CASE("refresh: releases with a wheel for Linux or a source archive, oldest first") {
  FakeIndex fake;
  fake.file("a", "a-1.10-cp311-cp311-manylinux1_x86_64.whl", "Requires-Dist: b>=1\n", {{"upload-time", "2024-07-24T00:00:01Z"}, {"requires-python", ">=3.8"}});
  fake.file("a", "a-1.10-cp310-cp310-win_amd64.whl", "");
  fake.file("a", "a-1.10.tar.gz", "", {{"upload-time", "2024-07-23T23:00:00Z"}});
  fake.file("a", "a-1.9-py3-none-any.whl", "Requires-Python: >=3.7\n");
  fake.file("a", "a-1.8.tar.gz", "");
  fake.file("a", "a-1.7-cp310-cp310-win_amd64.whl", "");
  fake.file("a", "a-1.7-cp310-cp310-musllinux_1_1_x86_64.whl", "");
  fake.file("a", "a-2.0rc1-py3-none-any.whl", "");
  fake.file("a", "a-2.0.dev1-py3-none-any.whl", "");
  fake.file("a", "b-9.0-py3-none-any.whl", "");
  const auto got = read(fake, "a");
  CHECK(got.package.name == "a");
  CHECK(got.package.as_of == today);
  CHECK(got.package.source == "PyPI: a");
  CHECK(got.changed);
  CHECK(got.added == Texts{"1.8", "1.9", "1.10"});
  CHECK(got.withdrawn.empty());
  CHECK(got.unread.empty());
  REQUIRE(versions(got.package) == Texts{"1.8", "1.9", "1.10"});
  const auto& newest = release(got, "1.10");
  CHECK(newest.uploaded == "2024-07-23");
  CHECK(newest.requires_python == ">=3.8");
  CHECK(newest.source);
  REQUIRE(newest.wheels.size() == 1);
  CHECK(newest.wheels[0].pythons == Texts{"cp311"});
  CHECK(newest.requires_ == Texts{"b>=1"});
  CHECK(release(got, "1.9").requires_python == ">=3.7");  // where the listing says nothing
  CHECK(release(got, "1.9").requires_ == Texts{});
  CHECK_FALSE(release(got, "1.9").source);
  CHECK(release(got, "1.8").requires_ == std::nullopt);  // a source archive is not read
  CHECK(release(got, "1.8").source);
}

TEST_CASE("refresh: of a wheel's platforms those of Linux are kept") {
  FakeIndex fake;
  fake.file("a", "a-1-cp311-cp311-macosx_11_0_arm64.manylinux_2_17_aarch64.manylinux2014_aarch64.whl", "");
  CHECK(release(read(fake, "a"), "1").wheels.at(0).platforms == Texts{"manylinux_2_17_aarch64", "manylinux2014_aarch64"});
}

TEST_CASE("refresh: the metadata is that of the wheel that pip would take today") {
  const auto told = [](const std::vector<std::pair<std::string, std::string>>& wheels) {
    FakeIndex fake;
    for (const auto& [tags, said] : wheels) fake.file("a", "a-1-" + tags + ".whl", "Requires-Dist: " + said + "\n");
    return release(read(fake, "a"), "1").requires_.value_or(Texts{"unread"}).at(0);
  };
  CHECK(told({{"cp39-cp39-manylinux1_x86_64", "old"}, {"cp310-cp310-manylinux1_x86_64", "new"}}) == "new");
  CHECK(told({{"cp310-cp310-manylinux1_x86_64", "new"}, {"cp39-cp39-manylinux1_x86_64", "old"}}) == "new");
  CHECK(told({{"cp312-cp312-manylinux2014_aarch64", "arm"}, {"cp310-cp310-manylinux1_x86_64", "new"}}) == "new");
  CHECK(told({{"cp312-cp312-manylinux2014_aarch64", "arm"}}) == "arm");
  CHECK(told({{"py2.py3-none-any", "pure"}, {"cp312-cp312-manylinux1_x86_64", "fast"}}) == "fast");
}

TEST_CASE("refresh: a wheel for PyPy is none that pip would take here") {
  FakeIndex fake;
  fake.file("a", "a-1-pp310-pypy310_pp73-manylinux1_x86_64.whl", "Requires-Dist: cffi\n");
  fake.file("a", "a-1-cp312-cp312-manylinux1_x86_64.whl", "Requires-Dist: numpy\n");
  CHECK(release(read(fake, "a"), "1").requires_ == Texts{"numpy"});
}

TEST_CASE("refresh: a release is yanked when all its files are") {
  FakeIndex fake;
  fake.file("a", std::string("a-1") + linux_wheel, "", {{"yanked", "broken"}});
  fake.file("a", "a-1.tar.gz", "", {{"yanked", true}});
  fake.file("a", std::string("a-2") + linux_wheel, "", {{"yanked", true}});
  fake.file("a", "a-2.tar.gz", "");
  const auto got = read(fake, "a");
  CHECK(release(got, "1").yanked);
  CHECK_FALSE(release(got, "2").yanked);
}

TEST_CASE("refresh: a run without news is one request, and changes the day of reading alone") {
  FakeIndex fake;
  fake.file("a", std::string("a-1") + linux_wheel, "Requires-Dist: b\n", {{"requires-python", ">=3.8"}});
  fake.file("a", "a-1.tar.gz", "");
  const auto before = read(fake, "a").package;
  fake.forget();  // even the metadata that was cached
  auto again = read(fake, "a", before, tomorrow);
  CHECK(fake.transport.asked == Texts{"https://h/simple/a/"});
  CHECK_FALSE(again.changed);
  CHECK(again.added.empty());
  CHECK(again.package.as_of == tomorrow);
  again.package.as_of = today;
  CHECK(to_text(again.package) == to_text(before));
}

TEST_CASE("refresh: of what is new only the new is read") {
  FakeIndex fake;
  fake.file("a", std::string("a-1") + linux_wheel, "Requires-Dist: b\n");
  const auto before = read(fake, "a").package;
  fake.file("a", std::string("a-2") + linux_wheel, "Requires-Dist: c\n");
  const auto again = read(fake, "a", before, tomorrow);
  CHECK(fake.transport.asked == Texts{"https://h/simple/a/", std::string("https://h/f/a-2") + linux_wheel + ".metadata"});
  CHECK(again.changed);
  CHECK(again.added == Texts{"2"});
  CHECK(again.package.as_of == tomorrow);
  CHECK(release(again, "1").requires_ == Texts{"b"});
  CHECK(release(again, "2").requires_ == Texts{"c"});
}

TEST_CASE("refresh: a new wheel of a known release is news, though no new release") {
  FakeIndex fake;
  fake.file("a", std::string("a-1") + linux_wheel, "Requires-Dist: b\n");
  const auto before = read(fake, "a").package;
  fake.file("a", "a-1-cp312-cp312-manylinux1_x86_64.whl", "Requires-Dist: other\n");
  const auto again = read(fake, "a", before, tomorrow);
  CHECK(again.changed);
  CHECK(again.added.empty());
  CHECK(release(again, "1").wheels.size() == 2);
  CHECK(release(again, "1").requires_ == Texts{"b"});
}

TEST_CASE("refresh: what was withdrawn is named") {
  FakeIndex fake;
  for (const char* version : {"1", "2", "3"}) fake.file("a", std::string("a-") + version + linux_wheel, "Requires-Dist: b\n");
  const auto before = read(fake, "a").package;
  fake.file("a", std::string("a-2") + linux_wheel, "", {{"yanked", "broken"}});
  fake.withdraw("a", std::string("a-3") + linux_wheel);
  const auto again = read(fake, "a", before, tomorrow);
  CHECK(again.withdrawn == Texts{"2", "3"});
  CHECK(versions(again.package) == Texts{"1", "2"});
  CHECK(release(again, "2").yanked);
  CHECK(release(again, "2").requires_ == Texts{"b"});
  const auto later = read(fake, "a", again.package, "2026-11-24");
  CHECK(later.withdrawn.empty());  // told once
  CHECK_FALSE(later.changed);
}

TEST_CASE("refresh: metadata that cannot be had is named, and asked for again while it is not there") {
  FakeIndex fake;
  fake.file("a", std::string("a-1") + linux_wheel, "");
  fake.file("a", std::string("a-2") + linux_wheel, "Requires-Dist: b\n");
  const auto got = read(fake, "a");
  REQUIRE(got.unread.size() == 1);
  CHECK(got.unread[0].starts_with("1: "));
  CHECK(release(got, "1").requires_ == std::nullopt);
  CHECK(release(got, "2").requires_ == Texts{"b"});
  fake.file("a", std::string("a-1") + linux_wheel, "Requires-Dist: c\n");
  fake.forget();
  const auto again = read(fake, "a", got.package, tomorrow);
  CHECK(again.unread.empty());
  CHECK(again.changed);
  CHECK(release(again, "1").requires_ == Texts{"c"});
}

TEST_CASE("refresh: a listing without releases of a package that had some is a broken mirror's") {
  FakeIndex fake;
  fake.file("a", std::string("a-1") + linux_wheel, "Requires-Dist: b\n");
  const auto before = read(fake, "a").package;
  fake.withdraw("a", std::string("a-1") + linux_wheel);
  auto index = fake.later();
  CHECK_THROWS_AS(pypi::refresh("a", before, tomorrow, index), Error);
}

TEST_CASE("refresh: only what is wanted is kept, and asked for its metadata") {
  FakeIndex fake;
  for (const char* version : {"1", "2", "3", "4"}) fake.file("a", std::string("a-") + version + linux_wheel, "Requires-Dist: b\n");
  auto index = fake.later();
  const auto wanted = [](const std::vector<specs::Version>& versions) {
    CHECK(versions.size() == 4);
    return std::vector<bool>{true, false, true, true};
  };
  const auto got = pypi::refresh("a", std::nullopt, today, index, wanted, "another index");
  REQUIRE(got);
  CHECK(versions(got->package) == Texts{"1", "3", "4"});
  CHECK(got->package.source == "another index: a");
  CHECK(got->added == Texts{"1", "3", "4"});
  CHECK(fake.transport.asked.size() == 4);  // the listing, and three
}

TEST_CASE("refresh: no such project, no releases, no connection") {
  FakeIndex fake;
  auto index = fake.index();
  CHECK_FALSE(pypi::refresh("nothing", std::nullopt, today, index));
  fake.file("empty", "empty-1.egg", "");
  const auto empty = read(fake, "empty");
  CHECK(empty.package.releases.empty());
  CHECK(empty.changed);
  fake.transport.reachable = false;
  auto broken = fake.later();
  CHECK_THROWS_AS(pypi::refresh("empty", std::nullopt, today, broken), Error);
}

TEST_CASE("refresh: the same release in two spellings is one") {
  FakeIndex fake;
  fake.file("a", "a-1.0-cp311-cp311-manylinux1_x86_64.whl", "");
  fake.file("a", "a-1.0.0.tar.gz", "");
  const auto got = read(fake, "a");
  REQUIRE(got.package.releases.size() == 1);
  CHECK(got.package.releases[0].source);
  CHECK(got.package.releases[0].wheels.size() == 1);
}

// Old metadata is in whatever encoding its author had.
TEST_CASE("refresh: what is no UTF-8 can be written all the same") {
  FakeIndex fake;
  fake.file("a", std::string("a-1") + linux_wheel, "Requires-Dist: b; extra == \"\xfc\"\n");
  const auto got = read(fake, "a");
  std::string text;
  CHECK_NOTHROW(text = to_text(got.package));
  CHECK(specs::to_utf8(text) == text);
}

}  // namespace refresh_tests
