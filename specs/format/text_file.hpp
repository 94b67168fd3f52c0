// A text file as a whole, with the errors that a reader of it would have to tell.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stackx::specs {

// Without a byte order mark. `kind` is for messages: "a requirements file". Throws bad_input for a
// file that is not there, is a directory or is larger than 64 MiB, broken_environment if reading
// fails.
std::string read_text_file(const std::filesystem::path& file, std::string_view kind);

// For messages: in quotes, UTF-8, without control characters, cut after 200 bytes.
std::string in_quotes(std::string_view text);

}  // namespace stackx::specs
