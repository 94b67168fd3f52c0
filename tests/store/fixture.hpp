// What the store's tests share: a directory that goes away, made-up documents, and a dump of a
// database's tables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "specs/project/plan.hpp"
#include "specs/random.hpp"
#include "specs/result/inspection.hpp"
#include "store/store.hpp"

namespace stackx::test {

class Directory {
 public:
  Directory();
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

specs::Host host(const std::string& microarchitecture = "sapphire-rapids", int cores = 8);
// A sealed document whose every member is set; `number` makes it its own, and decides stack, round
// and position.
specs::Inspection inspection(std::uint64_t number,
                             const std::string& campaign = std::string(64, 'c'));
specs::Plan plan(std::uint64_t rounds, std::size_t arms);

// The ids of a campaign's inspections, in the order they ran.
std::vector<std::string> ids(const store::Store& store, const std::string& campaign);

// All rows of all tables as text, in a fixed order.
std::vector<std::string> dump(const std::filesystem::path& database);
std::string read(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& bytes);
// The message of the Error that `work` throws; fails the test if it throws none.
template <typename Work>
std::string error_of(Work work);

}  // namespace stackx::test

#include "specs/error.hpp"
template <typename Work>
std::string stackx::test::error_of(Work work) {
  try {
    work();
  } catch (const stackx::Error& error) {
    return error.what();
  }
  throw std::logic_error("expected an Error, nothing was thrown");
}
