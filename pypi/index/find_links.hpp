// pip's --find-links: places that hold files of any projects.
//
//   DIRECTORY         its files, and what its .html pages link to
//   PAGE.html         the links on that page
//   FILE              that file
// each also as a file: URL; what is on the web is a page for the index to read, or a file. A link's file name says what
// it is, not the words that it stands under. A place that is not there is left out with a remark, as by pip.
#pragma once

#include <string>
#include <vector>

#include "pypi/index/listing.hpp"

namespace stackx::pypi {

struct FoundLinks {
  std::vector<std::string> pages = {};  // on the web, in order
  std::vector<File> linked = {};        // by pages on this disk
  std::vector<File> files = {};         // themselves, by URL
  std::vector<std::string> remarks = {};
};

FoundLinks find_links(const std::vector<std::string>& places);

}  // namespace stackx::pypi
