// The target of a request, "/v1/advise?hw=v100&workload=matmul": where it goes and what it gives along.
//
// Strict, because everything behind it believes it: percent escapes are whole, all of it is UTF-8 without characters that
// cannot be shown (specs/format/printable.hpp), no segment is empty, "." or "..", one "+" is a space (as forms write it),
// bounded in bytes and parameters.
// A trailing slash is none. Rejected: Boost.URL (not in Debian 12), libcurl's (reads URLs, no forms).
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stackx::serve {

// `check` sends what a lock file holds, a requirement each.
inline constexpr std::size_t longest_target = 32 << 10, most_parameters = 1000;

struct Target {
  std::vector<std::string> path;  // {"v1", "advise"}; empty: "/"
  std::vector<std::pair<std::string, std::string>> parameters;  // in their order; names may come again

  // The value of a parameter that comes once; none: it does not come. Of several the first.
  std::optional<std::string> parameter(std::string_view name) const;
  bool is(std::initializer_list<std::string_view> segments) const;
  std::string path_text() const;  // "/v1/advise"
  bool operator==(const Target&) const = default;
};

// Or why not.
std::expected<Target, std::string> read_target(std::string_view text);
// As it would be written; read again it is the same.
std::string to_text(const Target& target);
// One value within it: "a b&c" -> "a%20b%26c".
std::string percent_encoded(std::string_view text);

}  // namespace stackx::serve
