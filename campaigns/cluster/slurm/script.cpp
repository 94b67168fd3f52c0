#include "campaigns/cluster/slurm/script.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/project/sbatch_options.hpp"
#include "workspace/asked/shell_words.hpp"

namespace stackx::campaigns::cluster {
namespace {

using workspace::shell_quoted;

constexpr std::uint64_t most_in_a_job = 1001;  // Slurm's default of MaxArraySize

// One word for sbatch, which knows quotes and backslashes, and takes a # outside of quotes for a comment.
std::string sbatch_word(const std::string& text) {
  if (shell_quoted(text) == text) return text;
  std::string word = "\"";
  for (const char c : text) word += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return word + "\"";
}

std::string directive_line(const std::string& option, const std::string& value) {
  return value.empty() ? "" : "#SBATCH " + sbatch_word("--" + option + "=" + value) + "\n";
}

// In names of files a % begins a pattern.
std::string without_patterns(const std::string& path) {
  std::string text;
  for (const char c : path) text += c == '%' ? std::string("%%") : std::string(1, c);
  return text;
}

// "3.block-1001+5.123_5.out": all starts of a task write to one file.
std::string log_of(const Asked& asked, const ArrayJob& job) {
  const auto block = job.offset == 0 ? "%a" : fmt::format("{}+%a", job.offset);
  const auto directory = asked.root / asked.target.target.name / "log";
  return without_patterns(directory.string()) + fmt::format("/{}.block-{}.%A_%a.out", job.number, block);
}

std::string options_of_nodes(std::uint64_t nodes) {
  if (nodes == 1) return "";
  return fmt::format("# An inspection is spread over so many nodes: a task, and a worker, on each.\n"
                     "#SBATCH --nodes={0}\n#SBATCH --ntasks={0}\n#SBATCH --ntasks-per-node=1\n",
                     nodes);
}

// Without it a job has the memory that Slurm gives by default, be the node its own or not (DefMemPerNode, DefMemPerCPU).
std::string memory_of_node(const specs::SlurmTarget& target) {
  if (std::ranges::any_of(target.directives, specs::asks_for_memory)) return "";
  return "# All memory of the node, of which a job has a default's share else.\n#SBATCH --mem=0\n";
}

std::string options_of_stackx(const Asked& asked, const ArrayJob& job) {
  const auto nodes = asked.target.target.nodes;
  return directive_line("job-name", job_name(asked, job)) +
         "# A task is a block; after % stands how many run at once.\n" +
         directive_line("array", fmt::format("{}%{}", text_of(job.indices), job.parallel)) +
         options_of_nodes(nodes) +
         "# What shares a node with a measurement becomes part of it.\n" +
         (nodes == 1 ? "#SBATCH --nodes=1\n" : "") +
         "#SBATCH --exclusive\n" +
         memory_of_node(std::get<specs::SlurmTarget>(asked.target.target.on)) +
         "# A block whose node was lost or given to others begins again, and measures what it lacks.\n"
         "#SBATCH --requeue\n"
         "#SBATCH --open-mode=append\n"
         "# Two minutes before its time is over the block is told, and ends by itself. (NCCL takes USR1.)\n"
         "#SBATCH --signal=" + (nodes == 1 ? "B:" : "") + "USR2@120\n"
         "#SBATCH --chdir=/\n" +
         directive_line("output", log_of(asked, job));
}

std::string options_of_target(const specs::SlurmTarget& target) {
  std::string text = directive_line("partition", target.partition) + directive_line("account", target.account) +
                     directive_line("qos", target.qos) + directive_line("constraint", target.constraint) +
                     directive_line("gres", target.gres) + directive_line("nodelist", target.nodelist) +
                     directive_line("exclude", target.exclude) + directive_line("reservation", target.reservation) +
                     directive_line("time", target.time);
  for (const auto& line : target.directives) text += "#SBATCH " + line + "\n";
  return text.empty() ? "" : "# Of the campaign's settings:\n" + text;
}

// The empty line ends a last line that ends in a backslash.
std::string preamble_of(const specs::SlurmTarget& target) {
  if (target.preamble.empty()) return "";
  return "# The preamble of the campaign's settings.\n" + target.preamble + "\n\n" +
         R"(# If its last line failed, nothing is measured: it would be something else.
stackx_preamble=$?
if [ "$stackx_preamble" -ne 0 ]; then
  echo "stackx: the last line of the preamble ended with $stackx_preamble, so nothing is measured" >&2
  exit "$stackx_preamble"
fi

)";
}

// Ports below those that the kernel gives away; whole nodes have one job each.
constexpr const char* port_of_job = "$((20000 + SLURM_JOB_ID % 10000))";
// What only a task knows: which it is, and the address of the node where srun runs, which is the first.
constexpr const char* of_task = R"(--worker "$SLURM_PROCID" --meet "$SLURM_LAUNCH_NODE_IPADDR:)";

