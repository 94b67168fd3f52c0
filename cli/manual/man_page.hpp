// Man pages, as roff: stackx(1), and one for each command below it, which has sections for those below that one.
//
// `hw`, `hw list`, `hw show` and `hw noise` stand in stackx-hw(1): most nested commands take two or three options, and
// whoever looks for one wants to see its neighbours; pages of their own would be half a screen each, twice as many.
#pragma once

#include <string>
#include <vector>

#include "cli/manual/command_tree.hpp"

namespace stackx::cli::manual {

struct Edition {
  std::string version;  // "0.2.0"
  std::string date;     // of the facts, never that of the build: "2026-11-22"; "": not known
};

struct Page {
  std::string name;  // "stackx-hw": of stackx-hw.1
  std::string text;
};

Page man_page(const Command& root, const Command& command, const Edition& edition);
std::vector<Page> man_pages(const Command& root, const Edition& edition);

}  // namespace stackx::cli::manual
