// A project's page on an index: its files, as HTML (PEP 503) or JSON (PEP 691, sizes and times after PEP 700).
//
// HTML goes through libxml2's forgiving parser, as real pages are; the attributes that PEP 592 (yanked),
// PEP 658/714 (core metadata) define and `data-upload-time`, which some mirrors add, are read where they
// stand. URLs come out absolute, without the hash that follows '#'. An entry that lies (its link is none, its hash is
// none) says so and spoils no other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stackx::pypi {

struct File {
  std::string name, url;        // url "": see fault
  std::string fault = {};       // why nothing can be made of it; "" for sound ones
  std::string sha256;           // lower case; "" if the index names none
  std::uint64_t size = 0;       // 0: unknown
  std::string uploaded;         // RFC 3339; "" if the index does not say, or something else
  std::string requires_python;  // "" for any
  bool yanked = false;
  bool has_metadata = false;    // URL + ".metadata" is there (PEP 658)
  std::string metadata_sha256;  // "" if not stated
};

struct Listing {
  std::vector<File> files;  // in the page's order
  // Of several places (index.hpp): files of the same names from others, which count where their hash is asked for.
  std::vector<File> others = {};
};

// What PEP 691 has clients send, JSON first.
extern const char* const kListingTypes;

// `url` is where the page was read, `content_type` what it was said to be. Throws Error(environment) for a
// page that is neither.
Listing parse_listing(const std::string& body, const std::string& content_type,
                      const std::string& url);

// The same of a page of links to files of any projects, whose names are those in the URLs; one on this disk may link to
// files beside it.
Listing parse_links(const std::string& body, const std::string& content_type, const std::string& url);

}  // namespace stackx::pypi