std::string start_on_all(std::uint64_t nodes) {
  return fmt::format("# By what the nodes of this block know one another; only this job's processes can read it.\n"
                     "STACKX_MEETING=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')\n"
                     "export STACKX_MEETING\n"
                     "# On each node; the first task is on this one, where the others find it.\n"
                     "srun --nodes={0} --ntasks={0} --ntasks-per-node=1 --export=ALL --mpi=none --cpu-bind=none --input=none \\\n"
                     "  --label --wait=0 --kill-on-bad-exit=1 \\\n  sh -c 'exec \"$@\" {1}{2}\"' stackx \\\n  ",
                     nodes, of_task, port_of_job);
}

std::string words_of_block(const Asked& asked) {
  const auto& target = std::get<specs::SlurmTarget>(asked.target.target.on);
  const auto program = target.program.empty() ? asked.program.string() : target.program;
  return fmt::format("{} cluster block {} \\\n  --target {} --block \"$stackx_block\" \\\n", shell_quoted(program),
                     shell_quoted(asked.root.string()), shell_quoted(asked.target.target.name)) +
         "  --attempt \"${SLURM_JOB_ID}.${SLURM_RESTART_COUNT:-0}\" --job \"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"";
}

}  // namespace

std::vector<ArrayJob> array_jobs(const Submission& submission, std::uint64_t array_size, std::uint64_t parallel) {
  const auto size = std::clamp<std::uint64_t>(array_size, 1, most_in_a_job);
  std::vector<ArrayJob> jobs;
  for (const auto block : submission.blocks) {
    const auto offset = block / size * size;
    if (jobs.empty() || jobs.back().offset != offset) jobs.push_back({submission.number, offset, {}, 1});
    jobs.back().indices.push_back(block - offset);
  }
  for (auto& job : jobs) job.parallel = std::max<std::uint64_t>(parallel / jobs.size(), 1);
  return jobs;
}

std::string job_name(const Asked& asked, const ArrayJob& job) {
  return fmt::format("{}{}.{}", job_prefix(asked), job.number, job.offset);
}

std::string script_of(const Asked& asked, const ArrayJob& job) {
  const auto& target = std::get<specs::SlurmTarget>(asked.target.target.on);
  const auto nodes = asked.target.target.nodes;
  return "#!/bin/bash\n" + options_of_stackx(asked, job) + options_of_target(target) + "\n" +
         fmt::format("readonly stackx_block=$(({} + ${{SLURM_ARRAY_TASK_ID:?is not set; submit this with sbatch}}))\n\n",
                     job.offset) +
         preamble_of(target) +
         "set -u\n" +
         (nodes == 1 ? "# In place of the shell, whom Slurm sends its signals.\nexec " + words_of_block(asked) + "\n"
                     : start_on_all(nodes) + words_of_block(asked) + "\n");
}

}  // namespace stackx::campaigns::cluster
