// What a scheduler is asked: to run blocks of one target, what it knows of them, to end them.
//
// Its state is a hint. What was measured is known from documents alone: a block is done when its rounds are there, whatever
// its job is said to be, and is submitted again only where the scheduler says that no job of it lives. A query that fails is
// "unknown", and unknown never submits. Jobs are found by their names, which hold the campaign's id: numbers of jobs begin
// again where a scheduler lost its state. The means are the scheduler's own programs; rejected: their REST interfaces, whose
// versions and logins differ from site to site.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "campaigns/cluster/block_list.hpp"
#include "specs/project/cluster_campaign.hpp"

namespace stackx::campaigns::cluster {

struct Submission {
  std::uint64_t number = 0;  // of the target's submissions, from 0: a name of a job is never used twice
  Blocks blocks;             // at least one
};

// A script or a manifest, as it would be submitted.
struct SubmittedText {
  std::string name;  // of a file: "job-0.sh", "job.yaml"
  std::string text;
};

enum class TaskState { waiting, running, held, ended };

struct Task {
  std::uint64_t block = 0;
  TaskState state = TaskState::waiting;
  std::string job;     // as the scheduler's programs take it: "123_4"
  std::string node;    // "" while it has none
  std::string why;     // in words: why it waits, is held, how it ended; "" where nothing is to be said
  std::string advice;  // what to do about it; ""
};

struct Queue {
  bool is_known = false;
  std::string why_unknown;           // with what to do
  std::vector<Task> tasks;           // that live
  std::vector<Task> ended;           // what is still known of those that ended: a hint
  std::vector<std::string> remarks;  // of the cluster: "node n2 is drained (bad disk): ...", a sentence each
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  virtual std::vector<SubmittedText> texts(const Submission& submission) const = 0;
  // The jobs' ids. Throws Error(environment) with what the scheduler said; what was submitted before stays.
  virtual std::vector<std::string> submit(const Submission& submission) = 0;
  virtual Queue queue() = 0;  // of this campaign and target
  // Ends every job of this campaign and target. Throws Error(environment).
  virtual void cancel() = 0;
};

// What a scheduler needs to know of a campaign. The references outlive it.
struct Asked {
  const specs::ClusterCampaign& campaign;
  const specs::FrozenTarget& target;
  std::filesystem::path root;     // the campaign's directory on the spool, as head and nodes see it
  std::filesystem::path files;    // where its files can be read now: mostly there, too
  std::filesystem::path program;  // stackx here
};

std::unique_ptr<Scheduler> make_scheduler(const Asked& asked);

// "stackx-3f2a09c1d2e4-h100-": what names of its jobs begin with.
std::string job_prefix(const Asked& asked);

}  // namespace stackx::campaigns::cluster
