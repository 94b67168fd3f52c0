// Files of an index that are damaged, cut short or not what they are said to be: each is its own reason, and the
// others are read all the same.
#include <catch2/catch.hpp>
#include <charconv>

#include "pypi/catalog/closure.hpp"
#include "pypi/pip_settings.hpp"
#include "pypi/registry_tags.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/format/digest.hpp"
#include "tests/pypi/distribution/fake_wheel.hpp"
#include "tests/pypi/index/fake_index.hpp"

using namespace stackx;
using namespace stackx::tests;

namespace {

// Answers ranges as servers do, too.
class RangedTransport : public FakeTransport {
 public:
  void get(const std::vector<pypi::Request>& requests,
           const std::function<void(std::size_t, pypi::Response)>& done) override {
    FakeTransport::get(requests, [&](std::size_t i, pypi::Response response) {
      if (response.status == 200 && !requests[i].range.empty()) cut(requests[i].range, response);
      done(i, std::move(response));
    });
  }

 private:
  static void cut(const std::string& range, pypi::Response& response) {
    const auto dash = range.find('-');
    std::uint64_t first = 0, last = 0;
    const auto* text = range.data();
    const bool tail = std::from_chars(text, text + dash, first).ec != std::errc();
    std::from_chars(text + dash + 1, text + range.size(), last);
    response.total = response.body.size();
    if (tail) first = response.total - std::min(last, response.total), last = response.total;
    response.status = first < response.total && first <= last ? 206 : 416;
    response.body = response.status == 206 ? response.body.substr(first, last - first + 1) : "";
  }
};

const std::string kMetadata = "Metadata-Version: 2.1\nRequires-Dist: b>=1\n";

pypi::File wheel_at(const std::string& url) {
  pypi::File file;
  file.name = "a-1-py3-none-any.whl";
  file.url = url;
  return file;
}

// The same files through ranges; `damage` is done to the first of two.
template <typename Damage>
void check_damaged(FakeTransport& transport, std::size_t before, Damage&& damage) {
  const auto whole = fake_wheel(kMetadata, before);
  auto bytes = whole;
  damage(bytes);
  transport.bodies = {{"https://h/1.whl", bytes}, {"https://h/2.whl", whole}};
  const auto directory =
      std::filesystem::temp_directory_path() / ("stackx-damaged-" + std::to_string(getpid()));
  pypi::Index index({"https://h/simple", false}, pypi::Cache(directory), transport, nullptr);
  const auto found = index.metadata({wheel_at("https://h/1.whl"), wheel_at("https://h/2.whl")});
  std::filesystem::remove_all(directory);
  REQUIRE(found.size() == 2);
  REQUIRE(found[1]);
  CHECK(found[1]->requires_dist == std::vector<std::string>{"b>=1"});
  if (found[0])
    CHECK(found[0]->requires_dist == found[1]->requires_dist);  // or the checksum would say so
  if (!found[0]) CHECK(!found[0].error().empty());
}

template <typename Damage>
void check_damaged(Damage&& damage) {
  FakeTransport plain;
  RangedTransport ranged;
  check_damaged(plain, 0, damage);
  check_damaged(ranged, 0, damage);
}

}  // namespace

TEST_CASE("any damaged byte of a wheel is its own fault", "[pypi]") {
  const auto size = fake_wheel(kMetadata).size();
  for (std::size_t at = 0; at < size; ++at)
    for (const int bits : {0x01, 0xfe}) {
      CAPTURE(at, bits);
      check_damaged([&](std::string& bytes) { bytes[at] = static_cast<char>(bytes[at] ^ bits); });
    }
}

TEST_CASE("a wheel that is cut short is its own fault", "[pypi]") {
  const auto size = fake_wheel(kMetadata).size();
  for (std::size_t left = 0; left < size; left += 23) {
    CAPTURE(left);
    check_damaged([&](std::string& bytes) { bytes.resize(left); });
    check_damaged([&](std::string& bytes) { bytes.erase(0, left); });
  }
}

TEST_CASE("a damaged wheel whose METADATA lies far from its end is its own fault", "[pypi]") {
  constexpr std::size_t far = 100 << 10;
  RangedTransport ranged;
  const auto size = fake_wheel(kMetadata).size();
  for (std::size_t back = 1; back <= size; back += 5) {
    CAPTURE(back);
    check_damaged(ranged, far, [&](std::string& bytes) { bytes[bytes.size() - back] ^= '\x40'; });
  }
}

