#include <catch2/catch.hpp>

#include "specs/python/requirements_txt.hpp"
#include "specs/random.hpp"
#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/oracle.hpp"

namespace requirements_txt_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

using Texts = std::vector<std::string>;

Texts texts(const std::vector<PlacedDependency>& list) {
  Texts result;
  for (const auto& one : list) result.push_back(one.place + " " + one.dependency.text());
  return result;
}

Texts read(const std::string& text) {
  return texts(parse_requirements_txt(text, "r.txt").dependencies);
}
std::string refusal(const std::string& text) {
  return message_of([&] { parse_requirements_txt(text, "r.txt"); });
}

// Than pip's first reading, which leaves options, paths and old versions to later steps.
bool stricter_on_purpose(const std::string& message) {
  for (const char* reason : {"--hash", "have no option", "is a path or URL", "should end here"})
    if (message.find(reason) != std::string::npos) return true;
  return false;
}

const std::string sha256(64, 'a');

}  // namespace

TEST_CASE("requirements.txt: comments, continued lines, options") {
  CHECK(read("") == Texts{});
  CHECK(read("# all\n\nFlask >= 1.0 # web\r\n  numpy\n") ==
        Texts{"r.txt:3 flask>= 1.0", "r.txt:4 numpy"});
  CHECK(read("a>=1,\\\n<2\\\n; os_name == 'nt'\nb") ==
        Texts{"r.txt:1 a>=1,<2; os_name == \"nt\"", "r.txt:4 b"});
  CHECK(read("a\\\n# comment\nb") == Texts{"r.txt:1 a", "r.txt:3 b"});
  CHECK(read("a==1 --hash=sha256:" + sha256 + " \\\n --hash sha256:" + sha256 + "\nb\n") ==
        Texts{"r.txt:1 a==1", "r.txt:3 b"});
}

TEST_CASE("requirements.txt: what has no effect") {
  CHECK(read("--index-url https://x/simple\n-i https://x\n--pre\n--no-binary :all:\n"
             "--extra-index-url=https://x --trusted-host x\n-f ./wheels\na --config-settings 'k=a "
             "b'\n") == Texts{"r.txt:7 a"});
}

