#include "specs/project/workload_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/names.hpp"
#include "specs/format/nearest.hpp"
#include "specs/result/published_fields.hpp"
#include "specs/version/specifier.hpp"

namespace stackx::specs {
namespace {

using Texts = std::map<std::string, std::string>;

// "dtype", or "matmul.m" where it means something of its own.
Texts parse_meanings(const Node& node) {
  Texts meanings;
  for (const auto& [key, meaning] : node.members()) {
    const std::size_t dot = key.find('.');
    check_component_name(key.substr(0, dot), meaning);
    if (dot != key.npos) check_component_name(key.substr(dot + 1), meaning);
    meanings[key] = line_from(meaning);
  }
  return meanings;
}

WorkloadSpace parse_space(const std::string& name, const Node& node) {
  check_component_name(name, node);
  node.only({"catalogs", "requires"});
  WorkloadSpace space{name, {}, {}};
  for (const Node& catalog : node.at("catalogs").items())
    space.catalogs.push_back(catalog.nonempty());
  if (space.catalogs.empty()) node.at("catalogs").fail("expected at least one catalog");
  for (const auto& [component, range] : node.at("requires").members()) {
    check_component_name(component, range);
    const std::string text = range.nonempty();
    if (const auto set = SpecifierSet::parse(text, Versioning::pep440); !set)
      range.fail(fmt::format("\"{}\" is no set of versions: {}", text, set.error().reason));
    space.requires_[component] = text;
  }
  if (space.requires_.empty()) node.at("requires").fail("expected at least one requirement");
  return space;
}

std::map<std::string, ParameterValues> parse_values(const Node& document) {
  std::map<std::string, ParameterValues> values;
  if (const auto node = document.find("values"))
    for (const auto& [key, value] : node->members()) values.emplace(key, parameter_values(value));
  return values;
}

// "matmul:dtype=float16", what `place` are aliases of.
Workload aliased(const std::string& text, const Node& place) {
  try {
    return parse_workload(text);
  } catch (const Error& error) {
    place.fail(error.what());
  }
}

// "ResNet-50", "resnet_50" -> "resnet50"
std::string squeezed_family(std::string_view name) {
  std::string text;
  for (const unsigned char c : name)
    if (std::isalnum(c)) text += static_cast<char>(std::tolower(c));
  return text;
}

// "Fine-tuning of BERT" -> "fine", "tuning", "bert"; what is shorter than three letters says nothing.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const unsigned char c : text)
    if (std::isalnum(c)) words.back() += static_cast<char>(std::tolower(c));
    else if (!words.back().empty()) words.emplace_back();
  std::erase_if(words, [](const auto& word) { return word.size() < 3; });
  return words;
}

// "training" and "train", "inference" and "infer"
bool same_stem(const std::string& a, const std::string& b) {
  constexpr std::size_t stem = 5;
  return a == b || (std::min(a.size(), b.size()) >= stem && a.compare(0, stem, b, 0, stem) == 0);
}

bool holds_word(std::string_view text, const std::string& word) {
  return std::ranges::any_of(words_of(text), [&](const auto& one) { return same_stem(word, one); });
}

ModelName model_from(const std::string& name, const Node& entry) {
  entry.only({"billions", "bits", "source"});
  auto model = model_name(name);
  if (!model) entry.fail("expected a model's name, of letters and a digit");
  model->billions = entry.at("billions").number();
  if (!(*model->billions > 0)) entry.at("billions").fail("expected a number above 0");
  if (const auto bits = entry.find("bits")) {
    const auto number = bits->unsigned_integer();
    if (number < 1 || number > 32) bits->fail(fmt::format("expected 1 to 32, found {}", number));
    model->bits = static_cast<int>(number);
  }
  entry.at("source").nonempty();
  return *std::move(model);
}

class FamilyReader {
 public:
  FamilyReader(const Texts& meanings, const std::map<std::string, ParameterValues>& values,
               const std::map<std::string, WorkloadSpace, std::less<>>& spaces)
      : meanings_(meanings), values_(values), spaces_(spaces) {}

