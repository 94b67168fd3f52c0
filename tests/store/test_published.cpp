// Published results: kept once, given back as they were, and never wrong.
#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/hardware/name.hpp"
#include "specs/result/evidence.hpp"
#include "specs/result/published.hpp"
#include "store/questions/questions.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;
using Catch::Matchers::Contains;
using store::Ingest;
using store::Mode;
using store::PublishedFilter;
using store::Store;
namespace fs = std::filesystem;

namespace {

// Every member is there or not, by chance; `number` decides.
specs::Published published(std::uint64_t number) {
  specs::Random random(number);
  const auto sometimes = [&] { return random.below(2) == 0; };
  specs::Published p;
  p.source.url = fmt::format("https://example.org/{}", random.below(3));
  p.source.read = "2026-11-20";
  if (sometimes()) p.source.title = "Ergebnisse, größer";
  if (sometimes()) p.source.date = "2019-07-10";
  if (sometimes()) p.source.license = "MIT";
  p.source.tool = "evidence";
  if (sometimes())
    p.hardware =
        std::array{"NVIDIA V100", "Tesla V100-SXM2-16GB", "TPUv3", "V1000"}[random.below(4)];
  if (sometimes()) p.devices = sometimes() ? 1 + random.below(8) : ~std::uint64_t{0};
  p.workload.pi = std::array{"matmul", "train_ssd", "import"}[random.below(3)];
  if (sometimes()) p.workload.params["m"] = fmt::format("{}", 1 + random.below(4));
  if (sometimes()) p.stack.components["cuda"] = fmt::format("{}.0", 9 + random.below(3));
  if (sometimes()) p.stack.components["framework"] = "TensorFlow v1.2, patched";
  p.metric = "elapsed_ms";
  p.value = 0.001 * static_cast<double>(number + 1);
  if (sometimes()) p.statistic = "median";
  if (sometimes()) p.stdev = 0;
  if (sometimes()) {
    p.values = {p.value / 3, p.value, 1e30};
    p.min = p.value / 3;
    p.max = 1e30;
    p.runs = 3;
  }
  if (sometimes()) p.details["host"] = fmt::format("host \"{}\"", random.below(2));
  seal(p);
  return p;
}

std::vector<specs::Published> some(std::uint64_t count) {
  std::vector<specs::Published> all;
  for (std::uint64_t n = 0; n < count; ++n) all.push_back(published(n));
  std::ranges::sort(all, {}, &specs::Published::id);
  return all;
}

// Different results of one family, as a file of evidence has them.
std::vector<specs::Published> some_of(const std::string& family, const std::string& source, std::uint64_t count) {
  auto all = some(count);
  for (auto& one : all) {
    one.workload.pi = family;
    one.source.tool = "evidence:" + source;
    seal(one);
  }
  std::ranges::sort(all, {}, &specs::Published::id);
  return all;
}

PublishedFilter of_family(const std::string& family) {
  PublishedFilter filter;
  filter.workload = specs::parse_workload(family);
  return filter;
}

// As take_in_seed asks for them: a few at a time, then none.
std::function<std::vector<specs::Published>()> in_portions(const std::vector<specs::Published>& all) {
  return [all, at = std::size_t{0}]() mutable {
    const std::size_t begin = at;
    at = std::min(all.size(), begin + 7);
    return std::vector<specs::Published>(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(at));
  };
}

std::vector<std::string> texts(const std::vector<specs::Published>& all) {
  std::vector<std::string> result;
  for (const auto& one : all) result.push_back(specs::canonical(to_json(one)));
  return result;
}

fs::path filled(const Directory& directory, const std::vector<specs::Published>& all) {
  const fs::path file = directory / "stackx.db";
  Store store = Store::open(file);
  for (const auto& one : all) REQUIRE(store.ingest(one) == Ingest::inserted);
  return file;
}

}  // namespace

