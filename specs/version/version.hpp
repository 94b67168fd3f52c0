// A version under one of four schemes, with the order that the scheme defines.
//
//   pep440  PEP 440 as PyPI's `packaging` orders it: epochs, pre/post/dev releases, local versions
//   semver  Semantic Versioning 2.0.0 (build metadata does not take part in the order)
//   debian  deb-version(7): [epoch:]upstream[-revision], `~` sorts before everything
//   opaque  any text; only equality. The order in which a catalog lists the versions is their order
//
// Equality is that of the order, not of the text: 1.0 == 1.0.0 (pep440), 1.0.0+a == 1.0.0+b
// (semver), 1.0 == 0:1.0-0 (debian). Numbers may have any size.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
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
  Version();  // the empty opaque version, which no text parses to

  // Surrounding white space is ignored; anything else that the scheme does not know is an error.
  static std::expected<Version, ParseError> parse(std::string_view text, Versioning scheme);

  Versioning scheme() const;
  const std::string& text() const;  // as written, without the surrounding white space
  std::string normal()
      const;  // the scheme's normal form: pep440 "1.0RC1" -> "1.0rc1"; else the text

  bool is_prerelease()
      const;  // pep440: pre or dev release; semver: has a pre-release part; else false

  // Within one scheme, keys order bytewise as their versions do; what comparisons and hashes are
  // made of.
  std::string_view key() const;

  // Both sides have one scheme (else std::invalid_argument). Opaque versions that differ are
  // unordered.
  friend std::partial_ordering operator<=>(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b);

 private:
  struct Data;  // immutable and shared: a copy is a pointer
  explicit Version(std::shared_ptr<const Data> data);
  std::shared_ptr<const Data> data_;
};

const char* to_string(Versioning scheme);
std::expected<Versioning, std::string> versioning_from(std::string_view name);

}  // namespace stackx::specs

template <>
struct std::hash<stackx::specs::Version> {
  std::size_t operator()(const stackx::specs::Version& version) const noexcept {
    return std::hash<std::string_view>()(version.key());
  }
};
