// Joining stores: every document of another store is taken into this one.
//
// Documents are addressed by their content, so merging twice changes nothing and the order of stores
// does not matter. Where two stores hold different documents for one place (a round of an arm), the
// one that is there stays; the other is refused by name and the rest goes on. Evidence that comes with
// stackx is left out: every store has its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "specs/error.hpp"
#include "store/store.hpp"

namespace stackx::store {

// `other` is only read; one of an older schema is brought forward in a copy beside `file`, which is
// where `into` lies. Throws Error(bad_input) if both are one file, or `other` is no store.
Intake merge(Store& into, const std::filesystem::path& file, const std::filesystem::path& other,
             const std::function<void(std::uint64_t documents)>& progress = {});

// Every document of a store in a fixed order, as canonical JSON: campaigns (newest first), each with
// its plan; single inspections; published results. A part that cannot be read is given to `damaged`,
// and the rest goes on.
struct Which {
  std::string campaign;  // an id or how it begins; "": all
  bool inspections = true, published = true, seeds = false;
};
void all_documents(const Store& store, const Which& which,
                   const std::function<void(const std::string& document)>& visit,
                   const std::function<void(const Error& error)>& damaged);

}  // namespace stackx::store
