// Which of several changes makes a newcomer slower: asked of `blame`, where --blame says so; else the command that asks.
//
// Packages of an index are blamed as two files of exact requirements, in stackx's cache; other stacks by their ids, with the
// project. Where one component alone differs nothing is asked: it is the one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "watch/asked.hpp"

namespace stackx::watch {

struct Blamed {
  std::vector<std::string> lines;
  std::string document;  // stackx/blame/1; "" where nothing was asked
};

Blamed blame_between(const WatchOptions& options, const Subject& subject, const specs::Stack& advised, const specs::Stack& slower,
                     const specs::Catalog& catalog, const workspace::Context& context, const std::function<void(const std::string&)>& say);

}  // namespace stackx::watch
