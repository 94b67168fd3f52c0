#include "campaigns/cluster/kubernetes/pod.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "campaigns/cluster/kubernetes/manifest.hpp"
#include "inspector/process/process.hpp"
#include "specs/error.hpp"
#include "specs/format/printable.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::campaigns::cluster {
namespace {

using Json = nlohmann::json;

const Json no_json;

struct PodReason {
  std::string_view reason;
  TaskState state;  // held: it never starts unless somebody does something
  const char* words;
  const char* advice;
};

// Of a container that does not start (kubelet: pkg/kubelet/images/types.go, pkg/kubelet/container/sync_result.go).
constexpr PodReason start_reasons[] = {
    {"ContainerCreating", TaskState::waiting, "is being made (image, volumes)", ""},
    {"PodInitializing", TaskState::waiting, "is being made (containers that come before)", ""},
    {"ErrImagePull", TaskState::waiting, "its image cannot be fetched",
     "is \"image\" right, and may the cluster pull it (imagePullSecrets)?"},
    {"ImagePullBackOff", TaskState::waiting, "its image cannot be fetched",
     "is \"image\" right, and may the cluster pull it (imagePullSecrets)?"},
    {"InvalidImageName", TaskState::held, "the image's name is none", "correct \"image\", cancel and submit again"},
    {"ErrImageNeverPull", TaskState::held, "the node lacks the image, and may not fetch it",
     "load it there, or change imagePullPolicy by \"overlay\""},
    {"CreateContainerConfigError", TaskState::held, "its container cannot be made",
     "does the image allow its user (runAsNonRoot), and are all "
     "ConfigMaps and Secrets of \"overlay\" there?"},
    {"CreateContainerError", TaskState::waiting, "its container cannot be made", "is stackx in the image, on its $PATH?"},
    {"RunContainerError", TaskState::waiting, "its container cannot be started", "is stackx in the image, on its $PATH?"},
};

struct Placing {
  const char* said;
  const char* advice;
};

// Of the scheduler's message (pkg/scheduler/framework/plugins), the first that fits; taints last, as control planes have one.
constexpr Placing placings[] = {
    {"anti-affinity",
     "it waits for a node to itself; if what runs there is part of the system, name its namespace in \"systemNamespaces\""},
    {"affinity/selector", "kubectl get nodes --show-labels; correct \"nodeSelector\""},
    {"Insufficient",
     "wait, or ask for less: \"cpus\", \"memory_gib\", \"gpus\" (and is \"resource\" the name that the nodes have?)"},
    {"untolerated taint", "\"tolerations\" of the target let it onto such nodes"},
    {"persistentvolumeclaim", "kubectl get persistentvolumeclaims; correct \"volume\""},
    {"PersistentVolumeClaim", "kubectl get persistentvolumeclaims; correct \"volume\""},
};

std::string said(const std::string& text) { return specs::printable(inspector::tail(text, 1000)); }

std::string with_message(std::string words, const std::string& message) {
  return message.empty() ? words : fmt::format("{}: {}", words, said(message));
}

// The first of its containers that has such a state: {"waiting": {...}}, {"terminated": {...}}.
const Json& container_state(const Json& pod, const char* state) {
  for (const char* kind : {"initContainerStatuses", "containerStatuses"}) {
    const auto& all = member(pod, {"status", kind});
    if (!all.is_array()) continue;
    for (const auto& one : all) {
      const auto& found = member(one, {"state", state});
      const bool well = std::string_view(state) == "terminated" && member(found, {"exitCode"}) == 0;
      if (found.is_object() && !well) return found;
    }
  }
  return no_json;
}

std::string disruption_words(const Json& pod) {
  const auto& disruption = condition(pod, "DisruptionTarget");
  if (disruption.is_null()) return "";
  const auto reason = text_member(disruption, {"reason"});
  const char* words = reason == "PreemptionByScheduler"    ? "preempted by a pod of higher priority"
                      : reason == "DeletionByTaintManager" ? "evicted: its node was lost, or tainted"
                      : reason == "EvictionByEvictionAPI"  ? "evicted: somebody drains its node"
                      : reason == "DeletionByPodGC"        ? "its node is gone"
                      : reason == "TerminationByKubelet"   ? "ended by its node, which is short of something or shuts down"
                                                           : "disrupted";
  return with_message(words, text_member(disruption, {"message"}));
}

void say_why_it_waits(Pod& pod, const Json& json) {
  const auto& unplaced = condition(json, "PodScheduled", "False");
  if (text_member(unplaced, {"reason"}) == "SchedulingGated") {
    pod.state = TaskState::held;
    pod.why = "held by a scheduling gate";
    pod.advice = "what set it (a queue of the cluster) lets it go";
    return;
  }
  if (!unplaced.is_null()) {
    const auto message = text_member(unplaced, {"message"});
    pod.why = with_message("no node fits", message);
    for (const auto& one : placings)
      if (message.find(one.said) != message.npos && pod.advice.empty()) pod.advice = one.advice;
    return;
  }
  const auto& waiting = container_state(json, "waiting");
  const auto reason = text_member(waiting, {"reason"});
  for (const auto& one : start_reasons) {
    if (one.reason != reason) continue;
    pod.state = one.state;
    pod.why = with_message(one.words, text_member(waiting, {"message"}));
    pod.advice = one.advice;
    return;
  }
  pod.why = !reason.empty()    ? with_message(said(reason), text_member(waiting, {"message"}))
            : pod.node.empty() ? "waits for the scheduler"
                               : "starts";
}

void say_how_it_ended(Pod& pod, const Json& json) {
  const auto reason = text_member(json, {"status", "reason"}), message = text_member(json, {"status", "message"});
  const auto& ended = container_state(json, "terminated");
  const auto code = member(ended, {"exitCode"}).is_number_integer() ? member(ended, {"exitCode"}).get<std::int64_t>() : 0;
  if (text_member(ended, {"reason"}) == "OOMKilled") {
    pod.why = "out of memory (OOMKilled)";
    pod.advice = "raise \"memory_gib\"";
  } else if (pod.why = disruption_words(json); !pod.why.empty()) {
    if (reason == "Evicted" && !message.empty()) pod.why = with_message("evicted", message);
  } else if (!reason.empty()) {
    pod.why = with_message(reason == "Evicted" ? "evicted" : said(reason), message);
  } else if (code > 128 && code < 128 + 65) {
    pod.why = "died of " + inspector::signal_name(static_cast<int>(code - 128));
  } else if (code != 0) {
    pod.why = with_message(fmt::format("exit code {}", code), text_member(ended, {"message"}));
  } else {
    pod.why = "failed";
  }
}

std::uint64_t block_of(const Json& pod, const std::string& name) {
  const auto blocks = blocks_of_indices(pod);
  const auto text = text_member(pod, {"metadata", "annotations", index_annotation});
  std::uint64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || index >= blocks.size())
    throw bad_input(fmt::format("pod {} has the completion index {}, and {} blocks: which one it runs is not known",
                                specs::in_quotes(name), specs::in_quotes(text), blocks.size()));
  return blocks[index];
}

}  // namespace

