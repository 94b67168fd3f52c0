#include "blame/report/kept.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::blame {
namespace {

namespace fs = std::filesystem;

fs::path house_of(const fs::path& database) { return database.string() + "-blame"; }

void add_rows(const specs::Node& document, std::vector<analysis::Blamed>& rows) {
  for (const auto& row : document.at("rows").items()) {
    analysis::Blamed one;
    one.answer = document.at("answer").at("text").text();
    one.change = row.at("name").text();
    one.role = row.at("role").text();
    one.metric = document.at("metric").text();
    const auto effect = row.at("effect");
    one.ratio = effect.at("ratio").number();
    one.rounds = static_cast<std::uint64_t>(effect.at("rounds").integer());
    if (const auto interval = effect.at("interval"); interval.json().is_array() && interval.items().size() == 2) {
      one.low = interval.items()[0].number();
      one.high = interval.items()[1].number();
    }
    rows.push_back(std::move(one));
  }
}

}  // namespace

void keep(const fs::path& database, const std::string& name, const nlohmann::json& document) {
  std::error_code refused;
  fs::create_directories(house_of(database), refused);
  (void)specs::replace_text_file(house_of(database) / (name + ".json"), document.dump(2) + "\n");
}

std::vector<analysis::Blamed> kept_about(const fs::path& database, const std::set<std::string>& campaigns) {
  std::error_code refused;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(house_of(database), refused))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<analysis::Blamed> result;
  for (const auto& file : files) try {
      const auto document = specs::Node::parse_file(file);
      const auto rests_on = document.at("campaigns").items();
      if (std::ranges::any_of(rests_on, [&](const specs::Node& id) { return campaigns.contains(id.text()); })) add_rows(document, result);
    } catch (const Error&) {  // not one of ours
    }
  return result;
}

}  // namespace stackx::blame
