// All places where pip looks are one listing: which file of a name counts, and what a place that fails leaves.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "pypi/catalog/closure.hpp"
#include "pypi/index/download.hpp"
#include "pypi/index/locked_files.hpp"
#include "pypi/transfer/local_file.hpp"
#include "specs/format/digest.hpp"
#include "tests/pypi/distribution/fake_wheel.hpp"
#include "tests/pypi/index/fake_index.hpp"

using namespace stackx;
using namespace stackx::tests;
namespace fs = std::filesystem;

namespace {

const std::string name = "app-1.0-py3-none-any.whl";
const std::string metadata = "Metadata-Version: 2.1\nName: app\nVersion: 1.0\n";

std::string page(const std::string& file, const std::string& url, const specs::Json& members = specs::Json::object()) {
  specs::Json entry = {{"filename", file}, {"url", url}};
  entry.update(members);
  return specs::Json{{"files", {entry}}}.dump();
}

class Scene {
 public:
  Scene() { fs::create_directories(wheels); }
  ~Scene() { fs::remove_all(wheels); }
  void put(const std::string& file, const std::string& bytes) const { std::ofstream(wheels / file) << bytes; }
  pypi::Index index(pypi::IndexSettings settings) {
    settings.remark = [this](const std::string& text) { remarks.push_back(text); };
    return pypi::Index(std::move(settings), fake.cache(), fake.transport, nullptr);
  }
  FakeIndex fake;
  std::map<std::string, std::string>& bodies = fake.transport.bodies;
  std::vector<std::string> remarks;
  const fs::path wheels = fs::temp_directory_path() / ("stackx places " + std::to_string(getpid()));
};

void break_off(pypi::Response& response, const std::string& url) {
  response.failure = "Timeout was reached";
  response.message = url + ": no answer";
  response.unreachable = true;
}

}  // namespace

TEST_CASE("the same name twice: the index that is named last, then find-links' pages, then files on this disk", "[pypi]") {
  Scene scene;
  scene.put(name, fake_wheel(metadata));
  scene.bodies["https://a/simple/app/"] = page(name, "https://a/f");
  scene.bodies["https://b/simple/app/"] = page(name, "https://b/f");
  scene.bodies["https://c/links"] = page("words", "https://c/" + name);
  const std::vector<std::string> links{scene.wheels, "https://c/links"};
  const auto url = [&](pypi::IndexSettings settings) {
    const auto files = scene.index(std::move(settings)).listings({"app"}).at("app")->files;
    REQUIRE(files.size() == 1);
    CHECK(files[0].name == name);
    return files[0].url;
  };
  CHECK(url({.url = "https://a/simple/", .extra_urls = {"https://b/simple"}, .find_links = links}) == "https://b/f");
  CHECK(url({.url = "https://a/simple", .find_links = links}) == "https://a/f");
  CHECK(url({.url = "", .find_links = links}) == "https://c/" + name);
  CHECK(url({.url = "", .find_links = {scene.wheels}}) == pypi::file_url(scene.wheels / name));
  CHECK(scene.remarks.empty());
  scene.bodies["https://b/simple/app/"] = page(name, "https://b/f", {{"yanked", true}});
  scene.fake.forget();
  CHECK(url({.url = "https://a/simple/", .extra_urls = {"https://b/simple"}}) == "https://a/f");
}

