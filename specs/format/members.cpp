#include "specs/format/members.hpp"

#include "specs/format/json.hpp"

namespace stackx::specs {

std::string optional_text(const Node& node, std::string_view key) {
  const auto found = node.find(key);
  return found ? found->nonempty() : "";
}

}  // namespace stackx::specs
