#include <catch2/catch.hpp>
#include <set>

#include "specs/catalog/advisory.hpp"
#include "specs/format/json.hpp"
#include "specs/random.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/oracle.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

namespace {

Advisories parse(const std::string& text) { return Advisories::parse(text, "osv.json"); }
Texts ids(const Advisories& advisories, const std::string& name, const std::string& version,
          const std::string& ecosystem = "pypi", Versioning scheme = Versioning::pep440) {
  return advisories.affecting(ecosystem, name, *Version::parse(version, scheme));
}
std::string refusal(const std::string& text) {
  return message_of([&] { parse(text); });
}

// An advisory as databases publish them, with keys that we do not read.
const char* const advisory = R"({
  "schema_version": "1.6.0", "id": "PYSEC-2021-1", "modified": "2021-08-27T00:00:00Z", "aliases": ["CVE-2021-1"],
  "severity": [{"type": "CVSS_V3", "score": "CVSS:3.1/AV:N"}], "database_specific": {"x": [1, {"y": null}]},
  "affected": [
    {"package": {"ecosystem": "PyPI", "name": "Ten_sor.Flow", "purl": "pkg:pypi/tensorflow"},
     "ranges": [
       {"type": "GIT", "repo": "https://example.org/x", "events": [{"introduced": "0"}, {"fixed": "a1b2"}]},
       {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "2.1.4"}, {"introduced": "2.2.0"}, {"last_affected": "2.2.2"}]}],
     "versions": ["2.0", "2.9.0rc1", "not a version"], "ecosystem_specific": {}},
    {"package": {"ecosystem": "PyPI", "name": "tensorflow-cpu"}, "versions": ["2.1.0"]},
    {"ranges": [{"type": "GIT", "repo": "https://example.org/x", "events": [{"introduced": "0"}]}]}]})";

}  // namespace

TEST_CASE("advisory: what is between introduced and fixed, and what is listed", "[advisory]") {
  const auto advisories = parse(advisory);
  CHECK(advisories.size() == 1);
  const Texts yes{"PYSEC-2021-1"}, no;
  for (const char* version : {"0.1", "1.0.dev1", "2.1.3", "2.1.4rc1", "2.2", "2.2.2", "2.9rc1"})
    CHECK(ids(advisories, "ten-sor-flow", version) == yes);
  for (const char* version : {"2.1.4", "2.1.4.post1", "2.2.0rc1", "2.2.2.post1", "2.2.3", "2.9.0"})
    CHECK(ids(advisories, "ten-sor-flow", version) == no);
  CHECK(ids(advisories, "tensorflow-cpu", "2.1") == yes);
  CHECK(ids(advisories, "tensorflow-cpu", "2.0") == no);
  CHECK(ids(advisories, "numpy", "1.0") == no);
  CHECK(ids(advisories, "ten-sor-flow", "1.0", "debian") == no);
}

TEST_CASE("advisory: one, many, one a line; withdrawn ones are counted", "[advisory]") {
  const std::string one =
      R"({"id": "A", "affected": [{"package": {"ecosystem": "PyPI", "name": "x"}, "versions": ["1"]}]})";
  const std::string gone =
      R"({"id": "B", "withdrawn": "2024-01-01T00:00:00Z", "affected": [{"package": {"ecosystem": "PyPI", "name": "x"}, "versions": ["1"]}]})";
  const std::string back =
      R"({"id": "C", "withdrawn": null, "affected": [{"package": {"ecosystem": "PyPI", "name": "X"}, "versions": ["1.0"]}]})";
  for (const auto& text :
       {"[" + one + ", " + gone + ",\n" + back + "]", one + "\n\n" + gone + "\r\n" + back,
        one + "\n" + gone + "\n" + back + "\n"}) {
    CAPTURE(text);
    const auto advisories = parse(text);
    CHECK(ids(advisories, "x", "1") == Texts{"A", "C"});
    CHECK(advisories.size() == 2);
    CHECK(advisories.withdrawn() == 1);
  }
  CHECK(ids(parse(one + "\n"), "x", "1") == Texts{"A"});
  CHECK(parse("[]").size() == 0);
}

