// Where a campaign's documents lie on the spool, which head and nodes see:
//
//   <spool>/<first 12 digits of the id>/
//     campaign.json                    stackx/cluster/1
//     cancelled, finished              marks: nothing is submitted any more; all is there, and the hook after it ran
//     stage/<machine>/                 what was fetched and made for nodes of that kind: a cache, as $XDG_CACHE_HOME/stackx is
//           images/<id>.tar            images of the container runner (inspector/environment/image_archives.hpp)
//     <target>/project.json            and beside it the catalogs that it names, and the user's own: overlay-<N>.json
//              wave-<W>.json           stackx/wave/1
//              submission-<N>.json     what was submitted: blocks, jobs, when
//              job-....                the scripts and manifests of it
//              log/                    what jobs print
//              block-<K>/<attempt>/    plan.json, attempt.json, <inspection id>.json
//
//   <spool>/program-<16 digits of its SHA-256>/   a program of --pi, which campaigns run from here
//
// Every file comes to its place whole: a temporary name, fsync, rename, fsync of the directory; without locks (specs/format/
// draft.hpp has them), which shared file systems often refuse, and which nobody needs: each file has one writer. A directory
// without campaign.json is no place of a campaign: a spool that is not mounted is a mount point, empty, and nothing is ever
// made in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "campaigns/cluster/block_list.hpp"
#include "specs/project/cluster_campaign.hpp"
#include "specs/project/project.hpp"

namespace stackx::campaigns::cluster {

namespace fs = std::filesystem;

fs::path root_of(const specs::ClusterCampaign& campaign);
bool is_there(const fs::path& root);  // mounted, with its campaign.json
// Throws Error(environment) where it is not there, and says that it may not be mounted.
void require_there(const fs::path& root);

specs::ClusterCampaign read_campaign(const fs::path& root);
fs::path target_directory(const fs::path& root, const std::string& target);
fs::path block_directory(const fs::path& root, const std::string& target, std::uint64_t block);
fs::path wave_file(const fs::path& root, const std::string& target, std::uint64_t wave);
std::optional<specs::Wave> read_wave(const fs::path& root, const std::string& target, std::uint64_t wave);
specs::PythonContext overlays_in(const fs::path& target_directory);  // the user's own catalogs, as they were frozen; no others
fs::path stage_directory(const fs::path& root);  // for machines like this one: "stage/x86_64"
fs::path image_directory(const fs::path& root);  // of all machines: an image is what its id says

// A file to its place, whole and durable. Throws Error(environment).
void place_file(const fs::path& file, std::string_view text);
void write_document(const fs::path& file, const nlohmann::json& document);

// A wave that is begun; where it is there already, it stays as it is.
void begin_wave(const fs::path& root, const specs::Wave& wave);
std::uint64_t waves_begun(const fs::path& root, const std::string& target);

// What was submitted of a target, by number. It is written before the scheduler is asked, so that a name of a job is never
// used twice, and again with the jobs.
struct Submitted {
  std::uint64_t number = 0;
  std::string created;
  Blocks blocks;
  std::vector<std::string> jobs;
};
// False, and nothing is changed, where another head has just begun one with this number.
bool begin_submission(const fs::path& root, const std::string& target, const Submitted& submitted);
void write_submitted(const fs::path& root, const std::string& target, const Submitted& submitted);
std::vector<Submitted> read_submitted(const fs::path& root, const std::string& target);

// What a start of a block says of itself (format stackx/attempt/1): a hint, for people; documents of inspections are the truth.
enum class AttemptState { running, complete, interrupted, wrong_node, failed, nothing_left };
const char* to_string(AttemptState state);
struct Attempt {
  std::string cluster, target, attempt;
  std::uint64_t block = 0;
  AttemptState state = AttemptState::running;
  std::string reason;              // of wrong_node, failed, interrupted
  std::string node, job, plan;     // host name, the scheduler's word for the job, id of the plan; "" if there is none
  std::string began, ended;        // RFC 3339; ended "" while it runs
  std::uint64_t rounds = 0;        // that it set out to measure
  nlohmann::json host;             // what the node is: the host document
};
nlohmann::json to_json(const Attempt& attempt);
Attempt attempt_from(const specs::Node& node);

}  // namespace stackx::campaigns::cluster
