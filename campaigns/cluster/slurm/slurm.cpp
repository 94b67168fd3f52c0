#include "campaigns/cluster/slurm/slurm.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "campaigns/cluster/place.hpp"
#include "campaigns/cluster/slurm/nodes.hpp"
#include "campaigns/cluster/slurm/queue.hpp"
#include "campaigns/cluster/slurm/script.hpp"
#include "inspector/process/process.hpp"
#include "specs/error.hpp"
#include "specs/format/printable.hpp"

namespace stackx::campaigns::cluster {
namespace {

using inspector::Finished;
using inspector::Words;

// Variables that stand in for options win over what a script says (SBATCH_PARTITION), or hide jobs (SQUEUE_STATES): what is
// submitted is what the script shows.
inspector::Environment environment_of_clients() {
  auto environment = inspector::current_environment();
  std::erase_if(environment, [](const auto& variable) {
    return std::ranges::any_of(std::initializer_list<const char*>{"SBATCH_", "SQUEUE_", "SINFO_", "SCANCEL_", "SACCT_"},
                               [&](const char* begins) { return variable.first.starts_with(begins); });
  });
  return environment;
}

Finished ask(Words words, const inspector::Environment& more = {}) {
  inspector::Command command;
  command.argv = std::move(words);
  command.environment = environment_of_clients();
  for (const auto& [name, value] : more) command.environment[name] = value;
  return inspector::run(command);
}

bool is_missing(const char* program) { return inspector::find_program(program).empty(); }

std::string not_here(const char* program) {
  return fmt::format("{} is not installed here: run this on a login node of the cluster", program);
}

// What a program of Slurm said, on one line.
std::string said(const Finished& finished) {
  if (finished.end == inspector::End::deadline) return "no answer within a minute";
  auto text = inspector::tail(finished.err.empty() ? finished.out : finished.err, 1000);
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? fmt::format("it ended with {}", finished.status) : specs::printable(text);
}

std::string advice_on(const std::string& said) {
  if (said.find("establish a configuration source") != said.npos)
    return "; no cluster is set up for its programs here: run this on a login node";
  if (said.find("Unable to contact slurm controller") != said.npos) return "; its controller does not answer: try again later";
  if (said.starts_with("no answer"))
    return "; it may have done what it was asked: `stackx cluster status` says, once it answers";
  if (said.find("feature specification") != said.npos)
    return "; set the target's `constraint`: sinfo -o '%N %f' says what nodes have";
  if (said.find("node configuration is not available") != said.npos)
    return "; no node has what the target's `gres`, `constraint` and `directives` ask for: see sinfo -o '%N %f %G'";
  for (const char* name : {"partition", "account", "qos", "reservation"})
    if (said.find(std::string("nvalid ") + name) != said.npos) return fmt::format("; set the target's `{}`", name);
  return "";
}

// Whose jobs they may be: ours, and those of who made the campaign.
std::string users_of(const fs::path& root) {
  std::string users = std::to_string(geteuid());
  struct stat made{};
  if (stat((root / "campaign.json").c_str(), &made) == 0 && made.st_uid != geteuid() && getpwuid(made.st_uid) != nullptr)
    users += "," + std::to_string(made.st_uid);
  return users;
}

std::uint64_t max_array_size() {
  constexpr std::uint64_t usual = 1001;
  if (is_missing("scontrol")) return usual;
  const auto config = ask({"scontrol", "show", "config"});
  const auto at = config.out.find("MaxArraySize");
  if (!config.ok() || at == config.out.npos) return usual;
  const auto digits = config.out.find_first_of("0123456789\n", at);
  std::uint64_t size = 0;
  if (digits != config.out.npos) std::from_chars(config.out.data() + digits, config.out.data() + config.out.size(), size);
  return size > 0 ? size : usual;
}

// A preamble that bash reads on its own leaves the rest of the script what it is: no quote, no here-document swallows it.
void require_readable(const std::string& preamble, const std::string& target) {
  if (preamble.empty() || is_missing("bash")) return;
  const auto read = ask({"bash", "-n", "-c", preamble});
  if (read.ok() && read.err.empty()) return;
  throw bad_input(fmt::format("target {}: its preamble is no whole script of bash: {}", target, said(read)));
}

class Slurm : public Scheduler {
 public:
  explicit Slurm(const Asked& asked) : asked_(asked), target_(std::get<specs::SlurmTarget>(asked.target.target.on)) {}

  std::vector<SubmittedText> texts(const Submission& submission) const override {
    std::vector<SubmittedText> texts;
    for (const auto& job : jobs(submission)) texts.push_back({file_of(job), script_of(asked_, job)});
    return texts;
  }

