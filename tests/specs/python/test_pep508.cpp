#include <catch2/catch.hpp>

#include "specs/python/pep508.hpp"
#include "tests/specs/marker_texts.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/oracle.hpp"
#include "tests/specs/version_texts.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

MarkerEnvironment environment(const char* version, const char* platform = "linux x86_64") {
  return MarkerEnvironment::for_python(version, platform);
}

bool holds(const std::string& marker, const MarkerEnvironment& environment) {
  const auto parsed = Marker::parse(marker);
  INFO(marker << (parsed ? "" : ": " + parsed.error().reason));
  REQUIRE(parsed);
  return parsed->holds(environment);
}

std::string normal(const std::string& marker) {
  const auto parsed = Marker::parse(marker);
  REQUIRE(parsed);
  return parsed->text();
}

void check_marker_error(const std::string& marker, std::size_t column, const char* reason) {
  const auto parsed = Marker::parse(marker);
  INFO(marker);
  REQUIRE_FALSE(parsed);
  CHECK_THAT(parsed.error().reason, Contains(reason));
  CHECK(parsed.error().column == column);
}

void check_dependency_error(const std::string& text, std::size_t column, const char* reason) {
  const auto parsed = parse_dependency(text);
  INFO(text);
  REQUIRE_FALSE(parsed);
  CHECK_THAT(parsed.error().reason, Contains(reason));
  CHECK(parsed.error().column == column);
}

// Markers that `packaging` reads and finds meaningless only when it evaluates them.
bool stricter_on_purpose(const ParseError& error) {
  for (const char* reason : {"compares two texts", "is a set; ask", "compares versions only"})
    if (error.reason.find(reason) != std::string::npos) return true;
  return false;
}

nlohmann::json as_question(const MarkerEnvironment& environment) {
  nlohmann::json result = environment.variables;
  for (const char* variable : {"platform_release", "platform_version", "extra"})
    if (!result.contains(variable)) result[variable] = "";
  result["extras"] = environment.extras;
  result["dependency_groups"] = environment.dependency_groups;
  return result;
}

std::vector<MarkerEnvironment> some_environments() {
  std::vector<MarkerEnvironment> result{
      environment("2.7"), environment("3.7"), environment("3.8.1", "windows amd64"),
      environment("3.10.4", "macos arm64"), environment("3.8.0rc1")};
  result[1].variables["extra"] = "gpu";
  result[2].variables["extra"] = "test-all";
  result[2].variables["platform_release"] = "5.10";
  result[3].variables["platform_release"] = "5.10.0-21-generic";
  result[3].extras = {"gpu", "test-all"};
  result[4].dependency_groups = {"docs"};
  return result;
}

}  // namespace

TEST_CASE("markers: what a Python sees of its environment") {
  CHECK(environment("3.7").variables ==
        decltype(MarkerEnvironment::variables){{"python_version", "3.7"},
                                               {"python_full_version", "3.7.0"},
                                               {"implementation_name", "cpython"},
                                               {"implementation_version", "3.7.0"},
                                               {"platform_python_implementation", "CPython"},
                                               {"os_name", "posix"},
                                               {"sys_platform", "linux"},
                                               {"platform_system", "Linux"},
                                               {"platform_machine", "x86_64"}});
  CHECK(environment("3.11.4", "windows_amd64").variables.at("platform_machine") == "AMD64");
  CHECK(environment("3.11.4", "windows-amd64").variables.at("os_name") == "nt");
  CHECK(environment("3.11.4", "macos arm64").variables.at("sys_platform") == "darwin");
  CHECK(environment("3.13.0rc2").variables.at("python_full_version") == "3.13.0rc2");
  CHECK(environment("3.13rc2").variables.at("python_full_version") == "3.13.0rc2");
  CHECK(environment("2.7").variables.at("sys_platform") == "linux2");
  CHECK_THAT(message_of([] { environment("3"); }), Contains("no Python version"));
  CHECK_THAT(message_of([] { environment("x\nstackx: forged"); }), !Contains("\n"));
  CHECK(Marker::parse("'a\nb' == 'c'").error().reason.find('\n') == std::string::npos);
  CHECK_THAT(message_of([] { environment("3.7", "amiga m68k"); }), Contains("linux x86_64"));
  CHECK_THAT(message_of([] { environment("3.7", "linux"); }), Contains("the machine"));
}

TEST_CASE("markers: versions compare as versions, texts as texts") {
  const auto python = environment("3.10");
  CHECK(holds("python_version > '3.9'", python));
  CHECK(holds("'3.9' < python_version", python));
  CHECK(holds("python_version in '3.9 3.10'", python));
  CHECK(holds("python_version not in '2.7, 3.8'", python));
  CHECK(holds("python_full_version ~= '3.10.0'", python));
  CHECK(holds("python_version == '3.*'", python));
  CHECK_FALSE(holds("sys_platform > 'aix'", python));  // texts have no order here
  CHECK(holds("sys_platform >= 'linux'", python));
  CHECK(holds("'linux' in sys_platform", python));
  CHECK_FALSE(holds("platform_release >= '4'", python));  // unknown
  CHECK(holds("os.name == 'posix' and python_implementation == 'CPython'", python));
}

