#include "specs/catalog/stack.hpp"

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"

namespace stackx::specs {

std::string Stack::id() const { return sha256(canonical(Json(components))); }

std::string Stack::short_id() const { return id().substr(0, 12); }

}  // namespace stackx::specs
