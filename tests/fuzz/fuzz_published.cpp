// Input: a published result. Its id is made right first, or hardly any change would get past it.
#include "specs/format/seal.hpp"
#include "specs/result/metric.hpp"
#include "specs/result/published.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  attempt([&] { return published_from(*document); });
  if (!document->json().is_object()) return 0;
  Json json = document->json();
  json["id"] = content_id(json);
  const auto node = Node::parse_text(canonical(json), "sealed.json");
  const auto published = attempt([&] { return published_from(node); });
  if (!published) return 0;
  Published again = *published;
  seal(again);
  require(again.id == published->id, "the id is that of the content");
  require(!published->source.url.empty(), "a number without a place is refused");
  const Metric* metric = find_metric(published->metric);
  require(metric && value_error(*metric, published->value).empty(), "the value suits the metric");
  if (const auto rate = rate_of(*metric, published->value, published->workload))
    require(rate->value >= 0, "a rate is not negative");
  const auto text = canonical(to_json(*published));
  require(canonical(to_json(published_from(Node::parse_text(text, "again.json")))) == text,
          "a published result is the same after writing and reading");
  return 0;
}