  WorkloadFamily read(const std::string& name, const Node& node) {
    check_component_name(name, node);
    node.only({"description", "params", "gpu", "cpu", "usual", "near"});
    WorkloadFamily family;
    family.name = name;
    family.description = line_from(node.at("description"));
    std::set<std::string> seen;
    for (const Node& param : node.at("params").items()) {
      const std::string text = param.text();
      if (!seen.insert(text).second) param.fail(fmt::format("\"{}\" stands twice", text));
      family.params.emplace_back(text, meaning(name, text, param));
      for (const std::string& key : {name + "." + text, text})
        if (const auto found = values_.find(key); found != values_.end()) {
          family.values.emplace(text, found->second);
          break;
        }
    }
    if (const auto gpu = node.find("gpu")) family.gpu = space(*gpu);
    if (const auto cpu = node.find("cpu")) family.cpu = space(*cpu);
    if (const auto usual = node.find("usual")) {
      usual->only({"gpu", "cpu"});
      if (const auto gpu = usual->find("gpu")) family.usual_gpu = names_of(*gpu, "package");
      if (const auto cpu = usual->find("cpu")) family.usual_cpu = names_of(*cpu, "package");
    }
    if (const auto near = node.find("near")) family.near = names_of(*near, "family");
    return family;
  }

  // Every meaning must be some family's: a misspelt one would be said of nothing.
  void check_all_used(const Node& parameters) const {
    for (const auto& [key, meaning] : parameters.members())
      if (!used_.contains(key))
        meaning.fail(
            fmt::format("no family has a parameter \"{}\"; remove it or name it in one", key));
  }

 private:
  static std::vector<std::string> names_of(const Node& node, const char* what) {
    std::vector<std::string> names;
    for (const Node& item : node.items()) {
      check_component_name(item.text(), item);
      if (std::ranges::find(names, item.text()) != names.end())
        item.fail(fmt::format("\"{}\" stands twice", item.text()));
      names.push_back(item.text());
    }
    if (names.empty()) node.fail(fmt::format("expected at least one {}", what));
    return names;
  }

  std::string meaning(const std::string& family, const std::string& param, const Node& place) {
    for (const std::string& key : {family + "." + param, param})
      if (const auto found = meanings_.find(key); found != meanings_.end()) {
        used_.insert(key);
        return found->second;
      }
    std::vector<std::string> known;
    for (const auto& [key, text] : meanings_) known.push_back(key);
    place.fail(
        fmt::format("no meaning of \"{}\" under /parameters{}", param, suggestion(param, known)));
  }

  std::string space(const Node& node) const {
    const std::string name = node.text();
    if (spaces_.contains(name)) return name;
    std::vector<std::string> known;
    for (const auto& [key, value] : spaces_) known.push_back(key);
    node.fail(fmt::format("no space \"{}\" under /spaces{}", name, suggestion(name, known)));
  }

  const Texts& meanings_;
  const std::map<std::string, ParameterValues>& values_;
  const std::map<std::string, WorkloadSpace, std::less<>>& spaces_;
  std::set<std::string> used_;
};

}  // namespace

WorkloadFamilies WorkloadFamilies::load(const std::filesystem::path& data_directory) {
  return parse(Node::parse_file(data_directory / "workloads.json"));
}

WorkloadFamilies WorkloadFamilies::parse(const Node& document) {
  document.schema("stackx/workloads/1");
  document.only({"$schema", "parameters", "values", "measuring", "aliases", "models", "spaces", "families"});
  WorkloadFamilies result;
  const Texts meanings = parse_meanings(document.at("parameters"));
  for (const auto& [name, node] : document.at("spaces").members())
    result.spaces_.emplace(name, parse_space(name, node));
  const auto values = parse_values(document);
  FamilyReader reader(meanings, values, result.spaces_);
  for (const auto& [name, node] : document.at("families").members())
    result.families_.push_back(reader.read(name, node));
  reader.check_all_used(document.at("parameters"));
  if (const auto models = document.find("models"))
    for (const auto& [name, entry] : models->members()) result.models_.emplace(hyphenated_model(name), model_from(name, entry));
  if (const auto measuring = document.find("measuring"))
    for (const Node& name : measuring->items()) {
      result.measuring_.insert(name.nonempty());
      if (const auto known = values.find(name.text()); known != values.end())
        for (auto& family : result.families_) family.values.insert(*known);
    }
  if (const auto aliases = document.find("aliases"))
    for (const auto& [text, names] : aliases->members())
      for (const Node& name : names.items())
        if (auto means = aliased(text, names); result.find(means.pi))
          result.aliases_.push_back({name.nonempty(), std::move(means)});
  return result;
}

