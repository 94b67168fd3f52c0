// Input: an inspection. Its id is made right first, or hardly any change would get past it.
#include "specs/format/seal.hpp"
#include "specs/result/inspection.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  attempt([&] { return inspection_from(*document); });
  if (!document->json().is_object()) return 0;
  Json json = document->json();
  json["id"] = content_id(json);
  const auto node = Node::parse_text(canonical(json), "sealed.json");
  const auto inspection = attempt([&] { return inspection_from(node); });
  if (!inspection) return 0;
  require(to_json(*inspection) == json, "an inspection is the same after reading and writing");
  Inspection again = *inspection;
  seal(again);
  require(again.id == inspection->id, "the id is that of the content");
  return 0;
}
