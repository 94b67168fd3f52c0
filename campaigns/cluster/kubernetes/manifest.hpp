// What is submitted to Kubernetes: one Indexed Job, an index a block, and a ConfigMap with what its pods read. Of blocks with several
// nodes an index is a node: block i has N*i to N*i + N - 1, and a headless Service gives the first a name by which the others find it.
//
// For Kubernetes since 1.29, which has backoffLimitPerIndex and podReplacementPolicy. Chosen, with what was rejected:
//   retries      backoffLimitPerIndex alone. A podFailurePolicy would leave preemptions uncounted, but forces
//                podReplacementPolicy Failed, and then the index of a lost node waits until somebody taints the node.
//   two at once  TerminatingOrFailed starts an index again while its first pod may go on unreachable. Each start writes in a
//                directory of its own, named after its UID, so that both are right.
//   whole nodes  by anti-affinity, which needs no administrator, against pods of every namespace but the system's.
//   identity     with a volume pods run as the owner of the campaign's directory, or files would be of users that the
//                head cannot read; an fsGroup would change the mode of everything on a shared volume. Without: nobody,
//                which the restricted Pod Security Standard lets in, and so it does with a volume unless root owns it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaigns/cluster/scheduler.hpp"

namespace stackx::campaigns::cluster {

inline constexpr const char* campaign_label = "stackx.dev/campaign";
inline constexpr const char* target_label = "stackx.dev/target";
inline constexpr const char* submission_label = "stackx.dev/submission";
inline constexpr const char* blocks_annotation = "stackx.dev/blocks";  // index i runs the i-th: "0-3,7"
inline constexpr const char* nodes_annotation = "stackx.dev/nodes";    // of a block: "2"; absent: 1
inline constexpr const char* index_annotation = "batch.kubernetes.io/job-completion-index";

inline constexpr std::uint64_t most_blocks_of_a_job = 100'000;  // beyond, Kubernetes wants a limit of failed indexes

struct Owner {
  uid_t uid = 65534;  // nobody
  gid_t gid = 65534;
};

struct Manifest {
  nlohmann::json config_map;  // null: pods read from the volume
  nlohmann::json service;     // null: blocks have one node each
  nlohmann::json job;         // with the overlay
  nlohmann::json plain_job;   // without: what comments are true of
};

// Throws Error(bad_input) where settings make no manifest, Error(environment) where the campaign's files are not there.
Manifest manifest_of(const Asked& asked, const Submission& submission, const Owner& owner);
// YAML, commented, in the order in which to create them: the Job last, so that none waits for a ConfigMap that was refused.
std::vector<SubmittedText> texts_of(const Manifest& manifest, std::uint64_t submission);

std::string job_name(const Asked& asked, std::uint64_t submission);
std::string label_selector(const Asked& asked);  // what all of a campaign's target have
const specs::KubernetesTarget& kubernetes_of(const Asked& asked);

}  // namespace stackx::campaigns::cluster
