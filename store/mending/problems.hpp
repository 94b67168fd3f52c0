// What is wrong with a store's content, for people: one line a problem, without what to do, which is one thing for all.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace stackx::store {

// Empty: it is sound. A store of which not even the head makes sense is one problem; a file that is missing, foreign,
// locked or may not be read is none of the store's: throws as Store::open does.
std::vector<std::string> problems_of(const std::filesystem::path& file, Thoroughness thoroughness,
                                     const CheckProgress& progress = {});

}  // namespace stackx::store