TEST_CASE("markers: extras") {
  auto python = environment("3.10");
  CHECK_FALSE(holds("extra == 'Test_All'", python));
  CHECK_FALSE(holds("'gpu' in extras or 'docs' in dependency_groups", python));
  python.variables["extra"] = "test-all";
  python.extras = {"gpu"};
  CHECK(holds("extra == 'Test_All'", python));
  CHECK(holds("'GPU' in extras", python));
  CHECK_FALSE(holds("'gpu' not in extras", python));
}

TEST_CASE("markers: and binds stronger than or, parentheses strongest; text is minimal") {
  const auto python = environment("3.10");
  const std::string yes = "os_name == 'posix'", no = "os_name == 'nt'";
  CHECK(holds(yes + " or " + yes + " and " + no, python));
  CHECK_FALSE(holds("(" + yes + " or " + yes + ") and " + no, python));
  CHECK(normal("((os.name=='a') and (extra=='X.Y' and (sys_platform!='b' or 'c' in os_name)))") ==
        "os_name == \"a\" and extra == \"x-y\" and (sys_platform != \"b\" or \"c\" in os_name)");
  CHECK(normal("os_name == 'a\"b'") == "os_name == 'a\"b'");
}

TEST_CASE("markers: errors say what and where") {
  check_marker_error("", 1, "found the end: expected a marker variable");
  check_marker_error("python_verson < '3'", 1, "did you mean \"python_version\"?");
  check_marker_error("python_version < 3", 18, "there is no marker variable \"3\"");
  check_marker_error("python_version '3'", 16, "expected one of ==");
  check_marker_error("python_version < '3", 20, "a closing ' is missing");
  check_marker_error("(os_name == 'a'", 16, "closing ')'");
  check_marker_error("os_name == 'a') ", 15, "found ')'");
  check_marker_error("os_name == 'a' extra", 16, "expected \"and\", \"or\"");
  check_marker_error("'a' == 'b'", 1, "compares two texts");
  check_marker_error("extras == 'a'", 1, "extras is a set; ask for a member: \"name\" in extras");
  check_marker_error("os_name == 'a' or os_name ~= 'b'", 19, "~= compares versions only");
  check_marker_error("python_version ~= '3'", 1, "~= compares versions only");
}

