#include "campaigns/cluster/kubernetes/kubectl.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "specs/format/printable.hpp"

namespace stackx::campaigns::cluster {
namespace {

using inspector::End;

struct Hint {
  const char* said;
  const char* advice;
};

// The first that fits. What kubectl and API servers say, by the words that have stayed the same for years.
constexpr Hint kubectl_hints[] = {
    {"exceeded quota", "the namespace's quota is used up: end something there, or ask for more"},
    {"\" cannot ",
     "your account lacks the permission that it names: ask for a Role that grants it in this namespace (create, get, list, patch "
     "and delete on jobs.batch and configmaps, list on pods)"},
    {"violates PodSecurity",
     "the namespace's Pod Security Standard refuses it: \"overlay\" can change the pod's securityContext"},
    {"(Unauthorized)", "log in again, as the cluster's documentation says"},
    {"provide credentials", "log in again, as the cluster's documentation says"},
    {"getting credentials", "the login program of your kubeconfig failed: log in again"},
    {"context was not found", "kubectl config get-contexts lists the contexts; correct \"context\""},
    {"does not exist", "kubectl config get-contexts lists the contexts; correct \"context\""},
    {"namespaces \"", "kubectl get namespaces lists them; correct \"namespace\""},
    {"localhost:8080", "kubectl knows no cluster: set $KUBECONFIG, or \"context\" of the target"},
    {"unknown field",
     "\"overlay\", \"volume\" or \"tolerations\" has a member that this cluster does not know, or the cluster is older "
     "than Kubernetes 1.29"},
    {"denied the request", "a policy of the cluster refuses it: \"overlay\" can change what it asks for"},
    {"(Forbidden)",
     "a rule of the namespace refuses it (kubectl describe limitranges,resourcequotas): ask for less, or elsewhere"},
    {"is invalid", "correct the setting that it names (\"overlay\", \"volume\", \"tolerations\", \"resource\", ...)"},
    {"connection to the server", "is the API server up, and can this machine reach it? Jobs go on meanwhile; try again later"},
    {"Unable to connect to the server",
     "is the API server up, and can this machine reach it? Jobs go on meanwhile; try again later"},
    {"TLS handshake timeout", "the API server is overloaded or far away; try again later"},
    {"timed out", "the API server does not answer in time; try again later"},
    {"Client.Timeout", "the API server does not answer in time; try again later"},
    {"deadline exceeded", "the API server does not answer in time; try again later"},
    {"ServiceUnavailable", "the API server is starting or ending; try again later"},
};

// "E1125 17:49:29.196549    7874 memcache.go:265] ...": a note of one of its parts, before it says the same in its own words.
bool is_note_of_a_part(std::string_view line) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return line.size() > 5 && std::string_view("EWIF").find(line[0]) != std::string_view::npos &&
         std::ranges::all_of(line.substr(1, 4), is_digit) && line[5] == ' ';
}

// One line.
std::string kubectl_errors(const std::string& err) {
  const auto said = fmt::format("{}", fmt::join(complaints_in(err), "; "));
  return said.empty() ? "nothing" : specs::printable(inspector::tail(said, 2000));
}

std::string why_kubectl_failed(const inspector::Finished& finished) {
  if (finished.end == End::not_started)
    return "kubectl is not installed on this machine, or not on $PATH; stackx submits to Kubernetes with it";
  if (finished.end == End::deadline)
    return "kubectl did not answer within two minutes: is the API server up, and can this machine reach it? Try again later";
  if (finished.end == End::output_limit) return "kubectl's answer is larger than stackx reads";
  if (finished.end == End::signalled) return fmt::format("kubectl died of {}", inspector::signal_name(finished.status));
  const auto said = kubectl_errors(finished.err);
  const auto advice = kubectl_advice(finished.err);
  return fmt::format("kubectl said: {}{}{}", said, advice.empty() ? "" : ". What to do: ", advice);
}

}  // namespace

std::vector<std::string_view> complaints_in(std::string_view err) {
  std::vector<std::string_view> complaints;
  while (!err.empty()) {
    const auto line = err.substr(0, err.find('\n'));
    if (!line.empty() && !line.starts_with("Warning:") && !is_note_of_a_part(line)) complaints.push_back(line);
    err.remove_prefix(std::min(line.size() + 1, err.size()));
  }
  return complaints;
}

std::string kubectl_advice(const std::string& said) {
  for (const auto& hint : kubectl_hints)
    if (said.find(hint.said) != said.npos) return hint.advice;
  return "";
}

Kubectl::Kubectl(const specs::KubernetesTarget& target) : begin_{"kubectl"} {
  if (!target.context.empty()) begin_.push_back("--context=" + target.context);
  begin_.push_back("--namespace=" + target.name_space);
}

std::string Kubectl::typed() const {
  std::string text;
  for (const auto& word : begin_) text += (text.empty() ? "" : " ") + word;
  return text;
}

KubectlAnswer Kubectl::ask(const inspector::Words& words) const {
  inspector::Command command;
  command.argv = begin_;
  command.argv.push_back("--request-timeout=30s");
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  command.environment = inspector::current_environment();
  std::error_code gone;
  command.directory = std::filesystem::current_path(gone);
  command.deadline = std::chrono::minutes(2);
  command.stdout_limit = std::size_t{512} << 20;  // pods of thousands of blocks, 10 KB each
  auto finished = inspector::run(command);
  KubectlAnswer answer;
  answer.ok = finished.ok();
  if (!answer.ok) answer.reason = why_kubectl_failed(finished);
  answer.out = std::move(finished.out);
  answer.err = std::move(finished.err);
  return answer;
}

}  // namespace stackx::campaigns::cluster
