#include "workspace/doctor/side_by_side.hpp"

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "workspace/doctor/outside.hpp"

namespace stackx::workspace {
namespace {

// What the threads write to, which outlives whoever waited for them.
struct Board {
  std::mutex mutex;
  std::condition_variable written;
  std::vector<std::optional<Findings>> findings;
  std::size_t missing = 0;
};

Findings all_unknown(const Probe& probe, const std::string& why) {
  Findings findings;
  for (const auto& what : probe.of) findings.push_back({what, Status::unknown, why, "", ""});
  return findings;
}

Findings look(const Probe& probe) {
  try {
    return probe.look();
  } catch (const std::exception& error) {
    return all_unknown(probe, brief_words(error.what(), 300));
  }
}

void begin(const std::shared_ptr<Board>& board, std::size_t at, const Probe& probe) {
  std::thread([board, at, probe] {
    auto findings = look(probe);
    const std::lock_guard lock(board->mutex);
    board->findings[at] = std::move(findings);
    --board->missing;
    board->written.notify_one();
  }).detach();
}

}  // namespace

Findings side_by_side(const std::vector<Probe>& probes, std::chrono::milliseconds patience) {
  const auto board = std::make_shared<Board>();
  board->findings.resize(probes.size());
  board->missing = probes.size();
  for (std::size_t i = 0; i < probes.size(); ++i) begin(board, i, probes[i]);
  std::unique_lock lock(board->mutex);
  board->written.wait_for(lock, patience, [&] { return board->missing == 0; });
  Findings all;
  for (std::size_t i = 0; i < probes.size(); ++i)
    for (auto& finding : board->findings[i].value_or(all_unknown(probes[i], "no answer within " + seconds(patience))))
      all.push_back(std::move(finding));
  return all;
}

}  // namespace stackx::workspace
