#include "workspace/asked/pasted.hpp"

#include <catch2/catch.hpp>

#include "tests/specs/message_of.hpp"
#include "workspace/asked/project.hpp"
#include "specs/python/package_list.hpp"
#include "tests/workspace/scene.hpp"

namespace pasted_tests {

using namespace stackx::workspace;
using stackx::tests::message_of;
using stackx::workspace::testing::Scene;
using Catch::Matchers::Contains;
using Words = std::vector<std::string>;

TEST_CASE("an installer's command is what it installs") {
  for (const Words& words : {Words{"pip", "install", "torch==2.5.1", "numpy"}, Words{"pip install torch==2.5.1 numpy"},
                             Words{"python3 -m pip install -U torch==2.5.1 'numpy'"}, Words{"$ uv pip install --system torch==2.5.1 numpy"},
                             Words{"uv", "add", "torch==2.5.1", "numpy"}, Words{"!pip3 install -q torch==2.5.1 numpy"},
                             Words{"/usr/bin/pip3.11 install --target lib torch==2.5.1 numpy"}}) {
    INFO(words.front());
    REQUIRE(is_installer(words));
    CHECK(read_installer(words).requirements == Words{"torch==2.5.1", "numpy"});
  }
  for (const Words& words : {Words{"pip"}, Words{"pip", "torch"}, Words{"pipx install torch"}, Words{"torch"}, Words{}, Words{"python -m venv"}})
    CHECK_FALSE(is_installer(words));
}

TEST_CASE("options that say what is installed count") {
  const auto pasted = read_installer({"pip install torch --index-url=https://x.org/whl -r a.txt -cb.txt --pre -f links -e ./own --trusted-host x.org"});
  CHECK(pasted.requirements == Words{"torch", "-e ./own"});
  CHECK(pasted.indexes == Words{"--index-url https://x.org/whl", "--pre", "-f links"});
  CHECK(pasted.files == Words{"a.txt"});
  CHECK(pasted.constraints == Words{"b.txt"});
  CHECK(read_installer({"uv pip install torch --default-index U"}).indexes == Words{"--index-url U"});
  CHECK_THAT(message_of([] { read_installer({"pip install torch --magic 3"}); }), Contains("\"--magic\" does to what is installed is not known"));
  CHECK_THAT(message_of([] { read_installer({"pip install torch -i"}); }), Contains("-i needs a value"));
  CHECK_THAT(message_of([] { read_installer({"pip install torch>=2"}); }), Contains("> outside of quotes"));
}

TEST_CASE("uv's --python is the question's, and what decides on builds is no option of no matter") {
  const auto pasted = read_installer({"uv pip install --python 3.9 torch==2.9.0"});
  CHECK(pasted.python == "3.9");
  CHECK(pasted.requirements == Words{"torch==2.9.0"});
  CHECK_THAT(message_of([] { read_installer({"uv pip install -p /usr/bin/python3 torch"}); }), Contains("expected a version such as 3.11"));
  for (const auto* option : {"--no-deps", "--only-binary=:all:"})
    CHECK_THAT(message_of([&] { read_installer({"pip", "install", "torch", option}); }), Contains("does to what is installed is not known"));
}

TEST_CASE("words that are too long for any pattern are no version and no image") {
  std::string longest = "1";
  for (int i = 0; i < 100'000; ++i) longest += ".1";
  CHECK_NOTHROW(refuse_misread({longest}));
  CHECK_NOTHROW(refuse_misread({"torch", longest}));
  CHECK_NOTHROW(refuse_misread({std::string(200'000, 'a') + "=1"}));
}

TEST_CASE("a version without its package says what was meant") {
  const auto said = [](const Words& words) { return message_of([&] { refuse_misread(words); }); };
  CHECK(said({"torch", "2.5.1"}) == "2.5.1 is no package; did you mean torch==2.5.1?");
  CHECK(said({"torch 2.5.1"}) == said({"torch", "2.5.1"}));
  CHECK(said({"jax", "v0.6.2"}) == "v0.6.2 is no package; did you mean jax==0.6.2?");
  CHECK(said({"torch=2.5.1"}) == "\"torch=2.5.1\" is no requirement; did you mean torch==2.5.1?");
  CHECK(said({"torch@2.5.1"}) == "\"torch@2.5.1\" is no requirement; did you mean torch==2.5.1?");
  CHECK_THAT(message_of([] { read_installer({"pip install torch 2.5.1"}); }), Contains("did you mean torch==2.5.1?"));
  for (const Words& words : {Words{"torch==2.5.1", "numpy"}, Words{"torch >= 2.5.1"}, Words{"torch>=2.5,<2.6"}, Words{"torch@https://x.org/t.whl"},
                             Words{"2to3"}, Words{"a.txt"}, Words{}})
    CHECK_NOTHROW(refuse_misread(words));
}

TEST_CASE("images and conda's commands are not judged") {
  const auto said = [](const std::string& text) { return message_of([&] { refuse_misread({text}); }); };
  CHECK_THAT(said("docker run --gpus all -it nvcr.io/nvidia/pytorch:24.10-py3 python x.py"),
             Contains("container images are not judged") && Contains("docker run --rm nvcr.io/nvidia/pytorch:24.10-py3 pip freeze | stackx check -"));
  CHECK_THAT(said("nvcr.io/nvidia/pytorch:24.10-py3"), Contains("container images are not judged"));
  CHECK_THAT(said("conda install pytorch==1.12.1 cudatoolkit=11.6 -c pytorch"), Contains("conda install: conda's packages are other builds"));
}

TEST_CASE("a project may be pasted, too") {
  const Scene scene;
  const auto plain = named_project("pip install -U torch==2.5.1");
  CHECK(called(plain) == "torch==2.5.1");
  CHECK(is_of_words(plain));
  scene.write("own.txt", "numpy\n");
  const auto pasted = named_project("pip install torch -r own.txt --index-url https://download.pytorch.org/whl/cu121");
  CHECK(is_of_words(pasted));
  CHECK_FALSE(is_of_words("own.txt"));
  CHECK(pasted_python("uv pip install --python 3.10 torch==2.5.1") == "3.10");
  CHECK(pasted_python("uv pip install torch==2.5.1").empty());
  CHECK(pasted_python("own.txt").empty());
  CHECK(pasted_python("").empty());
  const auto list = stackx::specs::read_requirements_list(pasted);
  CHECK(list.dependencies.size() == 2);
  CHECK(list.index == "https://download.pytorch.org/whl/cu121");
  CHECK_THAT(message_of([] { named_project("torch numpy 2.5.1"); }), Contains("did you mean numpy==2.5.1?"));
}

}  // namespace pasted_tests
