#include "specs/result/published.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/seal.hpp"
#include "specs/random.hpp"
#include "specs/result/metric.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

Published sample() {
  Published published;
  published.source = {"https://example.org/table.csv", "A table", "0123abc", "2019-07-10",
                      "2026-11-20", "MIT", "evidence"};
  published.hardware = "Tesla V100-SXM2-16GB";
  published.devices = 8;
  published.workload = {"train_resnet50", {{"batch", "256"}}};
  published.stack = {{{"cuda", "10.0"}, {"framework", "TensorFlow v1.14 (NGC)"}}};
  published.metric = "images_per_s";
  published.value = 325;
  published.statistic = "mean";
  published.runs = 2;
  published.min = 320.5;
  published.max = 329.5;
  published.stdev = 4.5;
  published.values = {320.5, 329.5};
  published.details = {{"submitter", "somebody"}};
  seal(published);
  return published;
}

Published bare() {
  Published published;
  published.source.url = "https://doi.org/10.1000/182";
  published.source.read = "2026-11-20";
  published.workload.pi = "import";
  published.metric = "elapsed_ms";
  published.value = 0.25;
  seal(published);
  return published;
}

Published read(const Json& json) {
  return published_from(Node::parse_text(canonical(json), "p.json"));
}

}  // namespace

TEST_CASE("a published result is the same after writing and reading") {
  for (const Published& published : {sample(), bare()}) {
    const Published again = read(to_json(published));
    CHECK(to_json(again) == to_json(published));
    CHECK(again.id == published.id);
    Json json = to_json(published);
    json.erase("id");
    CHECK(sha256(json.dump()) == published.id);
  }
  const Json small = to_json(bare());  // what is not stated is not written
  for (const char* key : {"hardware", "devices", "stack", "statistic", "runs", "min", "max",
                          "stdev", "values", "details"})
    CHECK_FALSE(small.contains(key));
}

TEST_CASE("every change of a published result is refused") {
  const Json good = to_json(sample());
  const Json flat = good.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    Json changed = good;
    Json& place = changed[Json::json_pointer(pointer)];
    if (place.is_string())
      place = place.get<std::string>() + "x";
    else
      place = place.get<double>() + 1;
    CAPTURE(pointer);
    CHECK(message_of([&] { read(changed); }) != "(no error)");
  }
}

TEST_CASE("values of a published result survive exactly") {
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    Published published = bare();
    published.value = std::ldexp(1.0 + double(random.next() >> 12) / (1ull << 52),
                                 int(random.next() % 110) - 29);  // 2e-9 to 2e24 ms
    seal(published);
    const Published again = read(to_json(published));
    REQUIRE(again.value == published.value);
    REQUIRE(again.id == published.id);
  }
}

TEST_CASE("the id is that of the document, whatever texts and numbers it holds") {
  Random random(21);
  const std::vector<std::string> texts{"", "plain", "with \"quotes\" and \\", "größer ¡olé! 漢字",
                                       "a/b\x7f", "\t", "x"};
  const auto text = [&] { return texts[random.below(texts.size())]; };
  const auto number = [&] {
    return std::ldexp(double(random.next() >> 11), int(random.below(1900)) - 1000);
  };
  for (int i = 0; i < 3000; ++i) {
    Published p = bare();
    p.source = {text(), text(), text(), text(), text(), text(), text()};
    p.hardware = text();
    p.metric = text();
    p.statistic = text();
    p.workload.pi = text();
    p.value = number();
    if (random.below(2)) p.devices = random.next();
    if (random.below(2)) p.runs = random.below(9);
    if (random.below(2)) p.min = number();
    if (random.below(2)) p.max = -number();
    if (random.below(2)) p.stdev = random.below(2) ? 0.0 : -0.0;
    for (auto n = random.below(3); n > 0; --n) {
      p.values.push_back(number());
      p.workload.params[text()] = text();
      p.stack.components[text()] = text();
      p.details[text()] = text();
    }
    seal(p);
    REQUIRE(p.id == content_id(to_json(p)));
  }
  Published p = bare();
  p.hardware = "\xff";
  CHECK_THAT(message_of([&] { seal(p); }), Contains("UTF-8"));
}

TEST_CASE("numbers that are none cannot be written") {
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Published published = bare();
    published.value = value;
    CHECK_THAT(message_of([&] { seal(published); }), Contains("/value"));
  }
}

TEST_CASE("a whole number has one id, however it is written") {
  const std::string text = canonical(to_json(sample()));
  const auto at = text.find("\"value\":325.0");
  REQUIRE(at != text.npos);
  std::string shorter = text;
  shorter.replace(at, 13, "\"value\":325");
  CHECK(published_from(Node::parse_text(shorter, "p.json")).id == sample().id);
}

TEST_CASE("texts of a published result are of one line and of sane length") {
  for (const std::string& hardware : {std::string(5000, 'x'), std::string("a\tb")}) {
    Published published = sample();
    published.hardware = hardware;
    seal(published);
    CHECK_THAT(message_of([&] { read(to_json(published)); }), Contains("p.json: /hardware: "));
  }
}

TEST_CASE("a source is a page of the web, and nobody's password is in it") {
  const auto refusal = [](const std::string& url) {
    Published published = sample();
    published.source.url = url;
    seal(published);
    return message_of([&] { read(to_json(published)); });
  };
  for (const char* good :
       {"https://example.org", "http://example.org:8080/a?b=c@d#e", "https://[::1]/", "https://x/\"><script>",
        "stackx://bench/measured/h200/once.jsonl"})
    CHECK(refusal(good) == "(no error)");
  for (const char* bad :
       {"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "doi:10.1000/182", "//example.org", "https://",
        "https:///a", "https://me:secret@example.org/", "https://token@example.org", "https://a b", "stackx://", "stackx:///etc/passwd",
        "stackx://../a", "stackx://a?b", "stackx:bench"})
    CHECK_THAT(refusal(bad), Contains("p.json: /source/url: expected a URL") && !Contains("secret"));
}

TEST_CASE("the schema knows the metrics of the table") {
  const Json schema =
      Node::parse_file(STACKX_SOURCE_DIR "/specs/schemas/published.json").json();
  CHECK(schema["$defs"]["metric"]["enum"] == Json(metric_names()));
}
