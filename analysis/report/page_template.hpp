// A small part of Mustache: {{name}} is replaced, {{#name}}...{{/name}} is kept where the value is not
// empty, {{^name}}...{{/name}} where it is. Values are put in as they are and never read again:
// whoever fills in escapes. A name that is not among the values, or a section that does not end, is
// std::invalid_argument: the template is part of the program.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace stackx::analysis {

std::string fill(std::string_view page, const std::map<std::string, std::string>& values);

}  // namespace stackx::analysis
