#include "campaigns/cluster/kubernetes/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "campaigns/cluster/kubernetes/config_map.hpp"
#include "campaigns/cluster/place.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/yaml.hpp"

namespace stackx::campaigns::cluster {
namespace {

using Json = nlohmann::json;

constexpr const char* campaign_mount = "/stackx/campaign";
constexpr const char* scratch_mount = "/tmp";
constexpr int meeting_port = 29400;  // of the first node's pod, which has a network of its own
constexpr int week = 7 * 24 * 3600;

// Kubernetes puts variables into commands: $(NAME). $$ is a dollar sign.
std::string without_variables(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '$' ? std::string("$$") : std::string(1, c);
  return result;
}

Json labels_of(const Asked& asked, const Submission& submission) {
  return {{"app.kubernetes.io/name", "stackx"},
          {"app.kubernetes.io/managed-by", "stackx"},
          {campaign_label, asked.campaign.short_id()},
          {target_label, asked.target.target.name},
          {submission_label, std::to_string(submission.number)}};
}

std::uint64_t nodes_of(const Asked& asked) { return asked.target.target.nodes; }

Json annotations_of(const Asked& asked, const Submission& submission) {
  Json annotations = {{blocks_annotation, text_of(submission.blocks)}};
  if (nodes_of(asked) > 1) annotations[nodes_annotation] = std::to_string(nodes_of(asked));
  return annotations;
}

Json metadata_of(const Asked& asked, const Submission& submission) {
  return {{"name", job_name(asked, submission.number)},
          {"namespace", kubernetes_of(asked).name_space},
          {"labels", labels_of(asked, submission)},
          {"annotations", annotations_of(asked, submission)}};
}

std::uint64_t cpus_of(const Asked& asked) {
  if (const auto cpus = kubernetes_of(asked).cpus; cpus > 0) return cpus;
  std::uint64_t most = std::max<std::uint64_t>(asked.target.plan.campaign.cpus, 1);
  const auto take = [&](const std::map<std::string, std::string>& from) {
    const auto threads = from.find("threads");
    if (threads == from.end()) return;
    std::uint64_t count = 0;
    const auto& text = threads->second;
    if (std::from_chars(text.data(), text.data() + text.size(), count).ec == std::errc()) most = std::max(most, count);
  };
  for (const auto& arm : asked.target.plan.arms) {
    take(arm.workload.params);
    take(arm.stack.components);  // a setting of the catalogs
  }
  return most;
}

std::string memory_of(const Asked& asked) {
  const double set = kubernetes_of(asked).memory_gib;
  const auto mib = static_cast<std::uint64_t>(std::ceil((set > 0 ? set : asked.target.plan.campaign.memory_gib + 1) * 1024));
  return mib % 1024 == 0 ? fmt::format("{}Gi", mib / 1024) : fmt::format("{}Mi", mib);
}

// By what nodes are held to: stacks need not have the GPU among their components.
bool is_on_gpus(const Asked& asked) {
  const auto file = target_directory(asked.files, asked.target.target.name) / "project.json";
  const auto hardware = specs::Node::parse_file(file).find("hardware");
  if (hardware && hardware->find("gpu")) return true;  // the target's, too
  return std::ranges::any_of(asked.target.plan.arms, [](const auto& arm) { return arm.stack.components.contains("gpu"); });
}

std::uint64_t gpus_of(const Asked& asked) {
  if (const auto gpus = kubernetes_of(asked).gpus; gpus > 0) return gpus;
  return is_on_gpus(asked) ? 1 : 0;
}

// Requests and limits alike, whole CPUs: the pod is Guaranteed, and a kubelet with the static policy pins it.
Json resources_of(const Asked& asked) {
  Json amounts = {{"cpu", std::to_string(cpus_of(asked))}, {"memory", memory_of(asked)}};
  if (const auto gpus = gpus_of(asked); gpus > 0) amounts[kubernetes_of(asked).resource] = std::to_string(gpus);
  return {{"requests", amounts}, {"limits", amounts}};
}

Json command_of(const Asked& asked, const Submission& submission, const std::string& directory) {
  Json command = {"stackx",    "cluster",
                  "block",     without_variables(directory),
                  "--target",  asked.target.target.name,
                  "--blocks",  text_of(submission.blocks),
                  "--index",   "$(JOB_COMPLETION_INDEX)",
                  "--attempt", "$(POD_UID)",
                  "--job",     "$(POD_NAME)"};
  const auto& target = kubernetes_of(asked);
  if (nodes_of(asked) > 1) {
    const auto job = job_name(asked, submission.number);
    for (const auto& word : {std::string("--nodes"), std::to_string(nodes_of(asked)), std::string("--meet"),
                             fmt::format("{}-*.{}:{}", job, job, meeting_port)})
      command.push_back(word);
  }
  command.push_back(target.send.empty() ? "--spool" : "--send");
  command.push_back(without_variables(target.send.empty() ? root_of(asked.campaign).string() : target.send));
  return command;
}

Json variables(const specs::KubernetesTarget& target) {
  const auto field = [](const char* name, const std::string& path) {
    return Json{{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
  };
  Json all = {field("JOB_COMPLETION_INDEX", fmt::format("metadata.annotations['{}']", index_annotation)),
          field("POD_UID", "metadata.uid"),
          field("POD_NAME", "metadata.name"),
          field("STACKX_NODE", "spec.nodeName"),
          {{"name", "HOME"}, {"value", scratch_mount}},
          {{"name", "XDG_CACHE_HOME"}, {"value", "/tmp/.cache"}},
          {{"name", "XDG_DATA_HOME"}, {"value", "/tmp/.local/share"}}};
  if (target.token_secret.empty()) return all;
  const Json key = {{"name", target.token_secret}, {"key", target.token_key}};
  all.push_back({{"name", "STACKX_TOKEN"}, {"valueFrom", {{"secretKeyRef", key}}}});
  return all;
}

Json container_of(const Asked& asked, const Submission& submission, bool carried) {
  const auto spool = asked.campaign.settings.spool;
  Json mounts = Json::array({Json{{"name", "scratch"}, {"mountPath", scratch_mount}}});
  if (carried) mounts.push_back({{"name", "campaign"}, {"mountPath", campaign_mount}, {"readOnly", true}});
  if (!kubernetes_of(asked).volume.is_null()) mounts.push_back({{"name", "spool"}, {"mountPath", spool}});
  return {{"name", "block"},
          {"image", kubernetes_of(asked).image},
          {"command", command_of(asked, submission, carried ? campaign_mount : root_of(asked.campaign).string())},
          {"env", variables(kubernetes_of(asked))},
          {"resources", resources_of(asked)},
          {"securityContext", {{"allowPrivilegeEscalation", false}, {"capabilities", {{"drop", Json::array({"ALL"})}}}}},
          {"volumeMounts", std::move(mounts)}};
}

Json volumes_of(const Asked& asked, const Submission& submission, const Json& items) {
  Json volumes = Json::array({Json{{"name", "scratch"}, {"emptyDir", Json::object()}}});
  if (!items.empty())
    volumes.push_back({{"name", "campaign"}, {"configMap", {{"name", job_name(asked, submission.number)}, {"items", items}}}});
  if (Json spool = kubernetes_of(asked).volume; !spool.is_null()) {
    spool["name"] = "spool";
    volumes.push_back(std::move(spool));
  }
  return volumes;
}

// Of every namespace but the system's, and of every pod there: a block waits for strangers, and strangers for it.
Json exclusive(const specs::KubernetesTarget& target) {
  Json namespaces = Json::object();
  if (!target.system_namespaces.empty())
    namespaces["matchExpressions"] =
        Json::array({Json{{"key", "kubernetes.io/metadata.name"}, {"operator", "NotIn"}, {"values", target.system_namespaces}}});
  const Json term = {
      {"topologyKey", "kubernetes.io/hostname"}, {"labelSelector", Json::object()}, {"namespaceSelector", namespaces}};
  return {{"podAntiAffinity", {{"requiredDuringSchedulingIgnoredDuringExecution", Json::array({term})}}}};
}

Json tolerations_of(const specs::KubernetesTarget& target) {
  Json tolerations = Json::array();
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"})
    tolerations.push_back({{"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 10}});
  for (const auto& one : target.tolerations) tolerations.push_back(one);
  return tolerations;
}

Json identity(const specs::KubernetesTarget& target, const Owner& owner) {
  const Owner used = target.volume.is_null() ? Owner{} : owner;
  Json context = {{"runAsUser", used.uid}, {"runAsGroup", used.gid}, {"seccompProfile", {{"type", "RuntimeDefault"}}}};
  if (used.uid != 0) context["runAsNonRoot"] = true;
  return context;
}

Json pod_of(const Asked& asked, const Submission& submission, const Owner& owner, const Json& items) {
  const auto& target = kubernetes_of(asked);
  Json pod = {{"affinity", exclusive(target)},
              {"automountServiceAccountToken", false},
              {"containers", Json::array({container_of(asked, submission, !items.empty())})},
              {"enableServiceLinks", false},
              {"restartPolicy", "Never"},
              {"securityContext", identity(target, owner)},
              {"terminationGracePeriodSeconds", 120},
              {"tolerations", tolerations_of(target)},
              {"volumes", volumes_of(asked, submission, items)}};
  if (!target.node_selector.empty()) pod["nodeSelector"] = target.node_selector;
  if (nodes_of(asked) > 1) pod["subdomain"] = job_name(asked, submission.number);
  return pod;
}

// Pods have names in it at once: none is ready before all have met.
Json service_of(const Asked& asked, const Submission& submission) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", metadata_of(asked, submission)},
          {"spec", {{"clusterIP", "None"}, {"publishNotReadyAddresses", true}, {"selector", labels_of(asked, submission)}}}};
}

Json job_of(const Asked& asked, const Submission& submission, const Owner& owner, const Json& items) {
  const auto count = submission.blocks.size(), nodes = nodes_of(asked);
  Json metadata = metadata_of(asked, submission);
  Json labels = metadata.at("labels"), annotations = metadata.at("annotations");
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", std::move(metadata)},
          {"spec",
           {{"completionMode", "Indexed"},
            {"completions", count * nodes},
            {"parallelism", std::min<std::uint64_t>(asked.campaign.settings.parallel, count) * nodes},
            {"backoffLimitPerIndex", 6},
            {"podReplacementPolicy", "TerminatingOrFailed"},
            {"ttlSecondsAfterFinished", week},
            {"template",
             {{"metadata", {{"labels", std::move(labels)}, {"annotations", std::move(annotations)}}},
              {"spec", pod_of(asked, submission, owner, items)}}}}}};
}

void check_settings(const Asked& asked, const Submission& submission) {
  const auto& spool = asked.campaign.settings.spool;
  if (submission.blocks.empty()) throw bad_input("a submission without blocks");
  if (submission.blocks.size() * nodes_of(asked) > most_blocks_of_a_job || text_of(submission.blocks).size() > 100'000)
    throw bad_input(fmt::format("{} blocks in one Job{} are more than Kubernetes takes ({}): set fewer \"blocks\" of a wave",
                                submission.blocks.size(), nodes_of(asked) > 1 ? fmt::format(", of {} nodes each,", nodes_of(asked)) : "",
                                most_blocks_of_a_job));
  const auto path = fs::path(spool).lexically_normal() / "";
  const bool taken = path == "/" || path == fs::path(scratch_mount) / "" || path == fs::path(campaign_mount) / "";
  if (!kubernetes_of(asked).volume.is_null() && (taken || spool.find(':') != spool.npos))
    throw bad_input(
        fmt::format("\"spool\": pods cannot have a volume at \"{}\": expected a path without \":\", and none of /, {} and {}",
                    spool, scratch_mount, campaign_mount));
}

// A merge replaces lists whole: who names `containers` to add a member loses all that stackx has in it.
void check_containers(const Json& before, const Json& after) {
  const Json::json_pointer at("/spec/template/spec/containers");
  const auto& ours = before.at(at).front();
  const auto holds = [&](const Json& container, const char* member) {
    const auto there = container.value(member, Json::array());
    return std::ranges::all_of(ours.at(member), [&](const Json& one) { return std::ranges::find(there, one) != there.end(); });
  };
  const auto is_whole = [&](const Json& container) {
    return container.is_object() && container.contains("image") && container.value("command", Json()) == ours.at("command") && holds(container, "env") &&
           holds(container, "volumeMounts");
  };
  if (const auto& all = after.contains(at) ? after.at(at) : Json::array(); all.is_array() && std::ranges::any_of(all, is_whole)) return;
  throw bad_input(fmt::format("\"overlay\" changes {}: a merge (RFC 7386) replaces that list whole, and with it the image, command, env and volumeMounts of "
                              "stackx's container; remove it there (the target's own members say image, cpus, memory_gib, gpus and tokenSecret)",
                              at.to_string()));
}

// What queue() and the blocks themselves rely on.
void check_overlay(const Json& before, const Json& after) {
  for (const char* pointer :
       {"/apiVersion", "/kind", "/metadata/name", "/metadata/namespace", "/metadata/labels/stackx.dev~1campaign",
        "/metadata/labels/stackx.dev~1target", "/metadata/labels/stackx.dev~1submission",
        "/metadata/annotations/stackx.dev~1blocks", "/spec/completionMode", "/spec/completions", "/metadata/annotations/stackx.dev~1nodes",
        "/spec/template/metadata/annotations/stackx.dev~1nodes", "/spec/template/spec/subdomain",
        "/spec/template/metadata/labels/stackx.dev~1campaign", "/spec/template/metadata/labels/stackx.dev~1target",
        "/spec/template/metadata/labels/stackx.dev~1submission", "/spec/template/metadata/annotations/stackx.dev~1blocks"}) {
    const Json::json_pointer at(pointer);
    if (before.contains(at) && (!after.contains(at) || after.at(at) != before.at(at)))
      throw bad_input(fmt::format("\"overlay\" changes {}, by which stackx finds the Job and its blocks; remove that", pointer));
  }
  check_containers(before, after);
}

std::map<std::string, std::string> config_map_comments() {
  return {{"", "kubectl create -f, before the Job's; kubectl apply would copy it into an annotation, which takes 256 KiB."},
          {"/data", "What the blocks measure. The Job lays it out as on the spool."}};
}

std::map<std::string, std::string> job_comments() {
  const std::string spec = "/spec/", pod = "/spec/template/spec/";
  return {
      {"/metadata/annotations/stackx.dev~1blocks", "Index i runs the i-th of these."},
      {"/metadata/annotations/stackx.dev~1nodes", "Of each: so many indices are one block, a worker on each."},
      {pod + "subdomain", "The Service of this Job: by it the nodes of a block find the first of them."},
      {spec + "backoffLimitPerIndex", "Preemptions and lost nodes count, too."},
      {spec + "podReplacementPolicy",
       "A block starts again beside a pod that cannot be reached: each start writes where no other does."},
      {spec + "ttlSecondsAfterFinished", "It and its ConfigMap go a week after the end; what was measured is kept elsewhere."},
      {pod + "affinity", "A node to itself: no other pod runs there but those of \"systemNamespaces\"."},
      {pod + "automountServiceAccountToken", "It asks Kubernetes nothing."},
      {pod + "containers/0/resources",
       "Requests and limits are equal and CPUs whole: nobody takes them, and they can be pinned."},
      {pod + "securityContext",
       "With a volume: the owner of the campaign's directory, so that both sides can read what the other wrote."},
      {pod + "terminationGracePeriodSeconds", "The inspection that runs is left, what is done is kept."},
      {pod + "tolerations/0",
       "A block of a node that is not reachable starts elsewhere after 10 seconds; without this, after 300."},
      {pod + "volumes/0", "Environments, caches and the node's own database."},
  };
}

}  // namespace

const specs::KubernetesTarget& kubernetes_of(const Asked& asked) {
  return std::get<specs::KubernetesTarget>(asked.target.target.on);
}

std::string job_name(const Asked& asked, std::uint64_t submission) { return job_prefix(asked) + std::to_string(submission); }

std::string label_selector(const Asked& asked) {
  return fmt::format("{}={},{}={}", campaign_label, asked.campaign.short_id(), target_label, asked.target.target.name);
}

Manifest manifest_of(const Asked& asked, const Submission& submission, const Owner& owner) {
  check_settings(asked, submission);
  const auto& target = kubernetes_of(asked);
  CampaignDocuments documents = campaign_documents(asked, submission.blocks);
  const bool carried = documents.bytes <= most_config_map_bytes;
  if (!carried && target.volume.is_null())
    throw bad_input(
        fmt::format("the campaign's documents have {} bytes, and a ConfigMap takes {}: give the target a \"volume\", from "
                    "which pods can read them, or name fewer or smaller catalogs",
                    documents.bytes, most_config_map_bytes));
  Manifest manifest;
  if (carried)
    manifest.config_map = {{"apiVersion", "v1"},
                           {"kind", "ConfigMap"},
                           {"metadata", metadata_of(asked, submission)},
                           {"immutable", true},
                           {"data", std::move(documents.data)}};
  if (nodes_of(asked) > 1) manifest.service = service_of(asked, submission);
  manifest.plain_job = job_of(asked, submission, owner, carried ? documents.items : Json::array());
  manifest.job = manifest.plain_job;
  if (!target.overlay.is_null()) manifest.job.merge_patch(target.overlay);
  check_overlay(manifest.plain_job, manifest.job);
  return manifest;
}

std::vector<SubmittedText> texts_of(const Manifest& manifest, std::uint64_t submission) {
  std::vector<SubmittedText> texts;
  if (!manifest.config_map.is_null())
    texts.push_back({fmt::format("job-{}-config.yaml", submission), specs::yaml_of(manifest.config_map, config_map_comments())});
  if (!manifest.service.is_null())
    texts.push_back({fmt::format("job-{}-service.yaml", submission),
                     specs::yaml_of(manifest.service, {{"", "Names for the Job's pods: the nodes of a block find the first of them."}})});
  auto comments = job_comments();
  std::erase_if(comments, [&](const auto& comment) {
    const Json::json_pointer at(comment.first);
    return !manifest.job.contains(at) || manifest.job.at(at) != manifest.plain_job.at(at);
  });
  texts.push_back({fmt::format("job-{}.yaml", submission), specs::yaml_of(manifest.job, comments)});
  return texts;
}

}  // namespace stackx::campaigns::cluster
