// Members of a document that may be missing.
#pragma once

#include <string>
#include <string_view>

namespace stackx::specs {

class Node;

std::string optional_text(const Node& node, std::string_view key);  // "" where it is missing; never stated as ""

}  // namespace stackx::specs
