#include "campaigns/cluster/place.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>

#include "specs/error.hpp"
#include "specs/format/draft.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::campaigns::cluster {
namespace {

constexpr std::pair<AttemptState, const char*> attempt_states[] = {
    {AttemptState::running, "running"},         {AttemptState::complete, "complete"}, {AttemptState::interrupted, "interrupted"},
    {AttemptState::wrong_node, "wrong_node"},   {AttemptState::failed, "failed"},     {AttemptState::nothing_left, "nothing_left"}};

AttemptState attempt_state_from(const specs::Node& node) {
  for (const auto& [state, name] : attempt_states)
    if (node.text() == name) return state;
  node.fail(fmt::format("no state of an attempt is called \"{}\"", node.text()));
}

// The file beside its place, under a name that processes of two machines do not share; it goes again where it did not get there.
struct Part {
  Part(const fs::path& place, std::string_view text)
      : path(place.parent_path() / fmt::format(".{}.{:08x}.part", place.filename().string(), std::random_device{}())) {
    errno = 0;
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (out) return;
    const int why = errno;
    remove();
    throw broken_environment(fmt::format("{}: cannot be written: {}", place.string(), std::strerror(why)));
  }
  ~Part() { remove(); }
  Part(const Part&) = delete;
  void remove() const {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  fs::path path;
};

// False where there is one already: the first of two heads wins.
bool place_new(const fs::path& file, std::string_view text) {
  const Part part(file, text);
  try {
    specs::put_in_place(part.path, file, specs::Existing::kept);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    return false;
  }
}

fs::path submission_file(const fs::path& root, const std::string& target, std::uint64_t number) {
  return root / target / fmt::format("submission-{}.json", number);
}

std::string submission_text(const Submitted& submitted) {
  return specs::canonical({{"$schema", "stackx/submission/1"},
                           {"number", submitted.number},
                           {"created", submitted.created},
                           {"blocks", text_of(submitted.blocks)},
                           {"jobs", submitted.jobs}}) +
         "\n";
}

}  // namespace

fs::path root_of(const specs::ClusterCampaign& campaign) { return fs::path(campaign.settings.spool) / campaign.short_id(); }

bool is_there(const fs::path& root) {
  std::error_code away;
  return fs::is_regular_file(root / "campaign.json", away);
}

void require_there(const fs::path& root) {
  if (!is_there(root))
    throw broken_environment(fmt::format("{}: no campaign.json there; is the spool mounted on this machine? Nothing was changed",
                                         root.string()));
}

specs::ClusterCampaign read_campaign(const fs::path& root) {
  require_there(root);
  return specs::cluster_campaign_from(specs::Node::parse_file(root / "campaign.json"));
}

fs::path target_directory(const fs::path& root, const std::string& target) { return root / target; }

fs::path block_directory(const fs::path& root, const std::string& target, std::uint64_t block) {
  return root / target / fmt::format("block-{}", block);
}

fs::path wave_file(const fs::path& root, const std::string& target, std::uint64_t wave) {
  return root / target / fmt::format("wave-{}.json", wave);
}

std::optional<specs::Wave> read_wave(const fs::path& root, const std::string& target, std::uint64_t wave) {
  const auto file = wave_file(root, target, wave);
  if (!fs::exists(file)) return std::nullopt;
  return specs::wave_from(specs::Node::parse_file(file));
}

specs::PythonContext overlays_in(const fs::path& target_directory) {
  specs::PythonContext context;
  context.of_user = false;
  for (const auto& file : specs::json_files(target_directory))
    if (file.filename().string().starts_with("overlay-")) context.overlays.push_back(file);
  return context;
}

fs::path stage_directory(const fs::path& root) {
  utsname name{};
  uname(&name);
  return root / "stage" / name.machine;
}

fs::path image_directory(const fs::path& root) { return root / "stage" / "images"; }

void place_file(const fs::path& file, std::string_view text) {
  Part part(file, text);
  specs::put_in_place(part.path, file, specs::Existing::replaced);
}

void write_document(const fs::path& file, const nlohmann::json& document) { place_file(file, specs::canonical(document) + "\n"); }

void begin_wave(const fs::path& root, const specs::Wave& wave) {
  place_new(wave_file(root, wave.target, wave.wave), specs::canonical(specs::to_json(wave)) + "\n");
}

std::uint64_t waves_begun(const fs::path& root, const std::string& target) {
  std::uint64_t waves = 0;
  while (fs::exists(wave_file(root, target, waves))) ++waves;
  return waves;
}

bool begin_submission(const fs::path& root, const std::string& target, const Submitted& submitted) {
  return place_new(submission_file(root, target, submitted.number), submission_text(submitted));
}

void write_submitted(const fs::path& root, const std::string& target, const Submitted& submitted) {
  place_file(submission_file(root, target, submitted.number), submission_text(submitted));
}

std::vector<Submitted> read_submitted(const fs::path& root, const std::string& target) {
  std::vector<Submitted> all;
  for (std::uint64_t number = 0;; ++number) {
    const auto file = submission_file(root, target, number);
    if (!fs::exists(file)) return all;
    const auto node = specs::Node::parse_file(file);
    node.schema("stackx/submission/1");
    all.push_back({number, node.at("created").text(), blocks_from(node.at("blocks").text()), node.at("jobs").texts()});
  }
}

const char* to_string(AttemptState state) {
  for (const auto& [known, name] : attempt_states)
    if (known == state) return name;
  return "?";
}

nlohmann::json to_json(const Attempt& attempt) {
  specs::Json json = {{"$schema", "stackx/attempt/1"}, {"cluster", attempt.cluster}, {"target", attempt.target},
                      {"block", attempt.block},        {"attempt", attempt.attempt}, {"state", to_string(attempt.state)},
                      {"node", attempt.node},          {"job", attempt.job},         {"began", attempt.began},
                      {"rounds", attempt.rounds}};
  if (!attempt.reason.empty()) json["reason"] = specs::to_utf8(attempt.reason);
  if (!attempt.plan.empty()) json["plan"] = attempt.plan;
  if (!attempt.ended.empty()) json["ended"] = attempt.ended;
  if (!attempt.host.is_null()) json["host"] = attempt.host;
  return json;
}

Attempt attempt_from(const specs::Node& node) {
  node.schema("stackx/attempt/1");
  Attempt attempt;
  attempt.cluster = node.at("cluster").text();
  attempt.target = node.at("target").text();
  attempt.block = node.at("block").unsigned_integer();
  attempt.attempt = node.at("attempt").text();
  attempt.state = attempt_state_from(node.at("state"));
  attempt.node = node.at("node").text();
  attempt.job = node.at("job").text();
  attempt.began = node.at("began").text();
  attempt.rounds = node.at("rounds").unsigned_integer();
  if (const auto one = node.find("reason")) attempt.reason = one->text();
  if (const auto one = node.find("plan")) attempt.plan = one->text();
  if (const auto one = node.find("ended")) attempt.ended = one->text();
  if (const auto one = node.find("host")) attempt.host = one->json();
  return attempt;
}

}  // namespace stackx::campaigns::cluster
