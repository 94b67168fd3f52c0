// What is new, and which stack it is tried in; what the first pass takes.
#include <catch2/catch.hpp>

#include "specs/format/json.hpp"
#include "tests/store/fixture.hpp"
#include "watch/newcomers.hpp"

using namespace stackx;
using namespace stackx::watch;

namespace {

const char* const catalog_text = R"({"$schema": "stackx/catalog/1", "components": {
  "app": {"kind": "package", "versions": {
    "1.0": {"requires": {"helper": "*", "threads": "*"}},
    "1.1": {"requires": {"helper": "*", "threads": "*"}},
    "2.0": {"requires": {"helper": ">=2", "threads": "*"}},
    "2.1": {"requires": {"helper": ">=9", "threads": "*"}}}},
  "helper": {"kind": "package", "versions": {"1.0": {}, "1.5": {}, "2.0": {}, "2.5": {}}},
  "threads": {"kind": "setting", "versioning": "opaque", "versions": {"1": {"parameters": {"threads": 1}}, "2": {"parameters": {"threads": 2}}}},
  "mklish": {"kind": "package", "versions": {"7.0": {"provides": {"blas": "7.0"}}, "8.0": {"provides": {"blas": "8.0"}}}},
  "openish": {"kind": "package", "versions": {"0.1": {"provides": {"blas": "0.1"}}, "0.2": {"provides": {"blas": "0.2"}}}}}})";

struct Given {
  specs::Catalog catalog = specs::parse_catalog(specs::Node::parse_text(catalog_text, "catalog"));
  specs::Project project;
  Subject subject{"p", {"bench", {}}, std::nullopt, ""};
  Hardware hardware{"zen4", false, test::host().fingerprint()};
  test::Directory place;

  explicit Given(const std::string& requires_) {
    project = specs::parse_project(specs::Node::parse_text(R"({"$schema": "stackx/project/1", "name": "p", "catalogs": ["c"], "requires": )" + requires_ + "}", "project"), catalog);
  }

  // Each ran once.
  void measured(const std::vector<specs::Stack>& stacks, specs::Outcome outcome = specs::Outcome::ok) {
    auto store = store::Store::open((place.path() / "store.db"));
    specs::Plan plan;
    plan.project = "p";
    plan.created = "2026-11-27T00:00:00.000Z";
    plan.seed = ++count;
    for (const auto& stack : stacks) plan.arms.push_back({stack.short_id(), stack, subject.workload, false});
    specs::seal(plan);
    store.ingest(plan);
    for (const auto& stack : stacks) {
      specs::Inspection one;
      one.campaign = plan.id;
      one.arm = stack.short_id();
      one.stack = stack;
      one.workload = subject.workload;
      one.host = test::host();
      one.device = one.host.fingerprint();
      one.outcome = outcome;
      one.finished = "2026-11-27T00:00:01.000Z";
      if (outcome == specs::Outcome::ok) one.samples_ns = {1000}, one.work.items = 1;
      else one.reason = "no";
      specs::seal(one);
      store.ingest(one);
    }
  }

  History history() { return History(store::Store::open((place.path() / "store.db")), subject, hardware, {}); }
  News news(const specs::Stack& advised, std::size_t most = 8) {
    const Space space(project, catalog);
    return find_news(advised, space, history(), most);
  }
  std::uint64_t count = 0;
};

std::vector<std::string> names(const News& news) {
  std::vector<std::string> result;
  for (const auto& one : news.newcomers) result.push_back(one.name());
  return result;
}

specs::Stack app(const std::string& version, const std::string& helper) { return {{{"app", version}, {"helper", helper}, {"threads", "2"}}}; }

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("watch newcomers: versions after the advised one that nobody measured, in the nearest valid stack") {
  Given given(R"({"app": "*"})");
  given.measured({app("1.0", "1.0")});
  // 2.1 is in no stack. 1.1 needs no other helper, 2.0 does: the newest that there is, which is then no newcomer of its own.
  const auto news = given.news(app("1.0", "1.0"));
  CHECK(names(news) == Names{"app 1.0 -> 2.0 with helper 1.0 -> 2.5", "app 1.0 -> 1.1", "helper 1.0 -> 2.0", "helper 1.0 -> 1.5"});
  CHECK(news.newcomers[0].is_newest);
  CHECK_FALSE(news.newcomers[1].is_newest);
  CHECK(news.newcomers[0].changes.front().component == "app");
  CHECK(news.newcomers[0].stack.components.at("threads") == "2");
}

TEST_CASE("watch newcomers: what was measured is known, ok or failed; what is older is no news") {
  Given given(R"({"app": "*"})");
  given.measured({app("1.1", "2.5")});
  given.measured({app("2.0", "2.5")}, specs::Outcome::crashed);
  CHECK(names(given.news(app("1.1", "2.5"))) == Names{});
  CHECK(given.history().only_failed(app("2.0", "2.5")));
}

TEST_CASE("watch newcomers: what is more than a pass takes waits, the newest first") {
  Given given(R"({"app": "*"})");
  given.measured({app("1.0", "2.5")});
  const auto news = given.news(app("1.0", "2.5"), 1);
  CHECK(names(news) == Names{"app 1.0 -> 2.0"});
  CHECK(news.waiting == Names{"app 1.1"});
}

TEST_CASE("watch newcomers: a first pass takes the version before, and others that provide the same") {
  Given given(R"({"blas": "*"})");
  const specs::Stack advised{{{"openish", "0.2"}}};
  const auto first = given.news(advised);
  CHECK(names(first) == Names{"mklish 8.0 instead of openish 0.2", "openish 0.2 -> 0.1"});
  CHECK(first.newcomers[1].is_older);
  given.measured({advised, {{{"mklish", "8.0"}}}});
  CHECK(names(given.news(advised)) == Names{});
}

TEST_CASE("watch newcomers: the name of a stack is what the project asks for") {
  Given given(R"({"blas": "*"})");
  const Space space(given.project, given.catalog);
  CHECK(space.name_of({{{"openish", "0.2"}}}) == "openish 0.2");
  CHECK(space.is_alternative("mklish"));
  CHECK_FALSE(space.is_alternative("helper"));
  CHECK(*space.why_not({{{"openish", "0.3"}}}) == "openish 0.3 is no longer listed");
  CHECK_FALSE(space.why_not({{{"openish", "0.2"}}}));
}

TEST_CASE("watch newcomers: two stacks of one name are told apart by what differs") {
  Given given(R"({"app": "*"})");
  const Space space(given.project, given.catalog);
  const specs::Stack one{{{"app", "2.0"}, {"helper", "2.0"}, {"threads", "1"}}};
  const specs::Stack other{{{"app", "2.0"}, {"helper", "2.5"}, {"threads", "2"}}};
  CHECK(space.name_of(one, other) == "app 2.0 with threads 1, helper 2.0");
  CHECK(space.name_of(other, one) == "app 2.0 with threads 2, helper 2.5");
  CHECK(space.name_of(one, {{{"app", "2.0"}, {"helper", "2.0"}}}) == "app 2.0 with threads 1");
  CHECK(space.name_of({{{"app", "2.0"}, {"helper", "2.0"}}}, one) == "app 2.0 with no threads");
  CHECK(space.name_of(one, one) == "app 2.0");
  CHECK(space.name_of(one, {{{"app", "1.0"}, {"helper", "2.0"}, {"threads", "2"}}}) == "app 2.0");
}