TEST_CASE("advisory: limits, other ecosystems, what cannot be judged", "[advisory]") {
  const auto ranged = [](const std::string& ecosystem, const std::string& events) {
    return parse(R"({"id": "A", "affected": [{"package": {"ecosystem": ")" + ecosystem +
                 R"(", "name": "x"}, "ranges": [{"type": "SEMVER", "events": [)" + events +
                 "]}]}]}");
  };
  const auto limited = ranged("PyPI", R"({"introduced": "0"}, {"limit": "2"}, {"limit": "1.5"})");
  CHECK(ids(limited, "x", "1.9") == Texts{"A"});
  CHECK(ids(limited, "x", "2").empty());
  CHECK(ids(ranged("PyPI", R"({"introduced": "1"}, {"limit": "*"})"), "x", "7") == Texts{"A"});
  CHECK(ids(ranged("PyPI", R"({"introduced": "1"}, {"limit": "*"})"), "x", "0.9").empty());
  const auto debian = ranged("Debian:12", R"({"introduced": "0"}, {"fixed": "1.0-1+deb12u1"})");
  CHECK(ids(debian, "x", "1.0-1", "debian", Versioning::debian) == Texts{"A"});
  CHECK(ids(debian, "x", "1.0-1+deb12u1", "debian", Versioning::debian).empty());
  // No version by PEP 440: everything counts as affected, rather than nothing.
  CHECK(ids(ranged("PyPI", R"({"introduced": "1"}, {"fixed": "r77-final"})"), "x", "99") ==
        Texts{"A"});
  // Events are sorted first; those that are equal keep their order.
  CHECK(ids(ranged("PyPI", R"({"fixed": "2"}, {"introduced": "1"})"), "x", "3").empty());
  CHECK(ids(ranged("PyPI", R"({"introduced": "0"}, {"fixed": "1"}, {"introduced": "1.0"})"), "x",
            "1") == Texts{"A"});
}

TEST_CASE("advisory: wrong types are errors that say where", "[advisory]") {
  CHECK_THAT(refusal("{}"), Contains("osv.json") && Contains("\"id\""));
  CHECK_THAT(refusal("[{\"id\": 1}]"), Contains("osv.json: /0/id"));
  CHECK_THAT(refusal("3"), Contains("osv.json"));
  CHECK_THAT(refusal(R"({"id": "A"}
{"id": "B", "affected": {}})"),
             Contains("osv.json:2: /affected"));
  const auto affected = [](const std::string& text) {
    return refusal(R"({"id": "A", "affected": [)" + text + "]}");
  };
  CHECK_THAT(affected(R"({"package": {"name": "x"}})"),
             Contains("/affected/0/package") && Contains("ecosystem"));
  CHECK_THAT(affected(R"({"package": {"name": "", "ecosystem": "PyPI"}})"),
             Contains("/affected/0/package/name"));
  CHECK_THAT(affected(R"({"versions": "1"})"), Contains("/affected/0/versions"));
  CHECK_THAT(affected(R"({"ranges": [{"type": "SPAN", "events": []}]})"),
             Contains("/affected/0/ranges/0/type"));
  CHECK_THAT(affected(R"({"ranges": [{"type": "SEMVER", "events": []}]})"),
             Contains("/affected/0/ranges/0/events") && Contains("introduced"));
  CHECK_THAT(affected(R"({"ranges": [{"type": "SEMVER", "events": [{"introduced": 0}]}]})"),
             Contains("/ranges/0/events/0/introduced"));
  CHECK_THAT(affected(R"({"ranges": [{"type": "SEMVER", "events": [{"begun": "0"}]}]})"),
             Contains("/ranges/0/events/0"));
}

