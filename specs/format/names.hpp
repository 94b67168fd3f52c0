// Names and version texts become file names, command-line words and parts of `component.attribute`:
// what they may hold, checked once, on reading.
#pragma once

#include <string>
#include <string_view>

namespace stackx::specs {

class Node;

// Each gives what is wrong with the name, or "".
//   component, attribute  letters, digits, '-', '_', '+'; begins with a letter or digit; at most
//   128 version               printable ASCII without space and '/', not "." or ".."; at most 128
std::string component_name_error(std::string_view name);
std::string version_text_error(std::string_view text);

// What reaches pip, uv and apt, and their files: such a name can carry no option, URL, path or end of a line.
//   Python   PEP 508: letters, digits, '-', '_', '.'; at both ends a letter or digit
//   Debian   lower-case letters, digits, '+', '-', '.', at least two, no '-' at the end (apt removes those), perhaps
//            :ARCHITECTURE: "libstdc++6", "libc6:i386"
bool is_python_package_name(std::string_view name);
bool is_debian_package_name(std::string_view name);

// The first two as an Error at `place`.
void check_component_name(std::string_view name, const Node& place);
void check_version_text(std::string_view text, const Node& place);

}  // namespace stackx::specs
