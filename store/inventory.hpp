// What a store file holds and how large it is, told without reading its inspections; and making it as
// small as it can be.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace stackx::store {

struct Inventory {
  int schema = 0;
  std::uint64_t file_bytes = 0,
                log_bytes = 0;    // the store, and what was not yet written back into it
  std::uint64_t free_bytes = 0;   // inside of the file, of use to later documents
  std::string file_system;        // "" if unknown
  bool between_machines = false;  // several machines can have it mounted
  // "inspections", "failed", "campaigns", "plans", "stacks", "workloads", "hosts", "devices", "series", "sources",
  // "published", in this order.
  std::vector<std::pair<std::string, std::uint64_t>> counts;

  std::uint64_t count(const std::string& what) const;
};

// Opens read-only; throws Error as Store::open does.
Inventory inventory(const std::filesystem::path& file);

// Writes the file anew without its holes, in one transaction: killed, it is as it was. Needs room for a
// second one beside it.
void compact(const std::filesystem::path& file);

}  // namespace stackx::store
