// SHA-256 as 64 lower-case hex digits (OpenSSL).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stackx::specs {

std::string sha256(std::string_view bytes);
bool is_sha256(std::string_view text);  // of that form
std::string sha256_file(
    const std::filesystem::path& file);  // throws Error(environment) if unreadable

}  // namespace stackx::specs
