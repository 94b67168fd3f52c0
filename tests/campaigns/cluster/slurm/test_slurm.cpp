// What Slurm's programs are asked, with look-alikes of them: tests/cli/schedulers/test_slurm_cluster.py has the real ones.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "campaigns/cluster/slurm/slurm.hpp"
#include "specs/error.hpp"
#include "tests/campaigns/cluster/slurm/asked.hpp"

namespace slurm_tests_of_programs {

using namespace stackx;
using namespace stackx::campaigns::cluster;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A spool, and a PATH on which there are no programs but those that a test writes, and sh.
class Site {
 public:
  Site() : path_(std::getenv("PATH")) {
    std::string name = (fs::temp_directory_path() / "stackx-slurm-XXXXXX").string();
    place_ = mkdtemp(name.data());
    scene.root = place_ / "spool" / "3f2a09c1d2e4";
    fs::create_directories(scene.root);
    std::ofstream(scene.root / "campaign.json") << "{}";
    fs::create_directories(place_ / "bin");
    setenv("PATH", (place_ / "bin").c_str(), 1);
    setenv("SBATCH_PARTITION", "elsewhere", 1);
  }
  ~Site() {
    setenv("PATH", path_.c_str(), 1);
    unsetenv("SBATCH_PARTITION");
    fs::remove_all(place_);
  }

