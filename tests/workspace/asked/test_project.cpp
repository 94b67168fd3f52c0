#include "workspace/asked/project.hpp"

#include <catch2/catch.hpp>

#include "specs/python/requirements_txt.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/workspace/scene.hpp"

namespace named_project_tests {

using namespace stackx::workspace;
using stackx::tests::message_of;
using stackx::workspace::testing::Scene;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// The requirements that were kept for the words, in their order.
std::vector<std::string> kept(const std::string& words) {
  std::vector<std::string> result;
  for (const auto& one : stackx::specs::read_requirements_txt(named_project(words)).dependencies) result.push_back(one.dependency.text());
  return result;
}

}  // namespace

TEST_CASE("packages as words are the requirements of a file that stays where it is") {
  const Scene scene;
  using Lines = std::vector<std::string>;
  CHECK(kept("numpy") == Lines{"numpy"});
  CHECK(kept("numpy>=1.26,<2") == Lines{"numpy>=1.26,<2"});
  CHECK(kept("NumPy >= 1.26, < 2") == Lines{"numpy>= 1.26, < 2"});
  CHECK(kept("torch jax[cuda12]==0.6.2") == Lines{"torch", "jax[cuda12]==0.6.2"});
  CHECK(kept(" torch \t jax ") == Lines{"torch", "jax"});
  const auto first = named_project("numpy>=2");
  CHECK(named_project("numpy>=1") != first);
  CHECK(first.string().starts_with((scene.root() / "cache").string()));
  CHECK(first.parent_path().filename() == "numpy>=2");
  const auto many = named_project("one-of-a-long-name==1.0 two-of-a-long-name==1.0 three-of-a-long-name==1.0 four-of-a-long-name==1.0 five");
  CHECK(many.parent_path().filename().string().size() == 100 + 1 + 8);
}

TEST_CASE("what is a file, or is called like one, is no package") {
  const Scene scene;
  scene.write("numpy", "a file of that name\n");
  for (const char* text : {"numpy", "none.json", "requirements.txt", "Pipfile", "dir/torch", "environment.yml", "torch @ https://x.org/t.whl",
                           "torch ==", "-r x", "", "--"}) {
    INFO(text);
    CHECK(named_project(text) == text);
  }
}

TEST_CASE("a directory is the project in it") {
  const Scene scene;
  scene.write("one/requirements.txt", "numpy\n");
  scene.write("one/other.txt", "numpy\n");
  scene.write("two/requirements.txt", "numpy\n");
  scene.write("two/pyproject.toml", "[project]\n");
  fs::create_directory(scene.root() / "none");
  CHECK(named_project("one") == "one/requirements.txt");
  CHECK(named_project("./one/") == "one/requirements.txt");
  CHECK(message_of([] { named_project("two"); }) ==
        "two: is a directory; name one of the projects in it: two/pyproject.toml, two/requirements.txt");
  CHECK(named_project("none") == "none");
  CHECK(projects_in("one") == "; a project in it: one/requirements.txt");
  CHECK(projects_in("none").empty());
}

TEST_CASE("a cache that cannot be written is told") {
  const Scene scene;
  scene.write("cache", "a file where the cache should be\n");
  CHECK_THAT(message_of([] { named_project("numpy>=2"); }), Contains("cannot be written; set XDG_CACHE_HOME"));
}

}  // namespace named_project_tests