TEST_CASE("a file on this disk is hashed and read there", "[pypi]") {
  Scene scene;
  const auto bytes = fake_wheel(metadata + "Requires-Dist: b>=1\n", 100'000);  // METADATA is far from the end of another one
  scene.put(name, bytes);
  scene.put("other-1.0-py3-none-any.whl", bytes);
  scene.put("app-2.0-py3-none-any.whl", "no zip");
  scene.put("links.html", "<a href='sub/app-3.0.tar.gz'>x</a><a href='ftp://h/app-4.0.tar.gz'>y</a><a href='https://h/app-5.0.tar.gz'>z</a>");
  for (const std::string& place : {scene.wheels.string(), "file://" + scene.wheels.string(), pypi::file_url(scene.wheels)}) {
    auto index = scene.index({.url = "", .find_links = {place}});
    const auto listing = *index.listings({"app", "b"}).at("app");
    std::map<std::string, pypi::File> files;
    for (const auto& file : listing.files) files[file.name] = file;
    REQUIRE(files.size() == 5);
    CHECK(files[name].sha256 == specs::sha256(bytes));
    CHECK(files[name].size == bytes.size());
    CHECK(files["app-3.0.tar.gz"].fault == "its file cannot be read");
    CHECK(files["app-4.0.tar.gz"].fault == "its link is neither http nor https");
    CHECK(files["app-5.0.tar.gz"].url == "https://h/app-5.0.tar.gz");
    const auto read = index.metadata({files[name], files["app-2.0-py3-none-any.whl"]});
    REQUIRE(read[0]);
    CHECK(read[0]->requires_dist == std::vector<std::string>{"b>=1"});
    CHECK(read[1].error() == "wheel cannot be read: it is too short");
    CHECK_FALSE(index.listings({"b"}).at("b"));
    CHECK(*pypi::download({"app", name, specs::sha256(bytes)}, index, scene.fake.transport) == bytes);
  }
  CHECK(scene.fake.transport.asked.empty());
  const auto changed = fake_wheel(metadata);
  scene.put(name, changed);
  const auto again = *scene.index({.url = "", .find_links = {scene.wheels}}).listings({"app"}).at("app");
  const auto file = std::ranges::find(again.files, name, &pypi::File::name);
  REQUIRE(file != again.files.end());
  CHECK(file->sha256 == specs::sha256(changed));
}

TEST_CASE("a page on the web links to no file of this disk", "[pypi]") {
  Scene scene;
  scene.put(name, fake_wheel(metadata));
  const auto url = pypi::file_url(scene.wheels / name);
  scene.bodies["https://c/links"] = page(name, url);
  scene.bodies["https://a/simple/app/"] = page(name, url);
  for (const auto& settings : {pypi::IndexSettings{.url = "", .find_links = {"https://c/links"}}, pypi::IndexSettings{.url = "https://a/simple"}})
    CHECK(scene.index(settings).listings({"app"}).at("app")->files.at(0).fault == "its link is neither http nor https");
}

TEST_CASE("a place that does not answer is left out, said once and not asked again", "[pypi]") {
  Scene scene;
  scene.bodies["https://a/simple/app/"] = page(name, "https://a/f");
  for (const char* project : {"app", "gone"}) {
    const auto url = std::string("https://b/simple/") + project + "/";
    break_off(scene.fake.transport.answers[url], url);
  }
  auto index = scene.index({.url = "https://a/simple", .extra_urls = {"https://b/simple"}, .find_links = {"/no/such", "https://c/none"}});
  CHECK(index.listings({"app"}).at("app")->files.size() == 1);
  REQUIRE(scene.remarks.size() == 3);
  CHECK(scene.remarks[0].starts_with("--find-links /no/such: is no URL, and nothing of that name is here"));
  CHECK(scene.remarks[1].starts_with("https://c/none: HTTP 404"));
  CHECK(scene.remarks[2] == "https://b/simple/app/: no answer; left out, as by pip");
  const auto asked = scene.fake.transport.asked.size();
  std::map<std::string, std::string> faults;
  CHECK_FALSE(index.listings({"gone"}, &faults).at("gone"));
  CHECK(scene.fake.transport.asked.size() == asked + 1);
  CHECK(faults.at("gone") == "https://b/simple/app/: no answer");
  CHECK_THROWS_AS(index.listings({"gone"}), Error);
  CHECK(scene.remarks.size() == 3);
  auto alone = scene.index({.url = "https://b/simple"});
  CHECK_THROWS_AS(alone.listings({"app"}, &faults), Error);
}

TEST_CASE("a hash decides between two files of one name", "[pypi]") {
  Scene scene;
  const std::string own = "own bytes", theirs = "their bytes";
  const auto listed = [&](const std::string& host, const std::string& bytes) {
    scene.bodies["https://" + host + "/simple/app/"] =
        page(name, "https://" + host + "/f", {{"hashes", {{"sha256", specs::sha256(bytes)}}}});
    scene.bodies["https://" + host + "/f"] = bytes;
  };
  listed("a", own);
  listed("b", theirs);
  auto index = scene.index({.url = "https://a/simple", .extra_urls = {"https://b/simple"}});
  for (const auto& bytes : {own, theirs})
    CHECK(*pypi::download({"app", name, specs::sha256(bytes)}, index, scene.fake.transport) == bytes);
  const auto none = pypi::download({"app", name, specs::sha256("x")}, index, scene.fake.transport);
  REQUIRE_FALSE(none);
  CHECK_FALSE(none.error().other_hash.empty());
  const auto listing = *index.listings({"app"}).at("app");
  const specs::Target target("3.11", "linux x86_64");
  CHECK(pypi::locked_files("app", "1.0", {specs::sha256(own)}, listing, target)->wheels.at(0).url == "https://a/f");
  CHECK(pypi::locked_files("app", "1.0", {}, listing, target)->wheels.at(0).url == "https://b/f");
}

TEST_CASE("metadata of another version or project leaves the file out, as pip discards it", "[pypi]") {
  FakeIndex fake;
  const pypi::Targets targets({"3.11"}, "linux x86_64");
  for (const auto& [version, stated] : std::map<std::string, std::string>{{"1.0", "Name: App\nVersion: 1\n"},
                                                                          {"2.0", "Name: app\nVersion: 2.1\n"},
                                                                          {"3.0", "Name: other\nVersion: 3.0\n"},
                                                                          {"4.0", "Name: app\nVersion: 4.0+local\n"},
                                                                          {"5.0", ""}})
    fake.file("app", "app-" + version + "-py3-none-any.whl", stated + "Requires-Python: >=3\n");
  auto index = fake.index();
  const auto closure = pypi::walk({{*specs::parse_dependency("app"), {0}}}, targets, {}, index);
  std::vector<std::string> kept, reasons;
  for (const auto& release : closure.at("app").releases) kept.push_back(release.candidate.version.text());
  for (const auto& one : closure.at("app").left_out) reasons.push_back(one.reason);
  CHECK(kept == std::vector<std::string>{"1.0", "5.0"});
  CHECK(reasons == std::vector<std::string>{"inconsistent version: its metadata says \"2.1\"",
                                            "inconsistent name: its metadata says \"other\"",
                                            "inconsistent version: its metadata says \"4.0+local\""});
}
