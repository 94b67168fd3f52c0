// The parts of the import that need no index: names of files, targets, pages, pieces of wheels.
#include <catch2/catch.hpp>

#include "pypi/catalog/candidates.hpp"
#include "pypi/distribution/archive.hpp"
#include "pypi/index/listing.hpp"
#include "pypi/transfer/http.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/python/distribution_file.hpp"
#include "specs/python/wheel_target.hpp"

using namespace stackx;
using namespace stackx::pypi;
using specs::Target;
using specs::parse_file_name;

namespace {

std::string version_of(std::string_view file, std::string_view project) {
  const auto name = parse_file_name(file, project);
  return name ? name->version.normal() : "- " + name.error();
}

std::optional<int> rank(const Target& target, const std::string& file) {
  const auto name = parse_file_name(file, "a");
  REQUIRE(name);
  REQUIRE(name->wheel);
  return target.rank(*name->wheel);
}

}  // namespace

TEST_CASE("file names give versions as pip reads them", "[pypi]") {
  CHECK(version_of("Flask-0.10.1.tar.gz", "flask") == "0.10.1");
  CHECK(version_of("backports.weakref-1.0rc1.tar.gz", "backports-weakref") == "1.0rc1");
  CHECK(version_of("zope.interface-3-2.zip", "zope-interface") == "3.post2");
  CHECK(version_of("Keras_Applications-1.0.8-py3-none-any.whl", "keras-applications") == "1.0.8");
  CHECK(version_of("a-1.0-1-cp37-cp37m-win32.whl", "a") == "1.0");
  CHECK(version_of("a-2004x.tar.gz", "a") == "- version not after PEP 440");
  CHECK(version_of("a-1.0.egg", "a") == "- neither wheel nor source archive");
  CHECK(version_of("b-1.0.tar.gz", "a") == "- file of another project");
  CHECK(version_of("a-1.0-any.whl", "a") == "- wheel's name not after PEP 427");
}

TEST_CASE("wheels fit and rank as for pip", "[pypi]") {
  const Target target("3.7", "linux x86_64");
  // Best first, after `packaging.tags` for CPython 3.7.
  const std::vector<std::string> order{"a-1-cp37-cp37m-manylinux_2_28_x86_64.whl",
                                       "a-1-cp37-cp37m-manylinux2014_x86_64.whl",
                                       "a-1-cp37-cp37m-manylinux2010_x86_64.whl",
                                       "a-1-cp37-cp37m-manylinux1_x86_64.whl",
                                       "a-1-cp37-abi3-manylinux1_x86_64.whl",
                                       "a-1-cp37-none-manylinux1_x86_64.whl",
                                       "a-1-cp35-abi3-manylinux2014_x86_64.whl",
                                       "a-1-py3-none-manylinux1_x86_64.whl",
                                       "a-1-cp37-none-any.whl",
                                       "a-1-py37-none-any.whl",
                                       "a-1-py3-none-any.whl",
                                       "a-1-py33-none-any.whl"};
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    CAPTURE(order[i], order[i + 1]);
    REQUIRE(rank(target, order[i]));
    REQUIRE(rank(target, order[i + 1]));
    CHECK(*rank(target, order[i]) < *rank(target, order[i + 1]));
  }
  for (const char* file :
       {"a-1-cp38-cp38-manylinux1_x86_64.whl", "a-1-cp38-abi3-manylinux1_x86_64.whl",
        "a-1-cp36-cp36m-manylinux1_x86_64.whl", "a-1-cp37-cp37m-win_amd64.whl",
        "a-1-py2-none-any.whl", "a-1-cp37-cp37m-manylinux1_i686.whl",
        "a-1-cp37-cp37m-musllinux_1_1_x86_64.whl", "a-1-pp37-pypy37_pp73-manylinux1_x86_64.whl"}) {
    CAPTURE(file);
    CHECK(!rank(target, file));
  }
  CHECK(rank(target, "a-1-py2.py3-none-any.whl"));
  CHECK(!rank(Target("3.7", "manylinux2010_x86_64"), order[1]));
  CHECK(rank(Target("3.7", "manylinux2010_x86_64"), order[2]));
  CHECK(rank(Target("3.11", "linux aarch64"), "a-1-cp311-cp311-manylinux2014_aarch64.whl"));
  CHECK(rank(Target("3.11", "macos arm64"), "a-1-cp311-cp311-macosx_10_9_universal2.whl"));
  CHECK(rank(Target("3.11", "windows amd64"), "a-1-cp311-cp311-win_amd64.whl"));
  CHECK_THROWS_AS(Target("three", "linux x86_64"), Error);
}

