// Input: the target of a request. What is read is safe text, and written and read again it is the same.
#include "serve/http/target.hpp"
#include "specs/format/json.hpp"
#include "tests/fuzz/lines.hpp"

using namespace stackx;
using namespace stackx::fuzz;

namespace {

bool is_safe(const std::string& text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
  return specs::to_utf8(text) == text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto target = serve::read_target(text);
  if (!target) {
    require(!target.error().empty() && is_safe(target.error()), "a refusal has words that can be printed");
    return 0;
  }
  for (const auto& segment : target->path) {
    require(is_safe(segment), "a segment is UTF-8 without control characters");
    require(!segment.empty() && segment != "." && segment != ".." && segment.find('/') == segment.npos, "a segment leads one step down");
  }
  for (const auto& [name, value] : target->parameters) require(is_safe(name) && is_safe(value), "a parameter is UTF-8 without control characters");
  require(target->parameters.size() <= serve::most_parameters, "parameters are bounded");
  const auto written = serve::to_text(*target);
  for (const char c : written) require(c > 0x20 && c < 0x7F, "what is written holds no byte that a target must not");
  const auto again = serve::read_target(written);
  if (written.size() <= serve::longest_target) require(again && *again == *target, "what is written is read again as it was");
  return 0;
}
