// Documents that are addressed by their content: `id` is the SHA-256 of the canonical JSON without
// `id`.
#pragma once

#include <string>

#include "specs/format/json.hpp"

namespace stackx::specs {

std::string content_id(Json document);

// `document` is what `node` was read as, written again: its id must be the one that `node` states.
// So one content has one id, whatever spelling ("1" or "1.0") a document came in.
void verify_id(const Node& node, const Json& document);

}  // namespace stackx::specs