TEST_CASE("published results come back as they were, and once") {
  const Directory directory;
  const auto all = some(400);
  const fs::path file = filled(directory, all);
  {
    Store store = Store::open(file);
    for (const auto& one : all) CHECK(store.ingest(one) == Ingest::already_there);
    CHECK(store.check().empty());
  }
  const Store store = Store::open(file, Mode::read_only);
  CHECK(texts(store.published({})) == texts(all));
}

TEST_CASE("a store is the same in whatever order published results came") {
  const Directory directory;
  auto all = some(60);
  const auto expected = texts(all);
  specs::Random random(3);
  for (int i = 0; i < 3; ++i) {
    random.shuffle(all);
    Store store = Store::open(directory / fmt::format("{}.db", i));
    for (const auto& one : all) store.ingest(one);
    CHECK(texts(store.published({})) == expected);
  }
}

TEST_CASE("published results are found by workload and by words of the hardware's name") {
  const Directory directory;
  const auto all = some(400);
  const Store store = Store::open(filled(directory, all), Mode::read_only);
  std::vector<PublishedFilter> filters;
  for (const char* hardware : {"", "v100", "V100-SXM2", "v10", "tpuv3", "nvidia"})
    for (const char* workload : {"", "matmul", "matmul:m=2", "import", "conv2d"}) {
      PublishedFilter filter;
      if (*hardware) filter.hardware = hardware;
      if (*workload) filter.workload = specs::parse_workload(workload);
      filters.push_back(filter);
      filter.on = [](const std::string& name) { return name.find('0') != std::string::npos; };
      filters.push_back(filter);
    }
  std::size_t found = 0;
  for (const auto& filter : filters) {
    std::vector<specs::Published> expected;
    for (const auto& one : all)
      if ((!filter.workload || filter.workload->matches(one.workload)) &&
          (!filter.hardware || specs::names_hardware(*filter.hardware, one.hardware)) && (!filter.on || filter.on(one.hardware)))
        expected.push_back(one);
    found += expected.size();
    CHECK(texts(store.published(filter)) == texts(expected));
  }
  CHECK(found > 500);
}

TEST_CASE("places and sources of published results are those of the results") {
  const Directory directory;
  const auto all = some(200);
  const store::Questions questions(filled(directory, all));
  store::QuestionFilter of_matmul, of_v100, of_both, since;
  of_matmul.workload = of_both.workload = specs::Workload{"matmul", {{"m", "2"}}};
  of_v100.hardware = of_both.hardware = "v100";
  since.since = 1'000'000'000'000;
  for (const auto& filter : {store::QuestionFilter{}, of_matmul, of_v100, of_both, since}) {
    const auto results = questions.published(filter);
    std::vector<store::PublishedPlace> expected;
    std::map<std::string, std::uint64_t> by_source;
    for (const auto& row : results) {
      CHECK((!filter.workload || filter.workload->matches(questions.workload(row.workload))));
      expected.push_back({row.workload, row.hardware, row.devices.value_or(0), row.metric});
      ++by_source[questions.source(row.source).url];
    }
    CHECK(static_cast<std::ptrdiff_t>(expected.size()) == std::ranges::count_if(all, [&](const specs::Published& one) {
            return (!filter.workload || filter.workload->matches(one.workload)) &&
                   (!filter.hardware || specs::names_hardware(*filter.hardware, one.hardware)) &&
                   (!filter.since || one.source.date >= "2001");
          }));
    CHECK(expected.size() > 0);
    std::ranges::sort(expected);
    auto places = questions.published_places(filter);
    for (std::size_t i = 1; i < places.size(); ++i) {  // each place once: those beside each other belong together
      const auto place = [](const auto& one) { return std::tie(one.workload, one.hardware, one.devices); };
      for (std::size_t before = 0; before + 1 < i; ++before)
        if (place(places[before]) == place(places[i])) CHECK(place(places[i - 1]) == place(places[i]));
    }
    std::ranges::sort(places);
    CHECK(places == expected);
    std::map<std::string, std::uint64_t> found;
    for (const auto& row : questions.sources(filter)) found[row.source.url] += row.results;
    CHECK(found == by_source);
  }
}

