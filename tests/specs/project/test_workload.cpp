#include <catch2/catch.hpp>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/project/workload.hpp"
#include "specs/random.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

std::vector<Workload> expand(const std::string& text) {
  return expand_workloads(Node::parse_text(text, "p.json"));
}
std::string refusal(const std::string& text) {
  return message_of([&] { parse_workload(text); });
}
std::string refused_expansion(const std::string& text) {
  return message_of([&] { expand(text); });
}

}  // namespace

TEST_CASE("a workload on the command line") {
  const Workload workload =
      parse_workload("matmul:m=512,dtype=float32,alpha=0.50,beta=1e0,zero=-0");
  CHECK(workload.pi == "matmul");
  CHECK(workload.text() == "matmul:alpha=0.5,beta=1,dtype=float32,m=512,zero=0");
  CHECK(workload.id() == sha256(workload.text()));
  CHECK(parse_workload("import").text() == "import");
  CHECK(parse_workload("p:version=0.3.23,path=a:b=c,big=123456789012345678901234").text() ==
        "p:big=123456789012345678901234,path=a:b=c,version=0.3.23");
}

TEST_CASE("mistakes on the command line name their column") {
  CHECK_THAT(refusal(""), Contains("column 1") && Contains("must not be empty"));
  CHECK_THAT(refusal("matmul:"), Contains("column 8") && Contains("is not key=value"));
  CHECK_THAT(refusal("matmul:m"), Contains("column 8: \"m\" is not key=value"));
  CHECK_THAT(refusal("matmul:m=1,"), Contains("column 12"));
  CHECK_THAT(refusal("matmul:m=1,,k=2"), Contains("column 12"));
  CHECK_THAT(refusal("matmul:m="), Contains("column 10") && Contains("must not be empty"));
  CHECK_THAT(refusal("matmul:=1"), Contains("column 8"));
  CHECK_THAT(refusal("matmul:m=1,m=1"), Contains("column 12: \"m\" is given twice"));
  CHECK_THAT(refusal("mat mul:m=1"), Contains("column 1"));
  CHECK_THAT(refusal("matmul:m=1 2"), Contains("column 10"));
  CHECK_THAT(refusal("x"), Contains("no error"));
}

TEST_CASE("text and parse are inverse") {
  Random random(4);
  const auto word = [&](const char* letters, std::uint64_t count) {
    std::string text(1, "abcXYZ019"[random.below(9)]);
    for (std::uint64_t i = random.below(6); i > 0; --i) text += letters[random.below(count)];
    return text;
  };
  for (int i = 0; i < 2000; ++i) {
    Workload workload{word("ab-_+09", 7), {}};
    for (std::uint64_t n = random.below(4); n > 0; --n)
      workload.params[word("ab-_+09", 7)] = word("ab=:;.-+eE019", 13);
    const Workload once = parse_workload(workload.text());  // numbers take their one form here
    REQUIRE(parse_workload(once.text()) == once);
    REQUIRE(workload_from(Node::parse_text(to_json(once).dump(), "w")) == once);
    REQUIRE(once.pi == workload.pi);
    REQUIRE(once.params.size() == workload.params.size());
  }
}

TEST_CASE("lists cross, the last one fastest") {
  const auto workloads = expand(
      R"({"pi": "matmul", "params": {"n": [1, 2], "m": 5, "dtype": ["float32", "float64"]}})");
  std::vector<std::string> texts;
  for (const auto& workload : workloads) texts.push_back(workload.text());
  CHECK(texts ==
        std::vector<std::string>{"matmul:dtype=float32,m=5,n=1", "matmul:dtype=float64,m=5,n=1",
                                 "matmul:dtype=float32,m=5,n=2", "matmul:dtype=float64,m=5,n=2"});
  CHECK(expand(R"({"pi": "import"})").size() == 1);
}

TEST_CASE("one number has one text, in projects and on the command line") {
  for (const char* written : {"512", "512.0", "5.12e2", "51200E-2"})
    CHECK(expand(std::string(R"({"pi": "p", "params": {"m": )") + written + "}}").front().text() ==
          "p:m=512");
  CHECK(expand(R"({"pi": "p", "params": {"x": true, "y": "1.50"}})").front() ==
        parse_workload("p:x=true,y=1.5"));
}

TEST_CASE("mistakes in a project's workload") {
  CHECK_THAT(refused_expansion(R"({"pi": "p", "params": {"m": []}})"),
             Contains("/params/m: expected at least one"));
  CHECK_THAT(refused_expansion(R"({"pi": "p", "params": {"m": [1, 2, 1.0]}})"),
             Contains("/params/m/2: ") && Contains("twice"));
  CHECK_THAT(refused_expansion(R"({"pi": "p", "params": {"m": [[1]]}})"),
             Contains("/params/m/0: "));
  CHECK_THAT(refused_expansion(R"({"pi": "p", "params": {"m": {}}})"),
             Contains("/params/m: expected a string"));
  CHECK_THAT(refused_expansion(R"({"pi": "p", "params": {"m": "a,b"}})"), Contains("commas"));
  CHECK_THAT(refused_expansion(R"({"pi": "p", "params": {"m": null}})"), Contains("found null"));
  CHECK_THAT(refused_expansion(R"({"pi": "p", "param": {}})"),
             Contains("did you mean \"params\"?"));
  CHECK_THAT(refused_expansion(R"({"params": {}})"), Contains("\"pi\" is missing"));
  std::string many = R"({"pi": "p", "params": {)";
  for (char key = 'a'; key < 'i'; ++key)
    many += std::string(key == 'a' ? "" : ",") + "\"" + key + "\": [0,1,2,3,4,5,6,7,8,9]";
  CHECK_THAT(refused_expansion(many + "}}"), Contains("more than 10000 workloads"));
}

TEST_CASE("a project may list workloads") {
  const auto workloads = expand(R"([{"pi": "p", "params": {"m": [1, 2]}}, {"pi": "q"}])");
  REQUIRE(workloads.size() == 3);
  CHECK(workloads[0].text() == "p:m=1");
  CHECK(workloads[1].text() == "p:m=2");
  CHECK(workloads[2].text() == "q");
  CHECK_THAT(refused_expansion("[]"), Contains("at least one workload"));
  CHECK_THAT(refused_expansion(R"([{"pi": "p", "params": {"m": [1, 2]}}, {"pi": "p", "params": {"m": 2}}])"),
             Contains("/1: this workload stands here before: p:m=2"));
}

TEST_CASE("a workload matches those that have all it names") {
  const Workload all = parse_workload("matmul:m=512,n=512,dtype=float32");
  CHECK(parse_workload("matmul").matches(all));
  CHECK(parse_workload("matmul:m=512").matches(all));
  CHECK(all.matches(all));
  CHECK_FALSE(parse_workload("matmul:m=256").matches(all));
  CHECK_FALSE(parse_workload("matmul:k=512").matches(all));
  CHECK_FALSE(parse_workload("conv2d").matches(all));
  CHECK_FALSE(all.matches(parse_workload("matmul:m=512")));
}