TEST_CASE("metadata that is not what the index states is refused, alone, and asked for again",
          "[pypi]") {
  FakeIndex cache;
  auto file = wheel_at("https://h/1.whl");
  file.has_metadata = true;
  file.metadata_sha256 = std::string(64, '0');
  auto other = wheel_at("https://h/2.whl");
  other.has_metadata = true;
  cache.transport.bodies = {{"https://h/1.whl.metadata", kMetadata},
                            {"https://h/2.whl.metadata", kMetadata}};
  auto index = cache.index();
  for (const std::size_t asked : {2U, 3U}) {
    const auto found = index.metadata({file, other});
    REQUIRE(!found[0]);
    CHECK(found[0].error().find("SHA-256") != std::string::npos);
    CHECK(found[1]);
    CHECK(cache.transport.asked.size() == asked);
  }
}

TEST_CASE("a file that no server gives is its own reason, and asked for again", "[pypi]") {
  FakeIndex cache;
  auto& transport = cache.transport;
  std::vector<pypi::File> files;
  for (const auto& url : {"https://h/dead.whl", "https://h/login.whl", "https://h/teapot.whl", "https://h/html.whl"})
    files.push_back(wheel_at(url));
  transport.answers["https://h/dead.whl"].failure = "Couldn't connect to server";
  transport.answers["https://h/login.whl"].status = 401;
  transport.answers["https://h/teapot.whl"].status = 418;
  transport.bodies["https://h/html.whl"] = "<html>please log in</html>";
  for (int run = 0; run < 2; ++run) {
    auto index = cache.index();
    const auto found = index.metadata(files);
    CHECK(found[0].error() == "its file cannot be fetched: Couldn't connect to server");
    CHECK(found[1].error() == "its file needs a login (HTTP 401); ~/.netrc can hold one for its server");
    CHECK(found[2].error() == "its file cannot be fetched: HTTP 418; try later");
    CHECK(found[3].error() == "wheel cannot be read: no zip file");
    CHECK(index.missed().files == 3);
    CHECK_FALSE(index.missed().all);
  }
  pypi::Index offline({"https://h/simple", true}, cache.cache(), transport, nullptr);
  CHECK(offline.metadata(files)[0].error() == "its file cannot be fetched: Couldn't connect to server");
  transport.answers.clear();
  for (const auto& file : files) transport.bodies[file.url] = fake_wheel(kMetadata);
  for (const auto& one : cache.index().metadata(files)) CHECK(one);
  files.resize(1);
  cache.forget();
  transport.answers["https://h/dead.whl"].failure = "Couldn't connect to server";
  auto index = cache.index();
  index.metadata(files);
  CHECK(index.missed().all);
}

TEST_CASE("what bytes of the stated hash say of themselves holds for ever, and for that hash alone", "[pypi]") {
  FakeIndex cache;
  cache.transport.bodies["https://h/a.tar.gz"] = "no archive";
  pypi::File file;
  file.name = "a-1.tar.gz";
  file.url = "https://h/a.tar.gz";
  for (const auto& [hash, asked] : std::vector<std::pair<std::string, std::size_t>>{
           {std::string(64, '0'), 1}, {specs::sha256("no archive"), 2}, {specs::sha256("no archive"), 2}, {std::string(64, '0'), 3}}) {
    file.sha256 = hash;
    CHECK_FALSE(cache.index().metadata({file})[0]);
    CHECK(cache.transport.asked.size() == asked);
  }
}

TEST_CASE("a page that cannot be read is its own project's fault", "[pypi]") {
  FakeIndex cache;
  cache.file("a", "a-1.0-py3-none-any.whl", "");
  cache.transport.bodies["https://h/simple/b/"] = "{";
  cache.transport.answers["https://h/simple/c/"].status = 401;
  auto index = cache.index();
  std::map<std::string, std::string> faults;
  const auto listings = index.listings({"a", "b", "c"}, &faults);
  CHECK(listings.at("a"));
  CHECK(faults.size() == 2);
  CHECK(faults.at("c").find("HTTP 401") != std::string::npos);
  CHECK_THROWS_AS(index.listings({"b"}), Error);
}