bool WorkloadFamily::has(std::string_view param) const {
  return std::ranges::any_of(params, [&](const auto& one) { return one.first == param; });
}

// An entry without a size says nothing of one that has: "DeepSeek-R1-Distill-Llama-70B".
std::optional<ModelName> WorkloadFamilies::model(std::string_view name) const {
  auto model = model_name(name);
  if (!model) return model;
  const auto hyphenated = hyphenated_model(name);
  for (const auto& [words, known] : models_) {
    if (!hyphenated.contains(words) || (model->billions && !model_name(words)->billions)) continue;
    model->billions = known.billions;
    if (!model->bits) model->bits = known.bits;
  }
  return model;
}

bool WorkloadFamilies::says_how_to_measure(std::string_view param) const { return measuring_.contains(param); }

std::vector<std::string> WorkloadFamilies::aliases(std::string_view family) const {
  std::vector<std::string> names;
  for (const auto& alias : aliases_)
    if (alias.means.pi == family) names.push_back(alias.name);
  return names;
}

std::vector<Workload> WorkloadFamilies::called(std::string_view name) const {
  const std::string wanted = squeezed_family(name);
  std::vector<Workload> found;
  if (wanted.empty()) return found;
  const auto take = [&](const Workload& workload) {
    if (std::ranges::find(found, workload.pi, &Workload::pi) == found.end()) found.push_back(workload);
  };
  for (const auto& family : families_)
    if (squeezed_family(family.name) == wanted) take({family.name, {}});
  for (const auto& alias : aliases_)
    if (squeezed_family(alias.name) == wanted) take(alias.means);
  for (const std::string verb : {"train", "infer", "serve"})
    for (const auto& family : families_)
      if (squeezed_family(family.name) == verb + wanted) take({family.name, {}});
  return found;
}

const WorkloadFamily* WorkloadFamilies::find(std::string_view name) const {
  const auto found = std::ranges::find(families_, name, &WorkloadFamily::name);
  return found == families_.end() ? nullptr : &*found;
}

const WorkloadSpace* WorkloadFamilies::space(const std::string& name) const {
  const auto found = spaces_.find(name);
  return found == spaces_.end() ? nullptr : &found->second;
}

std::vector<std::string> WorkloadFamilies::nearest(std::string_view name, std::size_t count) const {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const auto& family : families_) {
    // "resnet50" is as near to train_resnet50 as to what stands behind the line.
    std::size_t cost = edit_distance(name, family.name);
    const std::string_view known = family.name;
    if (const std::size_t line = known.find('_'); line != known.npos)
      cost = std::min(cost, edit_distance(name, known.substr(line + 1)));
    for (const auto& alias : aliases(family.name))
      if (alias.size() > 3) cost = std::min(cost, edit_distance(name, alias));
    if (cost <= std::max<std::size_t>(2, name.size() / 3)) ranked.emplace_back(cost, family.name);
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (auto& [cost, known] : ranked)
    if (names.size() < count) names.push_back(std::move(known));
  return names;
}

// Two hits for a word that stands in what people call it, one for a parameter.
std::vector<WorkloadFamilies::About> WorkloadFamilies::having(std::string_view words) const {
  const auto wanted = words_of(words);
  std::vector<About> found;
  for (const auto& family : families_) {
    const auto called = aliases(family.name);
    auto text = family.name + " " + family.description;
    for (const auto& alias : called) text += " " + alias;
    std::string params;
    for (const auto& [param, meaning] : family.params) params += " " + param;
    std::size_t hits = 0;  // a parameter ("batch") says less of what it is about
    for (const auto& word : wanted) hits += holds_word(text, word) ? 2 : holds_word(params, word) ? 1 : 0;
    if (hits > 0) found.push_back({hits, called.size(), family.name});
  }
  std::ranges::stable_sort(found, std::ranges::greater(), [](const auto& one) { return std::pair(one.hits, one.names); });
  return found;
}

std::vector<std::string> WorkloadFamilies::about(std::string_view words) const {
  std::vector<std::string> names;
  const auto found = having(words);
  for (const auto& one : found)
    if (one.hits == found.front().hits) names.push_back(one.family);
  return names;
}

std::string WorkloadFamilies::only_about(std::string_view words) const {
  const auto found = having(words);
  const bool only = !found.empty() && found.front().hits >= 4 && (found.size() == 1 || found[1].hits < found.front().hits);
  return only ? found.front().family : "";
}

}  // namespace stackx::specs
