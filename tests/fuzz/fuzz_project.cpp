// Input: a project, read against a small fixed catalog.
#include "specs/project/project.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

namespace {

Catalog small_catalog() {
  return parse_catalog(Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {
    "openblas": {"kind": "package", "versions": {"0.3.28": {"provides": {"blas": "3"}}, "0.3.29": {}}},
    "core": {"kind": "setting", "versioning": "opaque", "versions": {"auto": {}}},
    "gpu": {"kind": "hardware", "versioning": "opaque", "versions": {"h200": {"attributes": {"memory_gib": 141}}}}}})",
                                        "catalog.json"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Catalog catalog = small_catalog();
  const auto document = parse(data, size);
  if (!document) return 0;
  const auto project = attempt([&] { return parse_project(*document, catalog); });
  if (!project) return 0;
  require(!project->requires_.empty() && !project->catalogs.empty(),
          "a project has requirements and catalogs");
  for (const auto& workload : project->workloads)
    require(parse_workload(workload.text()) == workload, "a workload is what its text says");
  const Json campaign = to_json(project->campaign);
  const Json again = to_json(campaign_from(Node::parse_text(canonical(campaign), "campaign")));
  require(again == campaign, "a campaign is the same after writing and reading");
  return 0;
}
