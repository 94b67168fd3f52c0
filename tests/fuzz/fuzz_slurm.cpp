// Input: what squeue, sacct or sinfo printed. A queue is read or refused as a whole, and what is said of it fits on a screen.
#include <cstdint>
#include <string>

#include "campaigns/cluster/slurm/nodes.hpp"
#include "campaigns/cluster/slurm/queue.hpp"
#include "specs/error.hpp"
#include "specs/format/printable.hpp"
#include "tests/fuzz/lines.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using stackx::fuzz::require;

namespace {

const std::string prefix = "stackx-3f2a09c1d2e4-h100-";

void check_task(const Task& task, bool is_live) {
  require(is_live == (task.state != TaskState::ended), "a task lives or ended");
  require(task.state != TaskState::held || !task.advice.empty(), "who is held is told what to do");
  require(task.block < 2 * specs::most_blocks, "a block is one that may be there");
  require(task.job.find('_') != std::string::npos, "a task has a number");
  require(specs::is_printable(task.why), "words can be shown");
}

void check_queue(const std::string& text) {
  try {
    const auto jobs = jobs_in_squeue(text, prefix);
    for (const auto& task : jobs.live) check_task(task, true);
    for (const auto& task : jobs.ended) check_task(task, false);
  } catch (const Error& error) {
    require(error.code() == ErrorCode::environment, "a queue that cannot be read is no mistake of the user's");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_queue(text);
  for (const auto& task : ended_in_sacct(text, prefix)) check_task(task, false);
  specs::SlurmTarget target;
  for (const auto& remark : node_remarks(text, target, {})) require(specs::is_printable(remark), "remarks can be shown");
  target.constraint = "h100&ib";
  target.gres = "gpu:h100:1";
  require(node_remarks(text, target, {}).size() <= node_remarks(text, {}, {}).size(), "who asks for more could use fewer nodes");
  return 0;
}
