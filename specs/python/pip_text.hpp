// The text of a file as pip reads its requirements files: a byte order mark says which Unicode it is, else a line such
// as "# -*- coding: latin-1 -*-" among the first two (PEP 263), else it is UTF-8.
//
//   UTF-8, UTF-16, UTF-32      by their marks: PowerShell's `pip freeze > requirements.txt` is UTF-16
//   utf-8, ascii, latin-1, cp1252 and their other names    by such a line; another encoding is an error
// What pip_text() gives holds no control characters but white space and ESC: a file with others is no text. Bytes that are not UTF-8 stay as they are, since a
// comment may hold them; where they matter the reader of the line complains.
// Rejected: iconv(3), which opens whatever encoding a file names, from modules that not every system has.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stackx::specs {

// Throws Error(bad_input) naming `name`.
std::string pip_text(std::string bytes, std::string_view name);

// As read_text_file(), for any of these encodings.
std::string read_pip_text(const std::filesystem::path& file, std::string_view kind);

}  // namespace stackx::specs
