// Batch scripts: what stands in one, and that nothing of a target's texts becomes anything else in it.
#include <catch2/catch.hpp>

#include <numeric>

#include "campaigns/cluster/slurm/script.hpp"
#include "inspector/process/process.hpp"
#include "tests/campaigns/cluster/slurm/asked.hpp"

namespace slurm_script_tests {

using namespace stackx;
using namespace stackx::campaigns::cluster;
using Catch::Contains;
using slurm_tests::Scene;

namespace {

Blocks first(std::uint64_t count) {
  Blocks blocks(count);
  std::iota(blocks.begin(), blocks.end(), 0);
  return blocks;
}

inspector::Finished bash(const std::string& script, const inspector::Environment& variables, bool only_read = false) {
  inspector::Command command;
  command.argv = {"bash", "-c", script};
  if (only_read) command.argv.insert(command.argv.begin() + 1, "-n");
  command.environment = inspector::current_environment();
  for (const auto& [name, value] : variables) command.environment[name] = value;
  return inspector::run(command);
}

// As Slurm would start task 4; the program prints its arguments.
std::string printed(const std::string& script) {
  const auto done = bash(script, {{"SLURM_ARRAY_TASK_ID", "4"}, {"SLURM_ARRAY_JOB_ID", "120"}, {"SLURM_JOB_ID", "124"}});
  CHECK(done.err == "");
  CHECK(done.ok());
  return done.out;
}

}  // namespace

TEST_CASE("a batch script can be read before it is submitted") {
  specs::SlurmTarget slurm;
  slurm.partition = "gpu";
  slurm.account = "a1";
  slurm.qos = "normal";
  slurm.constraint = "h100&ib";
  slurm.gres = "gpu:h100:1";
  slurm.nodelist = "n[1-4]";
  slurm.exclude = "n2";
  slurm.reservation = "bench";
  slurm.time = "02:00:00";
  slurm.directives = {"--mem=0"};
  slurm.preamble = "module load cuda\n";
  const Scene scene(slurm);
  CHECK(script_of(scene.asked(), {3, 0, {0, 1, 2, 3, 7}, 16}) == R"(#!/bin/bash
#SBATCH --job-name=stackx-3f2a09c1d2e4-h100-3.0
# A task is a block; after % stands how many run at once.
#SBATCH --array=0-3,7%16
# What shares a node with a measurement becomes part of it.
#SBATCH --nodes=1
#SBATCH --exclusive
# A block whose node was lost or given to others begins again, and measures what it lacks.
#SBATCH --requeue
#SBATCH --open-mode=append
# Two minutes before its time is over the block is told, and ends by itself. (NCCL takes USR1.)
#SBATCH --signal=B:USR2@120
#SBATCH --chdir=/
#SBATCH --output=/shared/stackx/3f2a09c1d2e4/h100/log/3.block-%a.%A_%a.out
# Of the campaign's settings:
#SBATCH --partition=gpu
#SBATCH --account=a1
#SBATCH --qos=normal
#SBATCH "--constraint=h100&ib"
#SBATCH --gres=gpu:h100:1
#SBATCH "--nodelist=n[1-4]"
#SBATCH --exclude=n2
#SBATCH --reservation=bench
#SBATCH --time=02:00:00
#SBATCH --mem=0

readonly stackx_block=$((0 + ${SLURM_ARRAY_TASK_ID:?is not set; submit this with sbatch}))

# The preamble of the campaign's settings.
module load cuda


# If its last line failed, nothing is measured: it would be something else.
stackx_preamble=$?
if [ "$stackx_preamble" -ne 0 ]; then
  echo "stackx: the last line of the preamble ended with $stackx_preamble, so nothing is measured" >&2
  exit "$stackx_preamble"
fi

set -u
# In place of the shell, whom Slurm sends its signals.
exec /opt/stackx/bin/stackx cluster block /shared/stackx/3f2a09c1d2e4 \
  --target h100 --block "$stackx_block" \
  --attempt "${SLURM_JOB_ID}.${SLURM_RESTART_COUNT:-0}" --job "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
)");
}

TEST_CASE("a target that asks for nothing gets what every target gets") {
  const Scene scene;
  const auto script = script_of(scene.asked(), {0, 1001, {0}, 1});
  CHECK_THAT(script, Contains("--job-name=stackx-3f2a09c1d2e4-h100-0.1001\n") && Contains("/log/0.block-1001+%a.%A_%a.out\n\n"));
  CHECK_THAT(script, !Contains("preamble") && !Contains("settings"));
}

TEST_CASE("a block has its node's memory, unless the settings say how much") {
  CHECK(script_of(Scene().asked(), {0, 0, {0}, 1}).find("#SBATCH --mem=0\n") != std::string::npos);
  specs::SlurmTarget slurm;
  slurm.directives = {"--hold", "--mem-per-cpu=2G"};
  CHECK(script_of(Scene(slurm).asked(), {0, 0, {0}, 1}).find("--mem=0") == std::string::npos);
}

TEST_CASE("what a task runs: its block, its start, its job") {
  specs::SlurmTarget slurm;
  slurm.program = "/bin/echo";
  slurm.preamble = "echo \"before $stackx_block\"; : ${there_is_no_such_variable}";
  const Scene scene(slurm);
  CHECK(printed(script_of(scene.asked(), {0, 1001, {4}, 1})) ==
        "before 1005\ncluster block /shared/stackx/3f2a09c1d2e4 --target h100 --block 1005 --attempt 124.0 --job 120_4\n");
  CHECK_THAT(bash(script_of(scene.asked(), {0, 0, {4}, 1}), {}).err, Contains("submit this with sbatch"));
}

TEST_CASE("a preamble whose last line fails measures nothing") {
  specs::SlurmTarget slurm;
  slurm.program = "/bin/echo";
  slurm.preamble = "true\n(exit 7)";
  const Scene scene(slurm);
  const auto done = bash(script_of(scene.asked(), {0, 0, {4}, 1}), {{"SLURM_ARRAY_TASK_ID", "4"}});
  CHECK(done.status == 7);
  CHECK(done.out == "");
  CHECK_THAT(done.err, Contains("the last line of the preamble ended with 7"));
}

TEST_CASE("texts of people stay what they are") {
  for (const std::string text : {"it's", "a \"b\" c", "$(echo no)", "`echo no`", "a\\b", "#x", "é ü", "--x", "!x", "a;b|c>d"}) {
    specs::SlurmTarget slurm;
    slurm.program = "/bin/echo";
    slurm.constraint = text;
    slurm.preamble = "# " + text + " \\";
    Scene scene(slurm);
    scene.root = "/shared/" + text;
    const auto script = script_of(scene.asked(), {0, 0, {4}, 1});
    CHECK(bash(script, {}, true).err == "");
    CHECK_THAT(printed(script), Contains("cluster block /shared/" + text + " --target h100"));
  }
  Scene scene;
  scene.root = "/shared/100% \"sure\"";
  CHECK_THAT(script_of(scene.asked(), {0, 0, {0}, 1}),
             Contains("\n#SBATCH \"--output=/shared/100%% \\\"sure\\\"/h100/log/0.block-%a.%A_%a.out\"\n"));
}

TEST_CASE("nothing of a preamble is an option of sbatch") {
  specs::SlurmTarget slurm;
  slurm.preamble = "#SBATCH --array=0-99";
  const Scene scene(slurm);
  const auto script = script_of(scene.asked(), {0, 0, {0}, 1});
  CHECK(script.find("readonly") < script.find("#SBATCH --array=0-99"));  // sbatch reads no further than the first command
}

TEST_CASE("blocks beyond MaxArraySize are those of further jobs") {
  const auto one = array_jobs({3, first(8)}, 1001, 16);
  REQUIRE(one.size() == 1);
  CHECK(text_of(one[0].indices) == "0-7");
  CHECK(one[0].parallel == 16);
  CHECK(one[0].number == 3);

  const auto three = array_jobs({0, first(2500)}, 1001, 16);
  REQUIRE(three.size() == 3);
  CHECK(text_of(three[0].indices) == "0-1000");
  CHECK(three[1].offset == 1001);
  CHECK(text_of(three[1].indices) == "0-1000");
  CHECK(three[2].offset == 2002);
  CHECK(text_of(three[2].indices) == "0-497");
  CHECK(three[0].parallel == 5);  // 16 for all of them

  const auto sparse = array_jobs({0, {5, 11, 25}}, 10, 1);
  REQUIRE(sparse.size() == 3);
  CHECK(sparse[1].offset + sparse[1].indices[0] == 11);
  CHECK(sparse[2].parallel == 1);
}

TEST_CASE("any list of blocks fits into a line that sbatch reads") {
  Blocks blocks;
  for (std::uint64_t block = 0; block < 100'000; block += 2) blocks.push_back(block);
  for (const auto& job : array_jobs({0, blocks}, 4'000'001, 16)) CHECK(text_of(job.indices).size() < 4096);
}

TEST_CASE("a block of several nodes is started on each of them") {
  Scene scene;
  scene.target.target.nodes = 2;
  const auto script = script_of(scene.asked(), {3, 0, {0}, 1});
  for (const char* line : {"#SBATCH --nodes=2\n", "#SBATCH --ntasks=2\n", "#SBATCH --ntasks-per-node=1\n", "#SBATCH --signal=USR2@120\n"})
    CHECK_THAT(script, Contains(line));
  CHECK(bash(script, {}, true).ok());
  // Where `srun` runs what follows its options once a node.
  const auto srun = "srun() { while [ \"$1\" != sh ]; do shift; done; for SLURM_PROCID in 0 1; do export SLURM_PROCID; \"$@\"; done; }\n";
  Scene printing;
  printing.target.target.nodes = 2;
  printing.program = "/bin/echo";
  const auto done = bash(srun + script_of(printing.asked(), {3, 0, {0}, 1}),
                         {{"SLURM_ARRAY_TASK_ID", "4"}, {"SLURM_ARRAY_JOB_ID", "120"}, {"SLURM_JOB_ID", "124"}, {"SLURM_LAUNCH_NODE_IPADDR", "10.1.0.7"}});
  CHECK(done.err == "");
  const std::string words = "cluster block /shared/stackx/3f2a09c1d2e4 --target h100 --block 4 --attempt 124.0 --job 120_4 --worker ";
  CHECK(done.out == words + "0 --meet 10.1.0.7:20124\n" + words + "1 --meet 10.1.0.7:20124\n");
}

}  // namespace slurm_script_tests
