#include "specs/format/brief.hpp"

#include <fmt/format.h>

#include "specs/format/json.hpp"

namespace stackx::specs {

std::string brief(std::string_view message) {
  constexpr std::size_t begin = 1200, end = 600;
  if (message.size() <= longest_message) return std::string(message);
  return to_utf8(fmt::format("{} [... {} bytes ...] {}", message.substr(0, begin),
                             message.size() - begin - end, message.substr(message.size() - end)));
}

}  // namespace stackx::specs
