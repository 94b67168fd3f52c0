// Whether a store has grown: a counter that any commit of any process moves, read in microseconds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

namespace stackx::store {

class Changes {
 public:
  explicit Changes(const std::filesystem::path& file);  // throws as Store::open does
  ~Changes();
  Changes(Changes&&) noexcept;
  // Larger than before if something was committed in between. From any thread; throws Error as Store does.
  std::uint64_t count();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stackx::store
