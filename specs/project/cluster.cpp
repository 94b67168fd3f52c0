#include "specs/project/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <regex>
#include <set>

#include "specs/format/json.hpp"
#include "specs/format/printable.hpp"
#include "specs/project/sbatch_options.hpp"

namespace stackx::specs {
namespace {

using Text = std::string SlurmTarget::*;
constexpr std::pair<const char*, Text> slurm_texts[] = {
    {"partition", &SlurmTarget::partition}, {"account", &SlurmTarget::account},   {"qos", &SlurmTarget::qos},
    {"constraint", &SlurmTarget::constraint}, {"gres", &SlurmTarget::gres},       {"nodelist", &SlurmTarget::nodelist},
    {"exclude", &SlurmTarget::exclude},     {"reservation", &SlurmTarget::reservation}, {"time", &SlurmTarget::time},
    {"program", &SlurmTarget::program}};

// What becomes part of a script's line must be one line.
std::string one_line(const Node& node) {
  std::string text = node.nonempty();
  if (!is_printable(text)) node.fail("control characters (also newlines and tabs) have no place here");
  return text;
}

void refuse_options(const Node& directive, std::initializer_list<const char*> refused, std::string_view why) {
  for (const auto& written : sbatch_options(directive.text()))
    for (const char* one : refused)
      if (may_mean(written, one))
        directive.fail(written == one ? fmt::format("{} {}", written, why) : fmt::format("{} is read as {}, which {}", written, one, why));
}

std::string directive(const Node& node) {
  const auto text = one_line(node);
  if (!text.starts_with('-')) node.fail(fmt::format("expected an option of sbatch (\"--mem=0\"), found \"{}\"", text));
  refuse_options(node, {"--array", "-a", "--job-name", "-J", "--nodes", "-N", "--output", "-o", "--open-mode", "--requeue", "--no-requeue", "--signal"},
                 "is what stackx sets itself; remove it");
  refuse_options(node, {"--wrap"}, "would take the script's place; remove it");
  return text;
}

// sbatch(1): minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]].
std::string time_limit(const Node& node) {
  static const std::regex forms(R"(\d+(:\d+){0,2}|\d+-\d+(:\d+){0,2})");
  const auto text = one_line(node);
  const bool is_word = text == "UNLIMITED" || text == "INFINITE" || text == "unlimited" || text == "infinite";
  if (!is_word && !std::regex_match(text, forms))
    node.fail(fmt::format("expected a time as sbatch has it (\"30\" minutes, \"2:00:00\", \"1-12:00:00\"), found \"{}\"", text));
  return text;
}

SlurmTarget slurm_from(const Node& node) {
  node.only({"partition", "account", "qos", "constraint", "gres", "nodelist", "exclude", "reservation", "time", "program",
             "preamble", "directives"});
  SlurmTarget target;
  for (const auto& [name, member] : slurm_texts)
    if (const auto found = node.find(name)) target.*member = one_line(*found);
  if (const auto time = node.find("time")) (void)time_limit(*time);
  if (const auto preamble = node.find("preamble")) {
    target.preamble = preamble->text();
    if (target.preamble.find('\0') != std::string::npos) preamble->fail("a script cannot hold a NUL character");
  }
  if (const auto list = node.find("directives"))
    for (const auto& item : list->items()) target.directives.push_back(directive(item));
  return target;
}

std::string url_from(const Node& node) {
  const auto text = one_line(node);
  if (!text.starts_with("http://") && !text.starts_with("https://"))
    node.fail("expected a URL (https://...), to which documents are sent");
  return text;
}

KubernetesTarget kubernetes_from(const Node& node) {
  node.only({"namespace", "context", "nodeSelector", "tolerations", "image", "volume", "send", "tokenSecret", "systemNamespaces", "resource",
             "gpus", "cpus", "memory_gib", "overlay"});
  KubernetesTarget target;
  if (const auto one = node.find("namespace")) target.name_space = one_line(*one);
  if (const auto one = node.find("context")) target.context = one_line(*one);
  if (const auto one = node.find("nodeSelector"))
    for (const auto& [label, value] : one->members()) target.node_selector[label] = value.text();
  if (const auto one = node.find("tolerations")) {
    for (const auto& item : one->items()) (void)item.members();
    target.tolerations = one->json();
  }
  target.image = one_line(node.at("image"));
  if (const auto one = node.find("volume")) {
    if (one->members().size() != 1)
      one->fail("expected one source of a volume, as pods have it: {\"persistentVolumeClaim\": {\"claimName\": \"stackx\"}}");
    target.volume = one->json();
  }
  if (const auto one = node.find("send")) target.send = url_from(*one);
  if (target.volume.is_null() == target.send.empty())
    node.fail("expected either \"volume\", where blocks leave their documents, or \"send\", a URL that takes them");
  if (const auto secret = node.find("tokenSecret")) {
    secret->only({"name", "key"});
    if (target.send.empty()) secret->fail("is the token for \"send\", which this target has none of; remove it");
    target.token_secret = one_line(secret->at("name"));
    const auto key = secret->find("key");
    target.token_key = key ? one_line(*key) : "token";
  }
  if (const auto one = node.find("systemNamespaces")) target.system_namespaces = one->texts();
  if (const auto one = node.find("resource")) target.resource = one_line(*one);
  if (const auto one = node.find("gpus")) target.gpus = one->unsigned_integer();
  if (const auto one = node.find("cpus")) target.cpus = one->unsigned_integer();
  if (const auto one = node.find("memory_gib")) {
    target.memory_gib = one->number();
    if (target.memory_gib <= 0) one->fail("expected a positive number");
  }
  if (const auto one = node.find("overlay")) {
    (void)one->members();
    target.overlay = one->json();
  }
  return target;
}

constexpr std::size_t most_of_name = 20;

// What lies beside the targets' directories on the spool (campaigns/cluster/place.hpp).
bool is_taken(std::string_view name) { return name == "stage" || name == "cancelled" || name == "finished"; }

// "V100-SXM2 (16 GB)" -> "v100-sxm2-16-gb": what names of jobs may be made of.
std::string job_safe(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool fits = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (fits) name += lower;
    else if (!name.empty() && name.back() != '-') name += '-';
  }
  name.resize(std::min(name.size(), most_of_name));
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "target" : name;
}

std::uint64_t counted(const Node& node, std::uint64_t most) {
  const auto value = node.unsigned_integer();
  if (value < 1 || value > most) node.fail(fmt::format("expected 1 to {}, found {}", most, value));
  return value;
}

// Of several nodes the script says itself how many tasks there are: one a node.
void refuse_tasks(const Node& directives) {
  for (const auto& item : directives.items())
    refuse_options(item, {"--ntasks", "-n", "--ntasks-per-node"}, "is what stackx sets itself where \"nodes\" are several: a task on each; remove it");
}

ClusterTarget target_from(const Node& node, const std::set<std::string>& names) {
  node.only({"name", "hardware", "nodes", "slurm", "kubernetes"});
  ClusterTarget target;
  const Node hardware = node.at("hardware");
  if (hardware.json().is_object())
    for (const auto& [component, version] : hardware.members()) target.hardware[component] = version.nonempty();
  else
    target.model = one_line(hardware);
  if (target.model.empty() && target.hardware.empty()) hardware.fail("expected a model (\"v100\"), or {component: version}");
  const auto slurm = node.find("slurm"), kubernetes = node.find("kubernetes");
  if (slurm.has_value() == kubernetes.has_value()) node.fail("expected one of \"slurm\" and \"kubernetes\": where it runs");
  if (slurm) target.on = slurm_from(*slurm);
  else target.on = kubernetes_from(*kubernetes);
  if (const auto nodes = node.find("nodes")) target.nodes = counted(*nodes, most_nodes);
  if (const auto directives = slurm ? slurm->find("directives") : std::nullopt; directives && target.nodes > 1) refuse_tasks(*directives);
  if (const auto name = node.find("name")) {
    target.name = name->nonempty();
    if (target.name != job_safe(target.name)) name->fail("expected at most 20 of a-z, 0-9 and -, as names of jobs have");
    if (is_taken(target.name)) name->fail("expected another name: the spool has a file of this one");
    if (names.contains(target.name)) name->fail("another target has this name");
    return target;
  }
  target.name = job_safe(target.model.empty() ? target.hardware.begin()->second : target.model);
  const auto base = target.name;
  for (int i = 2; names.contains(target.name) || is_taken(target.name); ++i) {
    const auto number = fmt::format("-{}", i);
    target.name = job_safe(base.substr(0, most_of_name - number.size())) + number;
  }
  return target;
}

Json to_json(const SlurmTarget& target) {
  Json json = Json::object();
  for (const auto& [name, member] : slurm_texts)
    if (!(target.*member).empty()) json[name] = target.*member;
  if (!target.preamble.empty()) json["preamble"] = target.preamble;
  if (!target.directives.empty()) json["directives"] = target.directives;
  return json;
}

Json to_json(const KubernetesTarget& target) {
  Json json = {{"namespace", target.name_space}, {"image", target.image}, {"systemNamespaces", target.system_namespaces},
               {"resource", target.resource}};
  if (!target.context.empty()) json["context"] = target.context;
  if (!target.node_selector.empty()) json["nodeSelector"] = target.node_selector;
  if (!target.tolerations.empty()) json["tolerations"] = target.tolerations;
  if (!target.volume.is_null()) json["volume"] = target.volume;
  if (!target.send.empty()) json["send"] = target.send;
  if (!target.token_secret.empty()) json["tokenSecret"] = {{"name", target.token_secret}, {"key", target.token_key}};
  if (target.gpus > 0) json["gpus"] = target.gpus;
  if (target.cpus > 0) json["cpus"] = target.cpus;
  if (target.memory_gib > 0) json["memory_gib"] = target.memory_gib;
  if (!target.overlay.is_null()) json["overlay"] = target.overlay;
  return json;
}

Json to_json(const ClusterTarget& target) {
  Json json = {{"name", target.name}};
  if (target.model.empty()) json["hardware"] = target.hardware;
  else json["hardware"] = target.model;
  if (target.nodes > 1) json["nodes"] = target.nodes;
  if (target.is_slurm()) json["slurm"] = to_json(std::get<SlurmTarget>(target.on));
  else json["kubernetes"] = to_json(std::get<KubernetesTarget>(target.on));
  return json;
}

}  // namespace

