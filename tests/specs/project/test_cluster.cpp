#include <catch2/catch.hpp>
#include <set>

#include "specs/format/json.hpp"
#include "specs/project/cluster.hpp"
#include "specs/project/sbatch_options.hpp"
#include "specs/random.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

ClusterSettings settings(const Json& json) { return cluster_settings_from(Node::parse_text(canonical(json), "cluster.json")); }

Json on_slurm(const std::string& hardware) { return {{"hardware", hardware}, {"slurm", Json::object()}}; }

Json with_targets(Json targets) { return {{"targets", std::move(targets)}, {"spool", "/shared"}}; }

std::vector<std::string> names_of(const ClusterSettings& settings) {
  std::vector<std::string> names;
  for (const auto& target : settings.targets) names.push_back(target.name);
  return names;
}

std::string why_refused(const Json& json) {
  return message_of([&] { settings(json); });
}

}  // namespace

TEST_CASE("cluster: what is left out has a value, and what is written is read as the same") {
  const auto least = settings(with_targets({on_slurm("host")}));
  CHECK(least.blocks == 8);
  CHECK(least.rounds_per_block == 4);
  CHECK(least.parallel == 16);
  CHECK(least.attempts == 5);
  CHECK(least.after.empty());
  CHECK(least.targets.at(0).is_slurm());
  CHECK(to_json(settings(to_json(least))) == to_json(least));
  const auto full = Node::parse_file(STACKX_SOURCE_DIR "/tests/specs/documents/cluster-settings/good-full.json");
  auto json = full.json();
  json.erase("$schema");
  CHECK(to_json(cluster_settings_from(full)) == json);
}

TEST_CASE("cluster: targets without a name get one of their hardware, unique and fit for names of jobs") {
  const auto named = settings(with_targets({on_slurm("V100-SXM2 (16 GB)"), on_slurm("v100-sxm2-16-gb"), on_slurm("***"),
                                            {{"hardware", {{"gpu", "h100"}}}, {"slurm", Json::object()}}}));
  CHECK(names_of(named) == std::vector<std::string>{"v100-sxm2-16-gb", "v100-sxm2-16-gb-2", "target", "h100"});
}

TEST_CASE("cluster: names of many targets of any hardware can be read again") {
  Random random(1);
  const std::string letters = "aB9- _(";
  for (int trial = 0; trial < 300; ++trial) {
    std::string model = "x";
    for (auto size = random.below(40); size > 0; --size) model += letters[random.below(letters.size())];
    const auto count = trial < 2 ? 120 : 1 + random.below(12);
    Json targets = Json::array();
    for (std::uint64_t i = 0; i < count; ++i) targets.push_back(on_slurm(model));
    const auto read = settings(with_targets(targets));
    INFO(model);
    const auto names = names_of(read);
    CHECK(std::set(names.begin(), names.end()).size() == count);
    for (const auto& name : names) {
      CHECK(name.size() <= 20);
      CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
    }
    CHECK(names_of(settings(to_json(read))) == names);
  }
}

TEST_CASE("cluster: no target is called as what lies beside the targets' directories") {
  for (const char* name : {"stage", "cancelled", "finished"}) {
    auto target = on_slurm("v100");
    target["name"] = name;
    CHECK_THAT(why_refused(with_targets({target})), Contains("/targets/0/name") && Contains("another name"));
    CHECK(settings(with_targets({on_slurm(name)})).targets.at(0).name != name);
  }
}

TEST_CASE("cluster: what would break a script's line is refused") {
  for (const std::string text : {"a\nb", "a\rb", "a\tb", "\x1b[2J"}) {
    auto target = on_slurm("v100");
    target["slurm"]["account"] = text;
    CHECK_THAT(why_refused(with_targets({target})), Contains("/targets/0/slurm/account") && Contains("control characters"));
    target = on_slurm("v100");
    target["slurm"]["directives"] = {"--comment=" + text};
    CHECK_THAT(why_refused(with_targets({target})), Contains("control characters"));
    auto spool = with_targets({on_slurm("v100")});
    spool["spool"] = "/s" + text;
    CHECK_THAT(why_refused(spool), Contains("control characters"));
  }
  // Also as getopt_long reads them: abbreviated, by their letters, several in a line or a word.
  for (const char* ours : {"--array=0-9", "--array 0-9", "--array", "--requeue", "--signal=B:USR2@60", "-N 4", "-N4", "-a 0-99", "-o/dev/null", "-J foo",
                           "--arr=0-9", "--wrap=x", "--mem=0 -N 4", "--mem=0 --outp=x", "-Ho x", "--hold \"-N\" 4"}) {
    auto target = on_slurm("v100");
    target["slurm"]["directives"] = {ours};
    CHECK_THAT(why_refused(with_targets({target})), Contains("remove it") && Contains("/targets/0/slurm/directives/0"));
  }
  auto fine = on_slurm("v100");
  fine["slurm"]["directives"] = {"--nodes-of-mine=1", "--mem=0", "-C a", "-Aoa", "--comment=\"a -N 4\"", "--hold # -N 4"};  // begins like one of ours, is a value, a comment
  CHECK(std::get<SlurmTarget>(settings(with_targets({fine})).targets[0].on).directives.size() == 6);
}

TEST_CASE("cluster: a target may have several nodes an inspection, and then says nothing of tasks") {
  auto target = on_slurm("v100");
  CHECK(settings(with_targets({target})).targets.at(0).nodes == 1);
  CHECK_FALSE(to_json(settings(with_targets({target})))["targets"][0].contains("nodes"));
  target["nodes"] = 4;
  const auto read = settings(with_targets({target}));
  CHECK(read.targets.at(0).nodes == 4);
  CHECK(to_json(read)["targets"][0]["nodes"] == 4);
  for (const Json& wrong : {Json(0), Json(4097), Json("2")}) {
    target["nodes"] = wrong;
    CHECK_THAT(why_refused(with_targets({target})), Contains("/targets/0/nodes"));
  }
  for (const char* ours : {"--ntasks=2", "-n 2", "-n2", "--ntasks-per-node=2", "--ntasks-per-n=2"}) {
    target["nodes"] = 2;
    target["slurm"]["directives"] = {ours};
    CHECK_THAT(why_refused(with_targets({target})), Contains("stackx sets itself") && Contains("/targets/0/slurm/directives/0"));
    target["nodes"] = 1;
    CHECK(settings(with_targets({target})).targets.at(0).nodes == 1);
  }
}

TEST_CASE("cluster: a time is one that sbatch reads") {
  auto target = on_slurm("v100");
  for (const char* time : {"30", "30:00", "2:00:00", "1-12", "1-12:30", "1-12:30:00", "UNLIMITED"}) {
    target["slurm"]["time"] = time;
    CHECK_NOTHROW(settings(with_targets({target})));
  }
  for (const char* time : {"banana", "2h", "1:2:3:4", "-5"}) {
    target["slurm"]["time"] = time;
    CHECK_THAT(why_refused(with_targets({target})), Contains("/targets/0/slurm/time") && Contains(time));
  }
}

TEST_CASE("cluster: which directives ask for memory") {
  for (const char* one : {"--mem=0", "--mem 4G", "--mem-per-cpu=2G", "--mem-per-g=1G", "--hold --mem=1"}) CHECK(asks_for_memory(one));
  for (const char* one : {"--mem-bind=local", "--comment=--mem", "-C mem"}) CHECK_FALSE(asks_for_memory(one));
}
