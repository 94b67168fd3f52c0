// Input: a workload as the command line writes it, or as a project does (JSON).
#include "specs/project/workload.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

namespace {

void check_workload(const Workload& workload) {
  require(parse_workload(workload.text()) == workload, "a workload is what its text says");
  const auto node = Node::parse_text(canonical(to_json(workload)), "workload");
  require(workload_from(node) == workload, "a workload is the same after writing and reading");
  require(workload.matches(workload), "a workload matches itself");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Workload workload = parse_workload(text);
    if (to_utf8(text) == text)
      check_workload(workload);  // a command line may hold any bytes, a document may not
  } catch (const stackx::Error& error) {
    require(error.code() == stackx::ErrorCode::bad_input, "a bad workload is bad input");
  }
  const auto document = parse(data, size);
  if (!document) return 0;
  const auto workloads = attempt([&] { return expand_workloads(*document); });
  if (!workloads) return 0;
  require(!workloads->empty(), "a workload expands to one at least");
  for (std::size_t i = 0; i < workloads->size(); i += 97) check_workload((*workloads)[i]);
  return 0;
}
