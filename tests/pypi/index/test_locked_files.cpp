#include <catch2/catch.hpp>

#include "pypi/index/locked_files.hpp"

namespace locked_files_tests {

using namespace stackx::pypi;
using Catch::Matchers::Contains;
using stackx::specs::Target;

namespace {

using Names = std::vector<std::string>;
using Why = NoLockedFile::Why;

File file(const std::string& name, const std::string& sha256) {
  File result;
  result.name = name;
  result.sha256 = sha256;
  return result;
}

const Listing listing{{file("six-1.15.0-py2.py3-none-any.whl", "aa"),
                       file("six-1.15.0-cp36-cp36m-manylinux1_x86_64.whl", "bb"),
                       file("six-1.15.0-cp36-cp36m-manylinux2010_x86_64.whl", "cc"),
                       file("six-1.15.0-cp36-cp36m-win_amd64.whl", "dd"),
                       file("six-1.15.0.tar.gz", "ee"), file("six-1.15.0.exe", "ff"),
                       file("six-1.16.0-py3-none-any.whl", "99"),
                       file("six-1.15.1-py3-none-any.whl", "")}};

const Target python36("3.6.15", "linux x86_64");

Names names(const std::vector<File>& files) {
  Names result;
  for (const auto& one : files) result.push_back(one.name);
  return result;
}

auto locked(const Names& hashes, const std::string& version = "1.15.0") {
  return locked_files("six", version, hashes, listing, python36);
}

}  // namespace

TEST_CASE("the files that a lock names, the best for the Python first") {
  const auto all = locked({"aa", "bb", "cc", "dd", "ee", "ff"});
  REQUIRE(all);
  CHECK(names(all->wheels) == Names{"six-1.15.0-cp36-cp36m-manylinux2010_x86_64.whl",
                                    "six-1.15.0-cp36-cp36m-manylinux1_x86_64.whl",
                                    "six-1.15.0-py2.py3-none-any.whl"});
  CHECK(names(all->sources) == Names{"six-1.15.0.tar.gz"});
  const auto one = locked({"00", "aa"});
  REQUIRE(one);
  CHECK(names(one->wheels) == Names{"six-1.15.0-py2.py3-none-any.whl"});
  CHECK(one->sources.empty());
  const auto source = locked({"dd", "ee"});
  REQUIRE(source);
  CHECK(source->wheels.empty());
  CHECK(names(source->sources) == Names{"six-1.15.0.tar.gz"});
}

TEST_CASE("a lock without hashes takes what has one") {
  CHECK(names(locked({})->wheels).size() == 3);
  CHECK(locked({}, "1.15.1").error().why == Why::other_hashes);  // the index states none
}

TEST_CASE("versions are compared, not texts") {
  CHECK(locked_files("six", "1.16", {"99"}, listing, python36));
}

TEST_CASE("why there is no file") {
  const auto other = locked({"1234567890abcdef"});
  REQUIRE_FALSE(other);
  CHECK(other.error().why == Why::other_hashes);
  CHECK_THAT(other.error().reason,
             Contains("none of the 5 files") && Contains("(1234567890ab...)"));
  CHECK(locked({"aa"}, "2.0").error().why == Why::not_listed);
  CHECK(locked({"aa"}, "1.16.0").error().why == Why::other_hashes);  // of another version
  const auto windows = locked({"dd"});
  REQUIRE_FALSE(windows);
  CHECK(windows.error().why == Why::other_target);
  CHECK_THAT(windows.error().reason, Contains("CPython 3.6.15") && Contains("win_amd64"));
  CHECK(locked({"ff"}).error().why == Why::other_hashes);  // an installer is no distribution
}

}  // namespace locked_files_tests