  std::vector<std::string> submit(const Submission& submission) override {
    if (is_missing("sbatch")) throw broken_environment(not_here("sbatch"));
    require_there(asked_.root);
    require_readable(target_.preamble, asked_.target.target.name);
    const auto directory = target_directory(asked_.root, asked_.target.target.name);
    fs::create_directories(directory / "log");  // where it is not there, Slurm starts nothing, and says so nowhere
    std::vector<std::string> ids;
    for (const auto& [name, text] : texts(submission)) {
      place_file(directory / name, text);
      ids.push_back(submit_script(directory / name));
    }
    return ids;
  }

  Queue queue() override {
    Queue queue;
    try {
      auto [live, ended] = squeue();
      queue.is_known = true;
      queue.tasks = std::move(live);
      const auto accounted = sacct();
      queue.ended = accounted ? *accounted : std::move(ended);
      queue.remarks = remarks();
    } catch (const Error& error) {
      queue.why_unknown = error.what();
    }
    return queue;
  }

  void cancel() override {
    const auto ids = live_ids();
    if (ids.empty()) return;
    Words words = {"scancel"};
    words.insert(words.end(), ids.begin(), ids.end());
    const auto done = ask(words);
    // A job that ended meanwhile makes it fail, too.
    if (!done.ok() && !live_ids().empty())
      throw broken_environment(fmt::format("scancel: {}{}", said(done), advice_on(said(done))));
  }

 private:
  std::vector<ArrayJob> jobs(const Submission& submission) const {
    if (!array_size_) array_size_ = max_array_size();
    return array_jobs(submission, *array_size_, asked_.campaign.settings.parallel);
  }

  static std::string file_of(const ArrayJob& job) { return fmt::format("job-{}.{}.sh", job.number, job.offset); }

  std::string submit_script(const fs::path& script) const {
    const auto done = ask({"sbatch", "--parsable", script.string()});
    const auto id = done.out.substr(0, done.out.find_first_of(";\n"));  // "123;cluster"
    if (done.ok() && !id.empty() && id.find_first_not_of("0123456789") == id.npos) return id;
    const auto why = said(done) + advice_on(said(done));
    throw broken_environment(fmt::format("sbatch {}: {}", specs::printable(script.string()), why));
  }

  Jobs squeue() const {
    if (is_missing("squeue")) throw broken_environment(not_here("squeue"));
    const auto done = ask({"squeue", "-h", "-r", "-t", "all", "-u", users_of(asked_.root), "-o", squeue_format});
    if (!done.ok()) throw broken_environment(fmt::format("squeue: {}{}", said(done), advice_on(said(done))));
    return jobs_in_squeue(done.out, job_prefix(asked_));
  }

  // Nothing where there is no accounting. Times are local ones, and a campaign was made in UTC.
  std::optional<std::vector<Task>> sacct() const {
    if (is_missing("sacct")) return std::nullopt;
    const auto since = asked_.campaign.created.substr(0, 19);
    const auto done = ask({"sacct", "-n", "-P", "-X", "-D", "--delimiter=\x1f", "-S", since, "-u", users_of(asked_.root), "-o",
                           sacct_format},
                          {{"TZ", "UTC"}});
    if (!done.ok()) return std::nullopt;
    return ended_in_sacct(done.out, job_prefix(asked_));
  }

  std::vector<std::string> remarks() const {
    if (is_missing("sinfo")) return {};
    Words words = {"sinfo", "-h", "-N", "-o", sinfo_format};
    if (!target_.partition.empty()) inspector::append(words, {"-p", target_.partition});
    if (!target_.nodelist.empty() && !target_.nodelist.starts_with('/')) inspector::append(words, {"-n", target_.nodelist});
    const auto done = ask(words);
    return done.ok() ? node_remarks(done.out, target_, excluded()) : std::vector<std::string>{};
  }

  // "n[1-3]" -> n1, n2, n3
  std::set<std::string> excluded() const {
    if (target_.exclude.empty() || target_.exclude.starts_with('/') || is_missing("scontrol")) return {};
    const auto names = ask({"scontrol", "show", "hostnames", target_.exclude});
    std::set<std::string> nodes;
    for (const auto& row : rows_of(names.out, 1)) nodes.insert(std::string(row[0]));
    return nodes;
  }

  // Of arrays: "123", which stands for all tasks of it.
  std::set<std::string> live_ids() const {
    std::set<std::string> ids;
    for (const auto& task : squeue().live) ids.insert(task.job.substr(0, task.job.find('_')));
    return ids;
  }

  Asked asked_;
  const specs::SlurmTarget& target_;
  mutable std::optional<std::uint64_t> array_size_;
};

}  // namespace

std::unique_ptr<Scheduler> make_slurm(const Asked& asked) { return std::make_unique<Slurm>(asked); }

}  // namespace stackx::campaigns::cluster