TEST_CASE("what no catalog can name is left out, and Python is no project", "[pypi]") {
  FakeIndex cache;
  const pypi::Targets targets({"3.11"}, "linux x86_64");
  const std::string longest(200, 'a');
  cache.file("a", "a-1.0-py3-none-any.whl", "Requires-Python: >=3\n");
  cache.file("a", "a-1." + std::string(200, '9') + "-py3-none-any.whl", "");
  for (const auto& [version, requirement] : std::map<std::string, std::string>{
           {"2.0", longest}, {"2.1", "b[" + longest + "]"}, {"2.2", "python"}, {"2.3", "python; extra == 'x'"}, {"2.4", "x y\u2028"}})
    cache.file("a", "a-" + version + "-py3-none-any.whl", "Requires-Dist: " + requirement + "\n");
  auto index = cache.index();
  const auto closure = pypi::walk({{*specs::parse_dependency("a"), {0}}}, targets, {}, index);
  REQUIRE(closure.at("a").releases.size() == 1);
  CHECK(closure.at("a").left_out.size() == 6);
  CHECK(closure.size() == 1);
  for (const auto& one : closure.at("a").left_out) CHECK(one.reason.size() < 500);
  CHECK_THROWS_AS(pypi::walk({{*specs::parse_dependency("python"), {0}}}, targets, {}, index), Error);
}

TEST_CASE("tags that are none are no tags", "[pypi]") {
  FakeTransport transport;
  transport.bodies["https://r/v2/a/b/tags/list?n=1000"] = R"({"tags": ["1.0-py3", "x\nstackx: forged", "", "-x", "../x", "_y"]})";
  CHECK(pypi::registry_tags("https://r", "a/b", transport) == std::vector<std::string>{"1.0-py3", "_y"});
}

TEST_CASE("an index that is none on the web is refused, and not repeated", "[pypi]") {
  const auto no_pip = [](const std::vector<std::string>&) { return std::optional<std::string>(); };
  for (const std::string url : {"me:s3cret@h/simple", "https:me:s3cret@h", "https:\\\\me:s3cret@h", "//me:s3cret@h", "ftp://me:s3cret@h", "/srv/s3cret"})
    for (const bool named : {true, false}) {
      CAPTURE(url, named);
      try {
        pypi::pip_settings({.index_url = named ? url : ""}, {{"PIP_INDEX_URL", url}}, no_pip);
        FAIL("taken");
      } catch (const Error& error) {
        CHECK(std::string(error.what()).find("begins with http:// or https://") != std::string::npos);
        CHECK(std::string(error.what()).find("s3cret") == std::string::npos);
      }
    }
  CHECK(pypi::pip_settings({.index_url = "HTTPS://h/simple"}, {}, no_pip).index_url == "HTTPS://h/simple");
  const auto settings =
      pypi::pip_settings({}, {{"PIP_INDEX_URL", "http://h"}, {"PIP_EXTRA_INDEX_URL", "me:x@h https://i/"}}, no_pip);
  CHECK(settings.extra_index_urls == std::vector<std::string>{"https://i/"});
  REQUIRE(settings.remarks.size() == 1);
  CHECK(settings.remarks[0].find("me:x") == std::string::npos);
  CHECK(pypi::shown_url("http://me:s3cret/a/") == "http://me:***/a/");
  CHECK(pypi::shown_url("http://h/simple?token=s3cret") == "http://h/simple?token=***");
}

TEST_CASE("a release that states requirements without end is left out, and the next one taken",
          "[pypi]") {
  FakeIndex cache;
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += "Requires-Dist: b" + std::to_string(i) + "\n";
  cache.file("a", "a-1.0-py3-none-any.whl", "Requires-Python: >=3\n");
  cache.file("a", "a-2.0-py3-none-any.whl", many);
  auto index = cache.index();
  const pypi::Targets targets({"3.11"}, "linux x86_64");
  const auto closure = pypi::walk({{*specs::parse_dependency("a"), {0}}}, targets, {}, index);
  REQUIRE(closure.at("a").releases.size() == 1);
  CHECK(closure.at("a").releases[0].candidate.version.text() == "1.0");
  REQUIRE(closure.at("a").left_out.size() == 1);
  CHECK(closure.at("a").left_out[0].reason == "states 200000 requirements, more than 10000");
}

TEST_CASE("bytes in metadata that are no UTF-8 reach no document", "[pypi]") {
  FakeIndex cache;
  cache.transport.bodies = {
      {"https://h/1.whl", fake_wheel("Metadata-Version: 2.1\nRequires-Dist: b\xff>=1\n")}};
  const auto found = cache.index().metadata({wheel_at("https://h/1.whl")});
  REQUIRE(found[0]);
  CHECK(found[0]->requires_dist == std::vector<std::string>{"b\xef\xbf\xbd>=1"});
}