TEST_CASE("markers: nesting is limited, length is not") {
  const auto nested = [](int depth) {
    return std::string(depth, '(') + "os_name == 'posix'" + std::string(depth, ')');
  };
  CHECK(holds(nested(100), environment("3.10")));
  check_marker_error(nested(101), 101, "more than 100 parentheses");
  check_marker_error(nested(10'000), 101, "more than 100 parentheses");
  std::string chain = "os_name == 'a'";
  for (int i = 0; i < 20'000; ++i) chain += i % 2 ? " or os_name == 'b'" : " and os_name == 'c'";
  CHECK_FALSE(holds(chain, environment("3.10")));
}

TEST_CASE("markers: some thousand as PyPI's packaging has them, and as their own text has them") {
  const auto environments = some_environments();
  nlohmann::json asked = nlohmann::json::array(), texts = nlohmann::json::array();
  for (const auto& one : environments) asked.push_back(as_question(one));
  Random random(508);
  for (int i = 0; i < 6000; ++i) {
    std::string text = marker_text(random);
    if (i % 6 == 0) text = mutated(random, text);
    texts.push_back(text);
    if (const auto marker = Marker::parse(text)) texts.push_back(marker->text());
  }
  const Answer answer =
      ask_oracle("oracle_requirements.py", {{"environments", asked},
                                            {"markers", texts},
                                            {"requirements", nlohmann::json::array()},
                                            {"versions", nlohmann::json::array()}});
  if (!answer.json) {
    WARN("skipped: " << answer.skipped);
    return;
  }
  int invalid = 0, held = 0, compared = 0;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const std::string text = texts[k];
    const auto& expected = (*answer.json)["markers"][k];
    const auto marker = Marker::parse(text);
    CAPTURE(text, marker ? "" : marker.error().reason);
    if (!marker) {
      ++invalid;
      CHECK((expected.is_null() || stricter_on_purpose(marker.error())));
      continue;
    }
    REQUIRE_FALSE(expected.is_null());
    CHECK(normal(marker->text()) == marker->text());
    for (std::size_t e = 0; e < environments.size(); ++e) {
      if (expected[e].is_null()) continue;  // e.g. two variables
      CAPTURE(e);
      CHECK(marker->holds(environments[e]) == expected[e].get<bool>());
      ++compared;
      held += marker->holds(environments[e]);
    }
  }
  CHECK(invalid > 100);
  CHECK(compared > 30'000);
  CHECK(held > compared / 5);
  CHECK(held < compared * 4 / 5);
}

TEST_CASE("requirements: everything that one can say") {
  const auto all =
      parse_dependency(" Ruamel.YAML [Jinja2, lib_yaml] (>=0.15, <1) ; os_name == 'posix'");
  REQUIRE(all);
  CHECK(all->name == "ruamel-yaml");
  CHECK(all->extras == std::vector<std::string>{"jinja2", "lib-yaml"});
  CHECK(all->versions.text() == ">=0.15, <1");
  CHECK(all->holds(environment("3.7")));
  CHECK_FALSE(all->holds(environment("3.7", "windows amd64")));
  CHECK(all->text() == "ruamel-yaml[jinja2,lib-yaml]>=0.15, <1; os_name == \"posix\"");
  const auto least = parse_dependency("x");
  REQUIRE(least);
  CHECK(least->versions.is_any());
  CHECK(least->text() == "x");
  const auto url = parse_dependency("x@https://a/b ; extra == 'z'");
  REQUIRE(url);
  CHECK(url->url == "https://a/b");
  CHECK(url->text() == "x @ https://a/b ; extra == \"z\"");
}

TEST_CASE("requirements: errors say what and where") {
  check_dependency_error("", 1, "starts with the name");
  check_dependency_error("-x", 1, "found '-'");
  check_dependency_error("x-", 2, "must end with a letter or digit");
  check_dependency_error("x *", 3, "after the name may follow");
  check_dependency_error("x 1.0", 3, "after the name may follow");
  check_dependency_error("x >=1 <2", 6, "should end here");
  check_dependency_error("x (>=1", 7, "closing ')'");
  check_dependency_error("x [a b]", 6, "separated by commas");
  check_dependency_error("x [a,]", 6, "after a comma");
  check_dependency_error("x >= ; os_name == 'a'", 5, "a version must follow >=");
  check_dependency_error("x ; os == 'a'", 5, "no marker variable \"os\"");
  check_dependency_error("x @ ", 5, "a URL must follow");
  check_dependency_error("x @ https://a;b c", 17, "found 'c'");
}

TEST_CASE("requirements: some thousand as PyPI's packaging has them") {
  const std::vector<std::string> versions{"0", "1", "1.0.post1", "2!1", "1.1a1", "2.0.dev1", "10"};
  Random random(1);
  nlohmann::json texts = nlohmann::json::array();
  for (int i = 0; i < 6000; ++i) {
    std::string text = requirement_text(random);
    if (i % 4 == 0) text = mutated(random, text);
    if (const auto parsed = parse_dependency(text)) texts.push_back(parsed->text());
    texts.push_back(text);
  }
  const Answer answer =
      ask_oracle("oracle_requirements.py", {{"environments", nlohmann::json::array()},
                                            {"markers", nlohmann::json::array()},
                                            {"requirements", texts},
                                            {"versions", versions}});
  if (!answer.json) {
    WARN("skipped: " << answer.skipped);
    return;
  }
  std::size_t invalid = 0;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const std::string text = texts[k];
    const auto& expected = (*answer.json)["requirements"][k];
    const auto parsed = parse_dependency(text);
    CAPTURE(text, parsed ? "" : parsed.error().reason);
    // Lenient about a doubled comma; and === cannot hold a comma.
    if (text.find(",,") != text.npos || text.find("===") != text.npos) continue;
    if (!parsed) {
      ++invalid;
      const bool on_purpose =
          stricter_on_purpose(parsed.error()) ||
          parsed.error().reason.find("must end with a letter") != std::string::npos;
      CHECK((expected.is_null() || on_purpose));
      continue;
    }
    REQUIRE_FALSE(expected.is_null());
    CHECK(parsed->name == expected["name"]);
    CHECK(parsed->extras == expected["extras"].get<std::vector<std::string>>());
    CHECK(parsed->url == expected["url"]);
    CHECK(parsed->marker.has_value() == !expected["marker"].is_null());
    if (parsed->marker && !expected["marker"].is_null())
      CHECK(parsed->marker->text() == normal(expected["marker"]));
    for (std::size_t v = 0; v < versions.size(); ++v)
      CHECK(parsed->versions.contains(*Version::parse(versions[v], Versioning::pep440)) ==
            expected["contains"][v]);
    const auto again = parse_dependency(parsed->text());
    REQUIRE(again);
    CHECK(again->text() == parsed->text());
  }
  CHECK(invalid > texts.size() / 50);
  CHECK(invalid < texts.size() / 2);
}