Json to_json(const ClusterSettings& settings) {
  Json targets = Json::array();
  for (const auto& target : settings.targets) targets.push_back(to_json(target));
  Json json = {{"targets", std::move(targets)},
               {"blocks", settings.blocks},
               {"rounds_per_block", settings.rounds_per_block},
               {"spool", settings.spool},
               {"parallel", settings.parallel},
               {"attempts", settings.attempts}};
  if (!settings.after.empty()) json["after"] = settings.after;
  return json;
}

ClusterSettings cluster_settings_from(const Node& node) {
  node.only({"$schema", "targets", "blocks", "rounds_per_block", "spool", "parallel", "attempts", "after"});
  ClusterSettings settings;
  std::set<std::string> names;
  for (const auto& item : node.at("targets").items()) {
    settings.targets.push_back(target_from(item, names));
    names.insert(settings.targets.back().name);
  }
  if (settings.targets.empty()) node.at("targets").fail("expected at least one target: where the campaign runs");
  if (const auto one = node.find("blocks")) settings.blocks = counted(*one, most_blocks);
  if (const auto one = node.find("rounds_per_block")) settings.rounds_per_block = counted(*one, 10'000);
  if (const auto one = node.find("parallel")) settings.parallel = counted(*one, 100'000);
  if (const auto one = node.find("attempts")) settings.attempts = counted(*one, 1'000);
  if (const auto one = node.find("after")) settings.after = one->nonempty();
  const Node spool = node.at("spool");
  settings.spool = one_line(spool);
  if (!settings.spool.starts_with('/'))
    spool.fail(fmt::format("expected an absolute path, as nodes know no other; found \"{}\"", settings.spool));
  return settings;
}

}  // namespace stackx::specs
