#include "campaigns/cluster/kubernetes/kubernetes.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "campaigns/cluster/kubernetes/kubectl.hpp"
#include "campaigns/cluster/kubernetes/manifest.hpp"
#include "campaigns/cluster/kubernetes/state.hpp"
#include "campaigns/cluster/place.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/json.hpp"

namespace stackx::campaigns::cluster {
namespace {

Owner owner_of(const fs::path& root) {
  struct stat status {};
  if (stat(root.c_str(), &status) != 0) return {};
  return {status.st_uid, status.st_gid};
}

// Every complaint is that something is there already: what an earlier try has left.
bool only_already_there(const std::string& err) {
  const auto complaints = complaints_in(err);
  const auto is_there = [](std::string_view line) { return line.find("(AlreadyExists)") != line.npos; };
  return !complaints.empty() && std::ranges::all_of(complaints, is_there);
}

class Kubernetes : public Scheduler {
 public:
  explicit Kubernetes(const Asked& asked) : asked_(asked), kubectl_(kubernetes_of(asked)) {}

  std::vector<SubmittedText> texts(const Submission& submission) const override {
    return texts_of(manifest_of(asked_, submission, owner_of(asked_.files)), submission.number);
  }

  std::vector<std::string> submit(const Submission& submission) override {
    const auto job = job_name(asked_, submission.number);
    for (const auto& text : texts(submission)) {
      const auto created = kubectl_.ask({"create", "--filename=" + put(text).string()});
      if (!created.ok && !only_already_there(created.err))
        throw broken_environment(fmt::format("{}: not submitted; {}", job, created.reason));
    }
    own(job, "configmaps");
    if (asked_.target.target.nodes > 1) own(job, "services");
    return {job};
  }

  Queue queue() override {
    Queue queue;
    const auto answer = kubectl_.ask({"get", "jobs.batch,pods", "--selector=" + label_selector(asked_), "--output=json"});
    if (!answer.ok) {
      queue.why_unknown = answer.reason;
      return queue;
    }
    try {
      return queue_of(specs::Node::parse_text(answer.out, "kubectl get jobs.batch,pods"), kubectl_.typed(),
                      specs::rfc3339_utc(std::chrono::system_clock::now()));
    } catch (const Error& error) {
      queue.why_unknown = error.what();
      return queue;
    }
  }

  void cancel() override {
    const auto answer = kubectl_.ask({"delete", asked_.target.target.nodes > 1 ? "jobs.batch,configmaps,services" : "jobs.batch,configmaps", "--selector=" + label_selector(asked_),
                                      "--ignore-not-found", "--wait=false", "--cascade=background"});
    if (!answer.ok) throw broken_environment("not cancelled; " + answer.reason);
  }

 private:
  fs::path put(const SubmittedText& text) const {
    const auto file = target_directory(asked_.root, asked_.target.target.name) / text.name;
    place_file(file, text.text);
    return file;
  }

  // So that it goes with its Job, a week after that has ended. Where that fails, it stays until `cancel`.
  void own(const std::string& job, const std::string& kind) const {
    const auto answer = kubectl_.ask({"get", "jobs.batch", job, "--output=jsonpath={.metadata.uid}"});
    if (!answer.ok || answer.out.empty()) return;
    const specs::Json owner = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", job}, {"uid", specs::to_utf8(answer.out)}};
    const specs::Json patch = {{"metadata", {{"ownerReferences", specs::Json::array({owner})}}}};
    (void)kubectl_.ask({"patch", kind, job, "--type=merge", "--patch=" + specs::canonical(patch)});
  }

  Asked asked_;
  Kubectl kubectl_;
};

}  // namespace

std::unique_ptr<Scheduler> make_kubernetes(const Asked& asked) { return std::make_unique<Kubernetes>(asked); }

}  // namespace stackx::campaigns::cluster
