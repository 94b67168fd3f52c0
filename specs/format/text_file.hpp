// A text file as a whole, with the errors that a reader of it would have to tell.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::specs {

// Without a byte order mark. `kind` is for messages: "a requirements file". Throws bad_input for a file that is not
// there, is a directory or is larger than `most_mib`, broken_environment if reading fails.
std::string read_text_file(const std::filesystem::path& file, std::string_view kind, std::size_t most_mib = 64);

// Written beside it first and then put in its place, so that nobody ever reads half of it. False if that cannot be
// done: then the file is as it was.
[[nodiscard]] bool replace_text_file(const std::filesystem::path& file, std::string_view text);

// The *.json of a directory by name; none where there is no such directory.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& directory);

// For messages: in quotes, printable(), cut after 200 bytes.
std::string in_quotes(std::string_view text);

}  // namespace stackx::specs
