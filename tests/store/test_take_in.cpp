// Documents in numbers: the same store as one by one, whatever the order, and whatever stands between.
#include <SQLiteCpp/Database.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/seal.hpp"
#include "store/questions/questions.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::store;
using namespace stackx::test;

namespace {

std::vector<std::string> lines_of(std::uint64_t inspections, const std::string& campaign) {
  std::vector<std::string> lines;
  for (std::uint64_t n = 0; n < inspections; ++n)
    lines.push_back(specs::canonical(specs::to_json(inspection(n, campaign))));
  return lines;
}

Intake take(Store& store, const std::vector<std::string>& lines) {
  std::size_t next = 0;
  return store.take_in(
      [&](std::string& line) {
        if (next == lines.size()) return false;
        line = lines[next++];
        return true;
      },
      "some.jsonl");
}

void shuffle(std::vector<std::string>& lines, std::uint64_t seed) {
  specs::Random random(seed);
  for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
}

std::vector<std::string> content(const Store& store) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& text) { lines.push_back(text); };
  for (const auto& campaign : store.campaigns()) store.documents(campaign.id, add);
  store.documents("", add);
  return lines;
}

}  // namespace

TEST_CASE("take_in: the same content as document by document, in any order, twice") {
  const Directory directory;
  const std::string a(64, 'a'), b(64, 'b');
  auto lines = lines_of(60, a);
  for (const auto& line : lines_of(40, b)) lines.push_back(line);
  for (const auto& line : lines_of(30, "")) lines.push_back(line);
  lines.push_back(specs::canonical(specs::to_json(plan(3, 4))));

  Store one = Store::open(directory / "one.db");
  for (const auto& line : lines) {
    const auto node = specs::Node::parse_text(line, "line");
    if (node.at("$schema").text() == "stackx/plan/1")
      one.ingest(specs::plan_from(node));
    else
      one.ingest(specs::inspection_from(node));
  }
  REQUIRE(one.check().empty());
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    shuffle(lines, seed);
    Store many = Store::open(directory / ("many" + std::to_string(seed) + ".db"));
    CHECK(take(many, lines).inserted == lines.size());
    const Intake again = take(many, lines);
    CHECK(again.inserted == 0);
    CHECK(again.already_there == lines.size());
    CHECK(many.check().empty());
    auto expected = content(one), found = content(many);
    CHECK(expected.size() == lines.size());
    std::ranges::sort(expected);
    std::ranges::sort(found);
    CHECK(found == expected);
  }
}

