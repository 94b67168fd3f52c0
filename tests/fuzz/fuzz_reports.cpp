// Input: what others report of versions (stackx/reports/1).
#include "specs/catalog/report.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  const auto reports = attempt([&] { return parse_reports(*document); });
  if (!reports) return 0;
  for (const auto& one : *reports) {
    require(!one.package.empty() && !one.text.empty() && !one.remedy.empty() && !one.source.empty(), "a report is whole");
    require(!one.concerns({}, "8.0") && !one.concerns({}, ""), "a report is of a package");
    const std::map<std::string, std::string> packages{{one.package, "2.9.1"}};
    require(!(one.concerns(packages, "8.0") && one.concerns(packages, "")), "a report is of one kind of hardware");
    require(!one.concerns(packages, "") || !one.on_gpu, "what is of GPUs is of no processor");
    require(!one.about("2.9.1").empty(), "a report has words");
  }
  return 0;
}