TEST_CASE("sources say how much is from them and whether they came with stackx") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  const auto all = some(50);
  std::vector<specs::Published> mine;
  for (auto one : all) {
    one.source.tool = "pyperf";
    seal(one);
    mine.push_back(one);
    store.ingest(one);
  }
  store.take_in_seed({"matmul", "table", 100}, in_portions(all));
  std::map<specs::Source, std::pair<std::uint64_t, bool>> expected;
  for (const auto& one : all) ++expected[one.source].first, expected[one.source].second = true;
  for (const auto& one : mine) ++expected[one.source].first;
  std::map<specs::Source, std::pair<std::uint64_t, bool>> found;
  for (const auto& row : store.sources()) found[row.source] = {row.results, row.seed};
  CHECK(found == expected);
}

TEST_CASE("an edition of the evidence is taken in once; a new one replaces it, and nothing else") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  const auto first = some_of("matmul", "a", 40), other = some_of("matmul", "b", 20), conv = some_of("conv2d", "a", 15);
  auto mine = published(7);
  mine.source.tool = "pyperf";
  seal(mine);
  CHECK_FALSE(store.has_seed({"matmul", "a", 10}));
  CHECK(store.take_in_seed({"matmul", "a", 10}, in_portions(first)) == first.size());
  store.take_in_seed({"matmul", "b", 20}, in_portions(other));
  store.take_in_seed({"conv2d", "a", 30}, in_portions(conv));
  store.ingest(mine);
  CHECK(store.has_seed({"matmul", "a", 10}));
  CHECK_FALSE(store.has_seed({"matmul", "a", 11}));
  CHECK_FALSE(store.has_seed({"conv2d", "a", 10}));
  CHECK(store.has_seed({"conv2d", "a", 30}));
  const auto before = texts(store.published({}));
  CHECK(store.take_in_seed({"matmul", "a", 10}, in_portions(first)) == 0);
  CHECK(texts(store.published({})) == before);
  auto second = first;
  second.resize(25);
  for (std::size_t i = 0; i < 5; ++i) {  // a source is called otherwise
    second[i].source.title = "A better title";
    seal(second[i]);
  }
  second[9].value *= 2;
  seal(second[9]);
  CHECK(store.take_in_seed({"matmul", "a", 11}, in_portions(second)) == 6);
  std::vector<specs::Published> expected = second;
  for (const auto* more : {&other, &conv}) expected.insert(expected.end(), more->begin(), more->end());
  expected.push_back(mine);
  std::ranges::sort(expected, {}, &specs::Published::id);
  CHECK(texts(store.published({})) == texts(expected));
  CHECK_FALSE(store.has_seed({"matmul", "a", 10}));
  store.take_in_seed({"matmul", "a", 12}, in_portions({}));  // an edition without any
  for (const auto& row : store.published(of_family("matmul"))) CHECK(row.source.tool != "evidence:a");
  for (const auto& row : store.sources()) CHECK(row.results > 0);
  CHECK(store.check().empty());
}

TEST_CASE("a store of before evidence lay by family keeps each result once") {
  const Directory directory;
  const fs::path file = directory / "stackx.db";
  const auto matmul = some_of("matmul", "a", 40), conv = some_of("conv2d", "a", 15);
  {
    Store store = Store::open(file);
    store.take_in_seed({"matmul", "a", 10}, in_portions(matmul));
    store.take_in_seed({"conv2d", "a", 10}, in_portions(conv));
  }
  {  // as that store knew it: one file of a source
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec("DELETE FROM seeds");
    database.exec("INSERT INTO seeds(name, bytes) VALUES('a', 20)");
  }
  Store store = Store::open(file);
  auto newer = matmul;
  newer.pop_back();
  CHECK(store.take_in_seed({"matmul", "a", 9}, in_portions(newer)) == 0);
  CHECK(store.published(of_family("matmul")).size() == newer.size());
  CHECK(store.published(of_family("conv2d")).size() == conv.size());
  CHECK(store.take_in_seed({"conv2d", "a", 10}, in_portions(conv)) == 0);
  CHECK(store.published({}).size() == newer.size() + conv.size());
}

