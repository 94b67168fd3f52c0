// JSON as YAML that people read: a line a value, comments where they would ask why.
//
// Keys stand as they come, sorted. Texts are double-quoted, so that no reader takes "no" for false or 1.10 for a number; one
// that ends its last line stands in lines of its own (a document in a ConfigMap), if YAML lets it. Rejected: yaml-cpp's
// emitter, which knows no comments at a place and quotes as it likes.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stackx::specs {

std::string yaml_text(const std::string& text);  // double-quoted, ASCII

// `comments`: a JSON pointer -> lines that stand above the value. Pointers to nothing are left out.
std::string yaml_of(const nlohmann::json& document, const std::map<std::string, std::string>& comments = {});

}  // namespace stackx::specs