TEST_CASE("take_in: bad lines are refused by place, the others stay") {
  const Directory directory;
  auto lines = lines_of(8, std::string(64, 'a'));
  auto changed = nlohmann::json::parse(lines[3]);
  changed["load_1m"] = 77.5;
  auto rival = inspection(4, std::string(64, 'a'));  // another document for a place that is taken
  rival.load_1m += 1;
  specs::seal(rival);
  auto future = nlohmann::json::parse(lines[5]);
  future["$schema"] = "stackx/inspection/2";
  auto steal = nlohmann::json::parse(lines[6]);
  steal["steal"] = 1.5;
  const auto beyond = [&](const char* key, nlohmann::json value) {
    auto document = nlohmann::json::parse(lines[7]);
    document[key] = std::move(value);
    document.erase("id");
    document["id"] = specs::sha256(document.dump());
    return document.dump();
  };
  const auto busy = beyond("load_1m", 1e308), long_winded = beyond("arm", std::string(20'000, 'x'));
  const std::size_t good = lines.size();
  lines.push_back(changed.dump());                                      // 9
  lines.push_back(specs::canonical(specs::to_json(rival)));             // 10
  lines.push_back(future.dump());                                       // 11
  lines.push_back("{\"$schema\":\"stackx/inspection/1\",\"arm\":\"x");  // 12
  lines.push_back("");                                                  // 13: nothing
  lines.push_back("[]");                                                // 14
  lines.push_back(steal.dump());                                        // 15
  lines.push_back(busy);                                                // 16
  lines.push_back(long_winded);                                         // 17
  Store store = Store::open(directory / "stackx.db");
  const Intake intake = take(store, lines);
  CHECK(intake.inserted == good);
  REQUIRE(intake.reasons.size() == 8);
  CHECK(intake.refused == 8);
  CHECK_THAT(intake.reasons[0], Catch::StartsWith("some.jsonl:9: ") && Catch::Contains("was changed"));
  CHECK_THAT(intake.reasons[1], Catch::StartsWith("some.jsonl:10: ") && Catch::Contains(rival.id) &&
                                    Catch::Contains(inspection(4, std::string(64, 'a')).id));
  CHECK_THAT(intake.reasons[2], Catch::StartsWith("some.jsonl:11: ") && Catch::Contains("stackx/inspection/2"));
  CHECK_THAT(intake.reasons[3], Catch::StartsWith("some.jsonl:12:1:42: not JSON"));
  CHECK_THAT(intake.reasons[4], Catch::StartsWith("some.jsonl:14: "));
  CHECK_THAT(intake.reasons[5], Catch::StartsWith("some.jsonl:15: "));
  CHECK_THAT(intake.reasons[6], Catch::StartsWith("some.jsonl:16: ") && Catch::Contains("a load average"));
  CHECK_THAT(intake.reasons[7], Catch::StartsWith("some.jsonl:17: ") && Catch::Contains("/arm: a text of 20000 bytes"));
  CHECK(store.check().empty());
}

TEST_CASE("take_in: nothing stays of a document that is refused, and answers go on") {
  const Directory directory;
  const std::string campaign(64, 'a');
  const auto rival = [&](auto change) {  // for a place that is taken
    auto document = inspection(4, campaign);
    change(document);
    specs::seal(document);
    return specs::canonical(specs::to_json(document));
  };
  const std::vector<std::string> rivals{rival([](auto& i) { i.device = "GPU-1234"; }),
                                        rival([](auto& i) { i.workload.params["m"] = "3"; }),
                                        rival([](auto& i) { i.stack.components["openblas"] = "9"; }),
                                        rival([](auto& i) { i.host = host("zen4"), i.device = i.host.fingerprint(); }),
                                        rival([](auto& i) { i.reason = "another"; }),
                                        rival([](auto& i) { i.stackx_version = "another"; })};
  const auto good = lines_of(8, campaign);
  const auto file = directory / "stackx.db", alone = directory / "alone.db";
  {
    Store store = Store::open(file), other = Store::open(alone);
    auto all = good;
    all.insert(all.end(), rivals.begin(), rivals.end());
    CHECK(take(store, all).refused == rivals.size());  // in the batch of those that stay
    CHECK(take(store, rivals).refused == rivals.size());
    take(other, good);
    CHECK(store.check().empty());
  }
  CHECK(dump(file) == dump(alone));
  CHECK(Questions(file).series({}).size() == 4);
}

TEST_CASE("take_in: series that an older stackx left without sums are found, and mended by the next import") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  Store store = Store::open(file);
  const auto lines = lines_of(8, std::string(64, 'a'));
  take(store, lines);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec("INSERT INTO hardware(model, microarchitecture, checksum) VALUES('x', 'y', 0); "
            "INSERT INTO devices(name, hardware) SELECT 'GPU-2', min(id) FROM hardware; "
            "INSERT INTO series(workload, device, stack) SELECT workload, last_insert_rowid(), stack FROM series LIMIT 1");
  const auto problems = store.check(Thoroughness::quick);
  REQUIRE(problems.size() == 2);
  CHECK_THAT(problems[0], Catch::EndsWith("series: row 5 is changed"));
  CHECK_THAT(problems[1], Catch::EndsWith("hardware: row 2 is changed"));
  CHECK(store.check().size() == 2);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("DELETE FROM hardware WHERE model = 'x'");
  CHECK_THROWS_WITH(Questions(file).series({}), Catch::Contains("series: row 5 is changed"));
  CHECK(take(store, lines).already_there == lines.size());
  CHECK(store.check().empty());
  CHECK(Questions(file).series({}).size() == 5);
}

TEST_CASE("take_in: documents in another spelling are the same documents") {
  const Directory directory;
  const auto lines = lines_of(6, std::string(64, 'a'));
  std::vector<std::string> spaced;
  for (const auto& line : lines) spaced.push_back(nlohmann::json::parse(line).dump(1, ' '));
  for (auto& line : spaced) std::ranges::replace(line, '\n', ' ');
  Store store = Store::open(directory / "stackx.db");
  CHECK(take(store, spaced).inserted == 6);
  CHECK(take(store, lines).already_there == 6);
  CHECK(content(store) == lines);
}

TEST_CASE("take_in: what no known shape excuses is read strictly") {
  // After a document of the same shape was seen, only numbers differ: they must be in range all the same.
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  const auto bad = [&](auto change) {
    auto document = inspection(1, std::string(64, 'a'));
    document.round = 77;
    auto json = specs::to_json(document);
    json.erase("id");
    change(json);
    json["id"] = specs::content_id(json);  // sealed, so that only the range is wrong
    return json.dump();
  };
  REQUIRE(take(store, lines_of(8, std::string(64, 'a'))).inserted == 8);
  const Intake intake = take(store, {bad([](auto& json) { json["exit_code"] = 256; }),
                                     bad([](auto& json) { json["phases"][0]["end_ns"] = 5; }),
                                     bad([](auto& json) { json["round"] = -1; }),
                                     bad([](auto& json) { json["usage"]["max_rss_bytes"] = -1; }),
                                     bad([](auto& json) { json["samples_ns"][3] = 1.5; })});
  CHECK(intake.inserted == 0);
  CHECK(intake.refused == 5);
}

TEST_CASE("take_in: a stream that breaks keeps what came before") {
  const Directory directory;
  const auto lines = lines_of(8, std::string(64, 'a'));
  Store store = Store::open(directory / "stackx.db");
  std::size_t next = 0;
  CHECK_THROWS_WITH(store.take_in(
                        [&](std::string& line) {
                          if (next == 5) throw broken_environment("the line went dead");
                          line = lines[next++];
                          return true;
                        },
                        "some.jsonl"),
                    "the line went dead; 5 documents were stored before that, and are not stored twice when this is "
                    "repeated");
  CHECK(store.measurements({}).size() == 5);
  CHECK(take(store, lines).inserted == 3);
  CHECK(store.check().empty());
}

TEST_CASE("take_in: documents at once, each with its fate, as one by one") {
  const Directory directory;
  const std::string a(64, 'a');
  auto texts = lines_of(20, a);
  texts.push_back(specs::canonical(specs::to_json(plan(3, 4))));
  texts.push_back(texts[3]);                                // twice within one call
  texts.push_back("{}");
  texts.push_back(std::string(texts[4]).replace(texts[4].find("\"round\":"), 8, "\"rounds\":"));
  std::vector<std::string> places;
  for (std::size_t i = 0; i < texts.size(); ++i) places.push_back("line " + std::to_string(i + 1));
  std::vector<Store::Arrived> arrived;
  for (std::size_t i = 0; i < texts.size(); ++i) arrived.push_back({texts[i], places[i]});
  auto store = Store::open(directory / "together.db");
  const auto fates = store.take_in(arrived);
  REQUIRE(fates.size() == texts.size());
  for (std::size_t i = 0; i < 21; ++i) CHECK(fates[i].kind == Fate::Kind::inserted);
  CHECK(fates[21].kind == Fate::Kind::already_there);
  for (const std::size_t wrong : {22U, 23U}) {
    CHECK(fates[wrong].kind == Fate::Kind::refused);
    CHECK_THAT(fates[wrong].why, Catch::Contains(places[wrong]));
  }
  for (const auto& fate : store.take_in(std::span(arrived).first(22))) CHECK(fate.kind == Fate::Kind::already_there);
  CHECK(store.take_in(std::span<const Store::Arrived>()).empty());
  auto one_by_one = Store::open(directory / "one.db");
  take(one_by_one, std::vector(texts.begin(), texts.begin() + 21));
  CHECK(content(store) == content(one_by_one));
  store.finish_summaries();
  CHECK(store.check().empty());
}