TEST_CASE("a file that turns out bad in its middle leaves the store as it was") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  const auto good = some_of("matmul", "a", 10);
  bool given = false;
  CHECK_THROWS(store.take_in_seed({"matmul", "a", 1}, [&] {
    if (std::exchange(given, true)) throw bad_input("row 11 is bad");
    return good;
  }));
  CHECK(store.published({}).empty());
  CHECK_FALSE(store.has_seed({"matmul", "a", 1}));
  CHECK(store.take_in_seed({"matmul", "a", 1}, in_portions(good)) == good.size());
}

TEST_CASE("a published result whose id is not that of its content is not stored") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  auto wrong = published(1);
  wrong.value = 2;
  CHECK_THAT(error_of([&] { store.ingest(wrong); }), Contains("does not match the content"));
  CHECK(store.published({}).empty());
  const Store reader = Store::open(directory / "stackx.db", Mode::read_only);
  CHECK_THAT(error_of([&] { const_cast<Store&>(reader).ingest(published(1)); }),
             Contains("read-only"));
}

TEST_CASE("a changed row, source, workload or detail of a published result is damage") {
  const auto all = some(80);
  for (const char* change :
       {"UPDATE published SET value = value * 2 WHERE id = 5",
        "UPDATE published SET metric = 'cpu_ms'",
        "UPDATE published SET runs = 4 WHERE runs = 3", "UPDATE published SET devices = NULL",
        "UPDATE published SET source = 1 + source % 3",
        "UPDATE published SET stdev = 1 WHERE stdev = 0",
        "UPDATE published SET more = '' WHERE more <> ''",
        "UPDATE published SET more = '{' WHERE more <> ''",
        "UPDATE published SET statistic = x'ff' || statistic",
        "UPDATE published SET details = NULL", "UPDATE sources SET url = url || 'x'",
        "UPDATE hardware SET model = model || ' '", "UPDATE workloads SET pi = 'conv2d'",
        "UPDATE versions SET version = version || '1'",
        "UPDATE contexts SET document = replace(document, 'host', 'guest')"}) {
    CAPTURE(change);
    const Directory directory;
    const fs::path file = filled(directory, all);
    {
      SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
      database.exec("PRAGMA foreign_keys = OFF");
      try {
        database.exec(change);
      } catch (const SQLite::Exception&) {
        continue;  // STRICT refuses it already
      }
    }
    const Store store = Store::open(file, Mode::read_only);
    CHECK_THAT(error_of([&] { (void)store.published({}); }), Contains(file.string()));
    CHECK_FALSE(store.check().empty());
  }
}

TEST_CASE("the evidence that comes with stackx is kept whole, in about a hundred bytes a result") {
  const Directory directory;
  const fs::path file = directory / "stackx.db";
  Store store = Store::open(file);
  std::map<std::string, std::string> expected;
  for (const auto& entry : fs::recursive_directory_iterator(STACKX_SOURCE_DIR "/specs/data/evidence")) {
    if (!entry.is_regular_file()) continue;
    const auto evidence = specs::load_evidence(entry.path());
    store.take_in_seed({entry.path().parent_path().filename(), entry.path().stem(), entry.file_size()},
                       in_portions(evidence.rows));
    for (const auto& row : evidence.rows) expected[row.id] = specs::canonical(to_json(row));
  }
  std::map<std::string, std::string> found;
  for (const auto& row : store.published({})) found[row.id] = specs::canonical(to_json(row));
  CHECK(found == expected);
  SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
  const auto pages = database.execAndGet(
      "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%published%' OR name LIKE '%contexts%' OR "
      "name LIKE '%sources%'");
  CHECK(pages.getInt64() / static_cast<std::int64_t>(expected.size()) < 150);
}
