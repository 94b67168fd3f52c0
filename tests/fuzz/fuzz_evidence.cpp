// Input: a file of evidence. Every row that is accepted is a published result by itself.
#include "specs/result/evidence.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  const auto evidence = attempt([&] { return parse_evidence(*document); });
  if (!evidence) return 0;
  for (const Published& row : evidence->rows) {
    const Node node = Node::parse_text(canonical(to_json(row)), "row.json");
    require(published_from(node).id == row.id, "a row is a published result");
    require(!row.source.url.empty() && row.source.tool == "evidence:fuzz", "a row has its source");
  }
  return 0;
}
