// Where a campaign runs on a cluster: a project's "cluster", or a file of its own (format stackx/cluster-settings/1).
//
//   {"targets": [{"hardware": "v100", "slurm": {"partition", "account", "qos", "constraint", "gres", "nodelist", "exclude",
//                                               "reservation", "time", "preamble", "directives": ["--mem=0"], "program"}},
//                {"hardware": {"gpu": "h100-sxm"}, "name": "h100", "nodes": 2,
//                 "kubernetes": {"namespace", "context", "nodeSelector", "tolerations", "image", "volume", "send",
//                                "tokenSecret": {"name", "key"}, "systemNamespaces", "resource", "gpus", "cpus", "memory_gib",
//                                "overlay": {...}}}],
//    "blocks": 8, "rounds_per_block": 4, "spool": "/shared/stackx", "parallel": 16, "attempts": 5, "after": "notify.sh"}
//
// Words of a scheduler are the scheduler's own, so that its manual explains them; what it has and stackx does not name goes
// through `directives` and `overlay`. A target is what stacks are compared on: one kind of hardware, one scheduler. Rejected:
// one vocabulary over both schedulers, which fits neither.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

namespace stackx::specs {

class Node;

struct SlurmTarget {  // sbatch's options; empty: not asked for
  std::string partition, account, qos, constraint, gres, nodelist, exclude, reservation, time;
  std::string preamble;                 // lines of shell before the block: module load, a warm-up
  std::vector<std::string> directives;  // "--mem=0": further lines of #SBATCH
  std::string program;                  // stackx on the nodes; "": where it is on the submitting machine
};

struct KubernetesTarget {
  std::string name_space = "default", context;  // of kubectl; "": its current one
  std::map<std::string, std::string> node_selector;
  nlohmann::json tolerations = nlohmann::json::array();  // as pods have them
  std::string image;
  // As pods have it ({"persistentVolumeClaim": {"claimName": "stackx"}}), mounted at the spool's path; null: none, then
  // documents are sent to `send`.
  nlohmann::json volume;
  std::string send;                                        // http(s)://...
  std::string token_secret, token_key;                     // of a Secret in the namespace, for `send`: $STACKX_TOKEN; "": none
  std::vector<std::string> system_namespaces = {"kube-system"};  // whose pods may share the node
  std::string resource = "nvidia.com/gpu";
  std::uint64_t gpus = 0, cpus = 0;  // per pod; 0 CPUs: as many as the workload has threads, at least 1
  double memory_gib = 0;             // 0: that of one inspection and 1
  nlohmann::json overlay;            // merged over the Job (RFC 7386); null: nothing
};

struct ClusterTarget {
  std::string name;                              // unique; [a-z0-9-], at most 20
  std::map<std::string, std::string> hardware;   // component -> version, over the project's own
  std::string model;                             // as written: a name that the catalogs bind to a component; "": see hardware
  std::uint64_t nodes = 1;                       // that one inspection is spread over, a worker each
  std::variant<SlurmTarget, KubernetesTarget> on;
  bool is_slurm() const { return std::holds_alternative<SlurmTarget>(on); }
};

struct ClusterSettings {
  std::vector<ClusterTarget> targets;
  std::uint64_t blocks = 8;            // of a wave, for each target; `fixed` has one wave
  std::uint64_t rounds_per_block = 4;
  std::string spool;                   // absolute: a directory that head and nodes see under one name
  std::uint64_t parallel = 16;         // blocks at once, for each target
  std::uint64_t attempts = 5;          // submissions of a block that brought no round, before it is given up
  std::string after;                   // a command that `collect` runs once all is there; "": none
};

inline constexpr std::uint64_t most_blocks = 1'000'000;
inline constexpr std::uint64_t most_nodes = 4096;  // of a block

nlohmann::json to_json(const ClusterSettings& settings);
ClusterSettings cluster_settings_from(const Node& node);  // the object; throws Error(bad_input) naming the place

}  // namespace stackx::specs
