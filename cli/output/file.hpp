// -o FILE: a document goes to stdout, or whole into a file.
#pragma once

#include <string>

namespace stackx::cli {

// To stdout without `output` or with "-"; else as specs::OutputFile does. Throws Error(environment) if that cannot be
// done, and leaves nothing behind.
void write_output(const std::string& output, const std::string& text);
// The same; a directory that is not there is made.
void write_whole(const std::string& output, const std::string& text);

}  // namespace stackx::cli