TEST_CASE("advisory: a catalog without what is listed", "[advisory]") {
  auto catalog = parse_catalog(Node::parse_text(
      R"({"$schema": "stackx/catalog/1", "components": {
    "tensorflow-cpu": {"kind": "package", "ecosystem": "pypi", "versions": {"2.0.0": {}, "2.1.0": {}, "2.2.0": {}}},
    "openblas": {"kind": "package", "versions": {
      "0.3.1": {"artifacts": [{"type": "wheel", "file": "a.whl", "sha256": ")" +
          std::string(64, '0') + R"(", "package": "blas-wheel", "package_version": "0.3.1.4"}]},
      "0.3.2": {"artifacts": [{"type": "wheel", "file": "b.whl", "sha256": ")" +
          std::string(64, '1') + R"(", "package": "blas-wheel", "package_version": "0.3.2.0"}]}}},
    "cuda": {"kind": "runtime", "versions": {"2.1.0": {}}}}})",
      "c.json"));
  const auto gone = exclude(
      catalog,
      parse(
          "[" + std::string(advisory) +
          R"(, {"id": "B", "affected": [{"package": {"ecosystem": "PyPI", "name": "blas_wheel"}, "versions": ["0.3.1.4"]}]}])"));
  REQUIRE(gone.size() == 2);
  CHECK(gone[0].component == "openblas");
  CHECK(gone[0].version == "0.3.1");
  CHECK(gone[0].ids == Texts{"B"});
  CHECK(gone[1].component == "tensorflow-cpu");
  CHECK(gone[1].ids == Texts{"PYSEC-2021-1"});
  CHECK(catalog.find("tensorflow-cpu")->versions.size() == 2);
  CHECK(catalog.find("tensorflow-cpu")->find("2.1.0") == nullptr);
  CHECK(catalog.find("openblas")->versions.size() == 1);
  CHECK(catalog.find("cuda")->versions.size() == 1);
}

TEST_CASE("advisory: random ones, as `packaging` and the schema's evaluation have them",
          "[advisory][oracle]") {
  const Texts versions{"0",        "0.dev1",    "0.9", "1",     "1.0rc1", "1.0.post1", "1.1",
                       "1.1.dev3", "1.2+local", "2",   "2!0.1", "3.0b2",  "3"};
  Random random(7);
  const auto any = [&] { return versions[random.below(versions.size())]; };
  Json list = Json::array();
  for (int i = 0; i < 300; ++i) {
    Json events = Json::array({{{"introduced", random.below(2) == 0 ? "0" : any()}}});
    const char* kinds[] = {"introduced", "fixed", "last_affected", "limit"};
    std::set<std::string> used{
        events[0]["introduced"]};  // of equal events the schema leaves the order open
    for (auto more = random.below(4); more > 0; --more)
      if (const auto version = any();
          used.insert(Version::parse(version, Versioning::pep440)->normal()).second)
        events.push_back({{kinds[random.below(4)], version}});
    Json affected{
        {"package",
         {{"ecosystem", "PyPI"}, {"name", random.below(4) == 0 ? "other" : "The.Package"}}}};
    if (random.below(4) != 0)
      affected["ranges"] = {
          {{"type", random.below(5) == 0 ? "GIT" : "ECOSYSTEM"}, {"events", events}}};
    if (random.below(3) == 0) affected["versions"] = {any(), any()};
    Json one{{"id", "A" + std::to_string(i)}, {"affected", {affected}}};
    if (random.below(10) == 0) one["withdrawn"] = "2024-01-01T00:00:00Z";
    list.push_back(one);
  }
  const auto answer =
      ask_oracle("oracle_advisory.py",
                 {{"advisories", list}, {"versions", versions}, {"package", "the_package"}});
  if (!answer.json) {
    WARN(answer.skipped);
    return;
  }
  const auto advisories = parse(list.dump());
  std::size_t named = 0;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    CAPTURE(versions[i]);
    const auto found = ids(advisories, "the-package", versions[i]);
    named += found.size();
    CHECK(found == (*answer.json)["affected"][i].get<Texts>());
  }
  CHECK(named > 300);
}
