// Linked into stackx-pi for tests of clusters: waits before it measures. Campaigns that something has to meet while they run
// last for seconds so, and leave the processor to the tests beside them.
#include <chrono>
#include <thread>

namespace {

[[maybe_unused]] const bool waited = [] {
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  return true;
}();

}  // namespace
