#include "store/changes.hpp"

#include <mutex>

#include "store/connection.hpp"

namespace stackx::store {

struct Changes::State {
  explicit State(const std::filesystem::path& file) : connection(file, Mode::read_only, steps()) {}
  std::mutex mutex;
  Connection connection;
  std::int64_t version = -1;
  std::uint64_t count = 0;
};

Changes::Changes(const std::filesystem::path& file) : state_(std::make_unique<State>(file)) {}
Changes::~Changes() = default;
Changes::Changes(Changes&&) noexcept = default;

std::uint64_t Changes::count() {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  return state.connection.run([&] {
    Cursor cursor = state.connection.prepare("PRAGMA data_version");
    cursor.next();
    if (const auto now = cursor.integer(0); now != state.version) {
      state.version = now;
      ++state.count;
    }
    return state.count;
  });
}

}  // namespace stackx::store
