// Input: an advice document, as `advise --json` prints it and `verify` reads it.
#include "analysis/ranking/advice.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  const auto advice = attempt([&] { return analysis::read_advice(*document); });
  if (!advice) return 0;
  require(!advice->stacks.empty(), "advice advises something");
  for (const auto& stack : advice->stacks)
    require(!stack.stack.components.empty(), "a stack has components");
  const auto baseline = attempt([&] { return analysis::baseline(*advice, ""); });
  require(baseline.has_value() == (advice->stacks.size() > 1), "two stacks have a baseline");
  if (baseline) analysis::judge(*baseline, {});
  return 0;
}
