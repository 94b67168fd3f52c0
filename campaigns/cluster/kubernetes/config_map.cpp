#include "campaigns/cluster/kubernetes/config_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "campaigns/cluster/place.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::campaigns::cluster {
namespace {

// Keys are of [-._a-zA-Z0-9], at most 253: "h100.blas.json". What a name has beside those is told by `items`.
std::string free_key(const std::string& name, const nlohmann::json& taken) {
  std::string key;
  for (const char c : name) {
    const bool fits =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    key += fits ? c : '_';
  }
  if (key.size() > 240) key = key.substr(key.size() - 240);
  std::string free = key;
  for (int i = 2; taken.contains(free); ++i) free = fmt::format("{}-{}", key, i);
  return free;
}

void carry(CampaignDocuments& documents, const fs::path& root, const fs::path& path) {
  std::string name = path.generic_string();
  std::ranges::replace(name, '/', '.');
  const auto key = free_key(name, documents.data);
  auto text = specs::read_text_file(root / path, "a JSON file");
  documents.bytes += text.size();
  documents.data[key] = std::move(text);
  documents.items.push_back({{"key", key}, {"path", path.generic_string()}});
}

}  // namespace

CampaignDocuments campaign_documents(const Asked& asked, const Blocks& blocks) {
  require_there(asked.files);
  const auto& target = asked.target.target.name;
  std::set<fs::path> waves;
  for (const auto block : blocks) {
    const auto wave = wave_file(asked.files, target, block / asked.campaign.settings.blocks);
    if (waves.insert(wave.filename()).second && !fs::exists(wave))
      throw broken_environment(
          fmt::format("{}: not there, but block {} belongs to that wave; nothing was submitted", wave.string(), block));
  }
  CampaignDocuments documents;
  carry(documents, asked.files, "campaign.json");
  for (const auto& file : specs::json_files(target_directory(asked.files, target))) {
    const auto name = file.filename();
    const bool other = name.string().starts_with("submission-") || name.string().starts_with('.') || !fs::is_regular_file(file);
    if (other || (name.string().starts_with("wave-") && !waves.contains(name))) continue;
    carry(documents, asked.files, fs::path(target) / name);
  }
  return documents;
}

}  // namespace stackx::campaigns::cluster