TEST_CASE("requirements.txt: errors say where and what to do") {
  CHECK(refusal("a\nflask =1.0\n").starts_with("r.txt:2: \"flask =1.0\": column 7: found '='"));
  CHECK_THAT(refusal("-e ./src"),
             Contains("r.txt:1: -e \"./src\": a source tree is in no catalog"));
  CHECK_THAT(refusal("--editable=git+https://x/y.git"), Contains("source tree"));
  for (const char* line : {"./wheels/a.whl", "https://x/a-1.0.whl", "git+ssh://git@x/y.git",
                           "a.whl", "file:a", "lib/a.tar.gz", "../a"})
    CHECK_THAT(refusal(line), Contains("is a path or URL") && Contains("name==1.2"));
  CHECK_THAT(refusal("a @ https://x/a.whl"), Contains("comes from a URL") && Contains("a==1.2"));
  CHECK_THAT(refusal("--indx-url x"),
             Contains("no option \"--indx-url\"; did you mean \"--index-url\"?"));
  CHECK_THAT(refusal("a --hash=md5:00"), Contains("--hash \"md5:00\": expected sha256:"));
  CHECK_THAT(refusal("a --hash=sha256:zz"), Contains("64, 96 or 128"));
  CHECK_THAT(refusal("-r"), Contains("-r needs a value"));
  CHECK_THAT(refusal("-r other.txt"), Contains("names another file"));
  CHECK_THAT(refusal(std::string("a; ") + std::string(10'000, '(')), Contains("more than 100"));
  CHECK_THAT(refusal("a\x80=="), Contains("0x80"));
  CHECK_THAT(refusal(std::string("a\0b", 3)), Contains("r.txt:1: \"a\\u0000b\": column 2"));
}

TEST_CASE("requirements.txt: files that name files") {
  const Files files;
  const auto main =
      files.write("requirements.txt",
                  "-r base/common.txt\n-c constraints.txt\n--requirement=base/common.txt\nflask\n");
  files.write("base/common.txt", "-rmore.txt\nnumpy\n");
  files.write("base/more.txt", "scipy\n");
  files.write("constraints.txt", "-r base/more.txt\nflask<2\n");
  const auto project = read_requirements_txt(main);
  CHECK(project.name == "shop");
  CHECK(project.file == main);
  const auto dependencies = texts(project.dependencies), constraints = texts(project.constraints);
  REQUIRE(dependencies.size() == 3);
  CHECK_THAT(dependencies[0], EndsWith("base/more.txt:1 scipy"));
  CHECK_THAT(dependencies[1], EndsWith("base/common.txt:2 numpy"));
  CHECK_THAT(dependencies[2], EndsWith("requirements.txt:4 flask"));
  REQUIRE(constraints.size() == 2);
  CHECK_THAT(constraints[0], EndsWith("more.txt:1 scipy"));
  CHECK_THAT(constraints[1], EndsWith("constraints.txt:2 flask<2"));
}

TEST_CASE("requirements.txt: files that name each other, or none") {
  const Files files;
  const auto a = files.write("a.txt", "x\n-r b.txt\n");
  files.write("b.txt", "-r ./a.txt\n");
  CHECK_THAT(
      message_of([&] { read_requirements_txt(a); }),
      Contains("b.txt:1: the files include each other in a circle:") && Contains("b.txt -> "));
  const auto c = files.write("c.txt", "-r c.txt\n");
  CHECK_THAT(message_of([&] { read_requirements_txt(c); }), Contains("in a circle"));
  const auto d = files.write("d.txt", "\n-c nothing.txt\n");
  CHECK_THAT(message_of([&] { read_requirements_txt(d); }), Contains("d.txt:2: there is no file"));
  const auto e = files.write("e.txt", "-r https://x/r.txt\n");
  CHECK_THAT(message_of([&] { read_requirements_txt(e); }), Contains("is a URL; download"));
  for (int i = 0; i < 200; ++i)
    files.write("f" + std::to_string(i) + ".txt", "-r f" + std::to_string(i + 1) + ".txt\n");
  CHECK_THAT(message_of([&] { read_requirements_txt(files.path() / "f0.txt"); }),
             Contains("more than 100 files"));
  CHECK_THAT(message_of([&] { read_requirements_txt(files.path()); }), Contains("is a directory"));
}

TEST_CASE("requirements.txt: lines as pip has them") {
  const Texts pieces{"flask",
                     "numpy>=1.0",
                     " ",
                     "\\\n",
                     "\n",
                     "\n",
                     "\n",
                     "# note",
                     " # note",
                     "#x",
                     " --hash=sha256:" + sha256,
                     "\\",
                     "\r\n",
                     "\t",
                     ",<2",
                     "; os_name == 'nt'",
                     "[a,b]",
                     " --config-settings a=b",
                     "a-b"};
  Random random(3);
  nlohmann::json questions = nlohmann::json::array();
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (std::uint64_t left = 1 + random.below(12); left > 0; --left)
      text += pieces[random.below(pieces.size())];
    questions.push_back(text);
  }
  const Answer answer = ask_oracle("oracle_requirements_txt.py", questions);
  if (!answer.json) {
    WARN("skipped: " << answer.skipped);
    return;
  }
  int read = 0;
  for (std::size_t k = 0; k < questions.size(); ++k) {
    const std::string text = questions[k];
    const auto& expected = (*answer.json)[k];
    CAPTURE(text, expected.dump());
    nlohmann::json ours;
    const std::string message = message_of([&] {
      auto list = nlohmann::json::array();
      for (const auto& one : parse_requirements_txt(text, "r").dependencies)
        list.push_back({std::stoi(one.place.substr(2)), one.dependency.name});
      ours = list;
    });
    CAPTURE(message);
    if (ours.is_null() && stricter_on_purpose(message)) continue;
    CHECK(ours == expected);
    read += !expected.is_null() && !expected.empty();
  }
  CHECK(read > 500);
}

}  // namespace requirements_txt_tests