Blocks blocks_of_indices(const Json& object) {
  const auto blocks = blocks_from(text_member(object, {"metadata", "annotations", blocks_annotation}));
  const auto text = text_member(object, {"metadata", "annotations", nodes_annotation});
  std::uint64_t nodes = 1;
  if (!text.empty() && (std::from_chars(text.data(), text.data() + text.size(), nodes).ec != std::errc() || nodes == 0 || nodes > specs::most_nodes))
    throw bad_input(fmt::format("the annotation {} is {}: expected a number of nodes", nodes_annotation, specs::in_quotes(text)));
  if (nodes > 1 && blocks.size() * nodes > most_blocks_of_a_job)
    throw bad_input(fmt::format("{} blocks of {} nodes, which no Job of stackx has", blocks.size(), nodes));
  Blocks all;
  for (const auto block : blocks) all.insert(all.end(), nodes, block);
  return all;
}

const Json& member(const Json& value, std::initializer_list<const char*> path) {
  const Json* at = &value;
  for (const char* key : path) {
    if (!at->is_object()) return no_json;
    const auto found = at->find(key);
    if (found == at->end()) return no_json;
    at = &*found;
  }
  return *at;
}

std::string text_member(const Json& value, std::initializer_list<const char*> path) {
  const auto& found = member(value, path);
  return found.is_string() ? found.get<std::string>() : "";
}

const Json& condition(const Json& object, const char* type, const char* status) {
  const auto& all = member(object, {"status", "conditions"});
  if (!all.is_array()) return no_json;
  for (const auto& one : all)
    if (text_member(one, {"type"}) == type && text_member(one, {"status"}) == status) return one;
  return no_json;
}

Pod pod_from(const Json& json) {
  Pod pod;
  pod.name = said(text_member(json, {"metadata", "name"}));
  pod.node = said(text_member(json, {"spec", "nodeName"}));
  pod.created = text_member(json, {"metadata", "creationTimestamp"});
  pod.deleted = text_member(json, {"metadata", "deletionTimestamp"});
  pod.job = specs::printable(text_member(json, {"metadata", "labels", "batch.kubernetes.io/job-name"}));
  pod.block = block_of(json, pod.name);
  const auto phase = text_member(json, {"status", "phase"});
  if (phase == "Running" || phase == "Unknown") {
    pod.state = TaskState::running;
    pod.why = phase == "Unknown" ? "its node does not answer" : disruption_words(json);
  } else if (phase == "Succeeded") {
    pod.state = TaskState::ended;
  } else if (phase == "Failed") {
    pod.state = TaskState::ended;
    say_how_it_ended(pod, json);
  } else {
    say_why_it_waits(pod, json);
  }
  return pod;
}

}  // namespace stackx::campaigns::cluster