TEST_CASE("pages of both kinds give the same files", "[pypi]") {
  const std::string upper(64, 'A');
  const auto json = parse_listing(
      R"({"files": [{"filename": "a-1.tar.gz", "url": "../../f/a-1.tar.gz", "hashes": {"sha256": ")" + upper + R"("},
          "requires-python": ">=3", "yanked": "bad", "core-metadata": {"sha256": "CD"}}]})",
      "application/vnd.pypi.simple.v1+json", "http://h/simple/a/");
  const auto html = parse_listing(
      "<title>Links<a href='/f/a-1.tar.gz#sha256=" + upper + "' data-requires-python='&gt;=3' data-yanked "
      "data-core-metadata='sha256=cd'> a-1.tar.gz</a>",
      "text/html", "http://h/simple/a/");
  for (const auto& listing : {json, html}) {
    REQUIRE(listing.files.size() == 1);
    const auto& file = listing.files[0];
    CHECK(file.name == "a-1.tar.gz");
    CHECK(file.url == "http://h/f/a-1.tar.gz");
    CHECK(file.sha256 == std::string(64, 'a'));
    CHECK(file.fault.empty());
    CHECK(file.requires_python == ">=3");
    CHECK(file.yanked);
    CHECK(file.has_metadata);
    CHECK(file.metadata_sha256 == "cd");
  }
  CHECK_THROWS_AS(parse_listing("", "text/html", "http://h/"), Error);
  CHECK_THROWS_AS(parse_listing("[]", "application/json", "http://h/"), Error);
  CHECK(shown_url("https://me:secret@h/simple") == "https://h/simple");
}

TEST_CASE("an entry that lies says so and spoils no other", "[pypi]") {
  const auto listing = parse_listing(
      R"({"files": [{"filename": "a-1.tar.gz", "url": "x", "upload-time": "2019-01-01T00:00:00Z"}, 7, {"filename": "a-2.tar.gz"},
          {"filename": "a-3.tar.gz", "url": "http://[::bad"}, {"filename": "a-4.tar.gz", "url": "file:///etc/passwd"},
          {"filename": "a-5.tar.gz", "url": "x", "hashes": {"sha256": "zz"}, "upload-time": "yesterday"},
          {"filename": "a-6\n.tar.gz", "url": "x", "requires-python": ">=3\nx"}, {"filename": "../a-7.tar.gz", "url": "x"}]})",
      "application/vnd.pypi.simple.v1+json", "http://h/simple/a/");
  std::vector<std::string> faults;
  for (const auto& file : listing.files) faults.push_back(file.fault);
  CHECK(faults == std::vector<std::string>{"", "", "its link is none", "its link is neither http nor https", "its SHA-256 is none",
                                           "its name is none of a file", "its name is none of a file"});
  CHECK(listing.files[0].uploaded == "2019-01-01T00:00:00Z");
  CHECK(listing.files[4].uploaded.empty());
  CHECK(listing.files[5].requires_python == ">=3 x");
}

TEST_CASE("bytes that are no archive are reasons, never crashes", "[pypi]") {
  std::string end(22, '\0');
  end.replace(0, 4, "PK\x05\x06");
  for (const std::string& bytes : {std::string(), std::string("PK"), std::string(100, 'x'), end}) {
    CHECK(!find_metadata(bytes, bytes.size()));
    CHECK(!read_source_archive(bytes + "?"));
  }
  end.replace(16, 4, "\xf0\xff\xff\x7f");
  CHECK(!find_metadata(end, end.size()));
  CHECK(!read_member("PK\x03\x04", Member{8, 0, 10, 10, 0}));
}
