// A version under one of four schemes, with the order that the scheme defines.
//
//   pep440  PEP 440 as PyPI's `packaging` orders it: epochs, pre/post/dev releases, local versions
//   semver  Semantic Versioning 2.0.0 (build metadata does not take part in the order)
//   debian  deb-version(7): [epoch:]upstream[-revision], `~` sorts before everything
//   opaque  any text; only equality. The order in which a catalog lists the versions is their order
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stackx::specs {

enum class Versioning { pep440, semver, debian, opaque };

// Why a text is no version or specifier; `column` counts bytes from 1.
struct ParseError {
  std::string reason;
  std::size_t column = 1;
};

class Version {
 public:
  // Surrounding white space is ignored; anything else that the scheme does not know is an error.
  static std::expected<Version, ParseError> parse(std::string_view text, Versioning scheme);

  Versioning scheme() const;
  const std::string& text() const;  // as written
  std::string normal() const;       // the scheme's normal form: pep440 "1.0RC1" -> "1.0rc1"; else the text

  bool is_prerelease() const;  // pep440: pre or dev release; semver: has a pre-release part; else false

  // Both sides have one scheme (else std::invalid_argument). Opaque versions that differ are unordered.
  friend std::partial_ordering operator<=>(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b);

  // Private representation, implemented in version.cpp; adjust freely, keep what stands above.
};

const char* to_string(Versioning scheme);
std::expected<Versioning, std::string> versioning_from(std::string_view name);

}  // namespace stackx::specs
