#include "specs/stack.hpp"

#include "specs/digest.hpp"
#include "specs/json.hpp"

namespace stackx::specs {

std::string Stack::id() const { return sha256(canonical(Json(components))); }

std::string Stack::short_id() const { return id().substr(0, 12); }

}  // namespace stackx::specs