  // Keeps what it was called with in `calls`.
  void program(const std::string& name, const std::string& body) const {
    const auto file = place_ / "bin" / name;
    std::ofstream(file) << "#!/bin/sh\necho \"" << name << " $* ${SBATCH_PARTITION:-}\" >> '" << (place_ / "calls").string()
                        << "'\n" << body << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  std::string calls() const { return read(place_ / "calls"); }

  slurm_tests::Scene scene;

 private:
  std::string path_;
  fs::path place_;
};

const std::string prefix = "stackx-3f2a09c1d2e4-h100-";

}  // namespace

TEST_CASE("scripts are put on the spool and submitted as they are there") {
  Site site;
  site.program("sbatch", "echo '77;cluster'");
  site.program("scontrol", "echo 'MaxArraySize            = 10'");
  const auto slurm = make_slurm(site.scene.asked());
  CHECK(slurm->submit({3, {0, 1, 12}}) == std::vector<std::string>{"77", "77"});
  const auto directory = site.scene.root / "h100";
  CHECK_THAT(read(directory / "job-3.0.sh"), Contains("--array=0-1%8\n"));
  CHECK_THAT(read(directory / "job-3.10.sh"), Contains("--array=2%8\n"));
  CHECK(fs::is_directory(directory / "log"));
  CHECK_THAT(site.calls(), Contains("sbatch --parsable " + (directory / "job-3.10.sh").string() + " \n"));  // no SBATCH_PARTITION
  CHECK(slurm->texts({3, {0, 1, 12}}).at(1).text == read(directory / "job-3.10.sh"));
}

TEST_CASE("what sbatch says is passed on, with what to do") {
  Site site;
  const auto slurm = make_slurm(site.scene.asked());
  CHECK_THROWS_WITH(slurm->submit({0, {0}}), Contains("sbatch is not installed here: run this on a login node"));
  const std::pair<const char*, const char*> rows[] = {
      {"sbatch: error: invalid partition specified: foo", "set the target's `partition`"},
      {"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)", "try again later"},
      {"sbatch: error: Batch job submission failed: Invalid feature specification", "`constraint`"},
      {"sbatch: error: Batch job submission failed: Requested node configuration is not available", "`gres`"},
  };
  for (const auto& [words, advice] : rows) {
    site.program("sbatch", std::string("echo '") + words + "' >&2; exit 1");
    CHECK_THROWS_WITH(slurm->submit({0, {0}}), Contains(words) && Contains(advice));
  }
  site.program("sbatch", "echo 'not a number'");
  CHECK_THROWS_WITH(slurm->submit({0, {0}}), Contains("not a number"));
  fs::remove(site.scene.root / "campaign.json");
  CHECK_THROWS_WITH(slurm->submit({0, {0}}), Contains("is the spool mounted"));
}

TEST_CASE("a preamble that would swallow the script is refused") {
  for (const char* preamble : {"echo 'never closed", "cat <<END", "if true; then", "x() {"}) {
    Site site;
    fs::create_symlink("/bin/bash", fs::path(std::getenv("PATH")) / "bash");
    site.program("sbatch", "echo 77");
    std::get<specs::SlurmTarget>(site.scene.target.target.on).preamble = preamble;
    CHECK_THROWS_WITH(make_slurm(site.scene.asked())->submit({0, {0}}),
                      Contains("target h100: its preamble is no whole script of bash"));
    CHECK(site.calls() == "");
  }
}

TEST_CASE("a queue that cannot be asked is unknown") {
  Site site;
  const auto slurm = make_slurm(site.scene.asked());
  CHECK_FALSE(slurm->queue().is_known);
  CHECK_THAT(slurm->queue().why_unknown, Contains("squeue is not installed here"));
  site.program("squeue",
               "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1");
  CHECK_FALSE(slurm->queue().is_known);
  CHECK_THAT(slurm->queue().why_unknown, Contains("squeue: slurm_load_jobs error") && Contains("try again later"));
  CHECK_THROWS_WITH(slurm->cancel(), Contains("slurm_load_jobs error"));
}

TEST_CASE("the queue: what lives, what ended, what is said of nodes") {
  Site site;
  site.program("squeue", "printf '12_4\\037RUNNING\\037n1\\037" + prefix + "0.0\\037None\\n12_5\\037FAILED\\037n1\\037" + prefix +
                             "0.0\\037NonZeroExitCode\\n'");
  site.program("sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1");
  site.program("sinfo", "printf 'n2\\037main*\\037drained\\037h100\\037gpu:h100:1\\037bad disk\\n'");
  const auto slurm = make_slurm(site.scene.asked());
  auto queue = slurm->queue();
  CHECK(queue.is_known);
  REQUIRE(queue.tasks.size() == 1);
  CHECK(queue.tasks[0].block == 4);
  REQUIRE(queue.ended.size() == 1);
  CHECK(queue.ended[0].why == "FAILED: NonZeroExitCode");
  REQUIRE(queue.remarks.size() == 1);
  CHECK_THAT(queue.remarks[0], Contains("node n2 is drained (bad disk)"));
  site.program("sacct", "printf '12_5\\037FAILED\\037n1\\037127:0\\037" + prefix + "0.0\\n'");
  queue = slurm->queue();
  REQUIRE(queue.ended.size() == 1);
  CHECK(queue.ended[0].why == "FAILED, exit code 127");
  CHECK_THAT(site.calls(), Contains("-S 2026-11-25T16:39:33 "));
}

TEST_CASE("cancelling ends the jobs that the queue shows, by their ids") {
  Site site;
  const std::string two = "printf '12_4\\037RUNNING\\037n1\\037" + prefix + "0.0\\037None\\n12_5\\037PENDING\\037\\037" + prefix +
                          "0.0\\037None\\n13_0\\037PENDING\\037\\037" + prefix +
                          "1.0\\037None\\n14_0\\037RUNNING\\037n1\\037other\\037None\\n'";
  site.program("squeue", two);
  site.program("scancel", "");
  const auto slurm = make_slurm(site.scene.asked());
  slurm->cancel();
  CHECK_THAT(site.calls(), Contains("scancel 12 13 \n"));
  site.program("scancel", "echo 'scancel: error: Kill job error on job id 12: Access/permission denied' >&2; exit 1");
  CHECK_THROWS_WITH(slurm->cancel(), Contains("permission denied"));
  site.program("squeue", "if [ ! -e '" + site.scene.root.string() + "/ended' ]; then\n" + two + "\nfi");
  site.program("scancel", ": > '" + site.scene.root.string() + "/ended'; exit 1");
  CHECK_NOTHROW(slurm->cancel());  // it ended meanwhile
}

}  // namespace slurm_tests_of_programs
