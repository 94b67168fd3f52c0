#include "specs/format/seal.hpp"

#include <fmt/format.h>

#include "specs/format/digest.hpp"

namespace stackx::specs {

std::string content_id(Json document) {
  document.erase("id");
  return sha256(canonical(document));
}

void verify_id(const Node& node, const Json& document) {
  const Node id = node.at("id");
  const std::string computed = content_id(document);
  if (id.text() == computed) return;
  id.fail(fmt::format("the document was changed: its content has the id {}, not {}", computed,
                      id.text()));
}

}  // namespace stackx::specs
