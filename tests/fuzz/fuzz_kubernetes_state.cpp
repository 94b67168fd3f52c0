// Input: what `kubectl get jobs.batch,pods -o json` printed. Whatever it is, the answer is a queue that can be shown, or unknown.
#include <set>

#include "campaigns/cluster/kubernetes/state.hpp"
#include "specs/format/printable.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx;
using namespace stackx::fuzz;
using campaigns::cluster::Task;
using campaigns::cluster::TaskState;

namespace {

void check_shown(const Task& task) {
  for (const auto& text : {task.job, task.node, task.why, task.advice})
    require(specs::is_printable(text), "words of a task are a line of text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  const auto queue = attempt([&] { return campaigns::cluster::queue_of(*document, "kubectl", "2026-11-26T12:00:00.000Z"); });
  if (!queue) return 0;
  require(queue->is_known && queue->why_unknown.empty(), "a queue that was read is known");
  for (const auto& task : queue->tasks) {
    check_shown(task);
    require(task.state != TaskState::ended, "what lives has not ended");
    require(task.state != TaskState::held || !task.advice.empty(), "what is held says what lets it go");
  }
  for (const auto& task : queue->ended) {
    check_shown(task);
    require(task.state == TaskState::ended, "what ended does not live");
  }
  for (const auto& remark : queue->remarks) require(specs::is_printable(remark), "a remark is a line of text");
  return 0;
}
