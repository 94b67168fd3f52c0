#include "specs/hardware/accelerator.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/hardware/accelerator_reader.hpp"
#include "specs/hardware/glued_name.hpp"
#include "specs/hardware/how_many.hpp"
#include "specs/hardware/name.hpp"
#include "specs/version/version_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stackx::specs {
namespace {

// Says what a thing is, not which one: "16GB" or "PCIe" alone names no model.
constexpr std::array generic_words{"nvidia", "amd",  "google", "intel", "pcie", "sxm",     "sxm2",  "sxm3",
                                   "sxm4",   "sxm5", "nvl",    "gpu",  "chip",    "one",   "of",
                                   "the",    "s",    "board",  "with", "edition", "design"};

bool has_letter(std::string_view word) {
  return std::ranges::any_of(word, [](unsigned char c) { return std::isalpha(c); });
}
bool has_digit(std::string_view word) {
  return std::ranges::any_of(word, [](unsigned char c) { return std::isdigit(c); });
}

bool is_generic(const std::string& word) {
  const std::size_t unit = word.find_first_not_of("0123456789");
  const bool size = unit > 0 && unit < 4 && (word.substr(unit) == "gb" || word.substr(unit) == "g");
  return size || std::ranges::find(generic_words, word) != generic_words.end();
}

using Words = std::vector<std::vector<std::string>>;  // of each model, its names

// "-a100-sxm4-40gb-mig-1g.5gb-": a slice of a card, which is another device (as in name.hpp).
bool says_slice(const std::string& words) { return words.contains("-mig-"); }

std::vector<std::string> names_in_words(const Accelerator& model) {
  std::vector<std::string> result{hardware_words(model.name), hardware_words(model.title)};
  for (const auto& alias : model.aliases) result.push_back(hardware_words(alias));
  return result;
}

// Slices only where slices are asked for.
template <typename Predicate>
std::vector<const Accelerator*> those(const std::vector<Accelerator>& all, const Words& names, bool slices,
                                      Predicate holds) {
  std::vector<const Accelerator*> result;
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((slices || !says_slice(names[i][0])) && std::ranges::any_of(names[i], holds)) result.push_back(&all[i]);
  return result;
}

// "RTX 4090 D", "H100 NVL ...": what stands behind a name may make it another product's.
bool says_more(const std::string& wanted, const std::string& label) {
  return std::ranges::any_of(std::array{"-d-", "-nvl-", "-ada-", "-xt-", "-xtx-"}, [&](const char* word) {
    return wanted.contains(word) && !label.contains(word);
  });
}

// "a2-highgpu-1g" does not make its card an "a2", nor "Standard_NC6" one a "standard".
bool is_instance_of_google(const std::string& label) {
  return label.contains("gpu-") || label.starts_with("-g2-standard-") || label.starts_with("-ct") || label.starts_with("-tpu7x-standard-");
}
bool is_part_of_instance(const std::string& word, const std::string& label) {
  return is_instance_of_google(label) || (label.starts_with("-standard-") && !has_digit(word));
}

// "g5" of "g5.xlarge", which is one size of the instances; "" of what is no such name.
std::string instance_family(const std::string& label) {
  const std::size_t dot = label.find('.');
  if (dot == label.npos || !(label.ends_with("large-") || label.ends_with("metal-"))) return "";
  return label.substr(0, dot) + "-";
}

// Cut into words of one label, one of which says which model it is.
bool is_glued_from(const std::string& wanted, const Accelerator& model, const std::string& label) {
  auto words = words_of(label);
  words.push_back(model.vendor);
  if (model.memory_gb) words.push_back(fmt::format("{:.0f}gb", *model.memory_gb));
  if (is_instance_of_google(label) || !is_cut_of(wanted, words)) return false;
  std::erase_if(words, [](const std::string& word) { return !is_generic(word) && has_digit(word); });
  return !is_cut_of(wanted, words);
}

// Of names that stand in the wanted one as a whole ("16 p3.16xlarge (AWS)"), the longest.
std::vector<const Accelerator*> holding(const std::vector<Accelerator>& all, const Words& names,
                                        const std::string& wanted) {
  std::size_t longest = 0;
  const Accelerator* best = nullptr;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const auto& words : names[i]) {
      if (words.size() <= longest || !has_letter(words) || !has_digit(words)) continue;
      if (!wanted.contains(words) || says_slice(wanted) != says_slice(words)) continue;
      if (another_product(wanted, words) || says_more(wanted, words)) continue;
      longest = words.size();
      best = &all[i];
    }
  if (best == nullptr) return {};
  return {best};
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// What people call models by: names and titles, and the words in them that tell families apart.
std::vector<std::string> spoken_names(const std::vector<Accelerator>& all) {
  std::vector<std::string> result;
  for (const auto& model : all)
    for (const auto& label : {model.name, model.title})
      for (const auto& word : words_of(hardware_words(label)))
        if (!is_generic(word) && has_letter(word) && has_digit(word)) result.push_back(word);
  for (const auto& model : all) {
    result.push_back(model.name);
    result.push_back(model.title);
    result.insert(result.end(), model.aliases.begin(), model.aliases.end());
  }
  return result;
}

const std::string* parameter(const Workload& workload, const std::string& name) {
  const auto found = workload.params.find(name);
  return found == workload.params.end() ? nullptr : &found->second;
}

// The units that multiply such numbers; a complex product is made of real ones.
std::vector<std::string> units_for(const std::string& type, bool sums_in_float16) {
  if (type == "float64" || type == "complex128") return {"float64", "float64_tensor"};
  if (type == "float32" || type == "complex64") return {"float32"};
  if (type == "tensorfloat32" || type == "tf32") return {"tensorfloat32"};
  if (type == "float16" && sums_in_float16) return {"float16", "float16_tensor", float16_sums};
  if (type == "float16") return {"float16", "float16_tensor"};
  if (type.starts_with("float8") || type == "fp8") return {"float8"};  // e4m3 and e5m2 go through the same units
  if (type == "bfloat16" || type == "float4" || type == "int8") return {type};
  return {};
}

// NVIDIA's from Volta on, except those called GTX, none of which is in the catalog.
bool has_tensor_cores(const Accelerator& accelerator) {
  const auto& capability = accelerator.compute_capability;  // "7.0", "12.0"
  return capability.size() > 3 || capability >= "7";
}

}  // namespace

Accelerators::Accelerators(const Component& gpu) {
  for (const auto& entry : gpu.versions) {
    all_.push_back(read_accelerator(gpu, entry));
    words_.push_back(names_in_words(all_.back()));
  }
}

// From the strictest reading of the name to the loosest: the whole of a label; the words of one, in any order, apart or
// run together; a label with more around it; an architecture, or the instances of a cloud; a system that carries it; with a
// number before or behind it.
std::vector<const Accelerator*> Accelerators::named(std::string_view name) const {
  if (name.starts_with("ml.")) name.remove_prefix(3);  // SageMaker's name for an instance of EC2
  const std::string wanted = hardware_words(name);
  auto words = words_of(wanted);
  if (std::ranges::all_of(words, is_generic)) return {};
  if (auto found = whole(wanted); !found.empty()) return found;
  if (words.size() > 1 && (words[0] == "nvidia" || words[0] == "amd" || words[0] == "intel")) {
    words.erase(words.begin());
    if (auto found = whole(hardware_words(fmt::format("{}", fmt::join(words, "-")))); !found.empty()) return found;
  }
  if (auto found = by_words(wanted, words); !found.empty()) return found;
  if (auto found = by_glued_words(name, says_slice(wanted)); !found.empty()) return found;
  if (auto found = holding(all_, words_, wanted); !found.empty()) return found;
  if (auto found = by_family(wanted); !found.empty()) return found;
  if (auto found = in_system(words); !found.empty()) return found;
  const auto counted = counted_name(name);
  return counted ? named(counted->one) : std::vector<const Accelerator*>{};
}

std::vector<const Accelerator*> Accelerators::whole(const std::string& wanted) const {
  return those(all_, words_, says_slice(wanted), [&](const std::string& label) { return label == wanted; });
}

std::vector<const Accelerator*> Accelerators::by_words(const std::string& wanted,
                                                       const std::vector<std::string>& words) const {
  return those(all_, words_, says_slice(wanted), [&](const std::string& label) {
    if (another_product(wanted, label) || (words.size() == 1 && is_part_of_instance(words[0], label))) return false;
    return std::ranges::all_of(words, [&](const std::string& word) { return has_word(label, word); });
  });
}

// A whole label run together, else words of one.
std::vector<const Accelerator*> Accelerators::by_glued_words(std::string_view name, bool slices) const {
  const std::string wanted = glued(name);
  auto found = those(all_, words_, slices, [&](const std::string& label) { return is_glued(label, wanted); });
  if (!found.empty()) return found;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if ((slices || !says_slice(words_[i][0])) && std::ranges::any_of(words_[i], [&](const std::string& label) {
          return is_glued_from(wanted, all_[i], label);
        }))
      found.push_back(&all_[i]);
  return found;
}

std::vector<const Accelerator*> Accelerators::by_family(const std::string& wanted) const {
  std::vector<const Accelerator*> found;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const bool architecture = wanted == "-" + all_[i].architecture + "-" && !says_slice(words_[i][0]);
    const auto is_instance = [&](const std::string& label) { return instance_family(label) == wanted; };
    if (architecture || std::ranges::any_of(words_[i], is_instance)) found.push_back(&all_[i]);
  }
  return found;
}

// NVIDIA's systems and boards carry modules: a "DGX H100" and an "HGX H100" have the H100 SXM.
std::vector<const Accelerator*> Accelerators::in_system(std::vector<std::string> words) const {
  if (words.size() < 2 || (words[0] != "dgx" && words[0] != "hgx")) return {};
  words[0] = "sxm";
  return by_words(hardware_words(fmt::format("{}", fmt::join(words, "-"))), words);
}

// What stands in a name before its size and its socket.
std::vector<std::string> Accelerators::families() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (says_slice(words_[i][0])) continue;
    auto words = words_of(words_[i][0]);
    words.erase(std::ranges::find_if(words, is_generic), words.end());
    const std::string family = fmt::format("{}", fmt::join(words, "-"));
    if (std::ranges::find(result, family) == result.end() && !named(family).empty()) result.push_back(family);
  }
  return result;
}

const Accelerator* Accelerators::identify(std::string_view name) const {
  const auto models = named(name);
  return models.empty() ? nullptr : models.front();
}

FirstDriver Accelerators::first_driver(std::string_view name) const {
  const auto models = named(name);
  const auto earlier = [](const Accelerator* a, const Accelerator* b) {
    const auto &one = a->first_driver.since, &other = b->first_driver.since;
    return one.empty() ? !other.empty() : !other.empty() && is_newer(other, one);
  };
  const auto first = std::ranges::min_element(models, earlier);
  return first == models.end() ? FirstDriver{} : (*first)->first_driver;
}

std::vector<std::string> Accelerators::nearest(std::string_view name) const {
  constexpr std::size_t count = 3;
  struct Candidate {
    std::size_t distance, prefix;
    std::string text;
  };
  const std::string wanted = glued(name);
  std::vector<Candidate> ranked;
  for (const auto& known : spoken_names(all_)) {
    const std::string there = glued(known);
    const std::size_t distance = edit_distance(wanted, there);
    if (distance <= std::max<std::size_t>(1, std::min(wanted.size(), there.size()) / 3))
      ranked.push_back({distance, common_prefix(wanted, there), known});
  }
  std::ranges::stable_sort(ranked, [](const Candidate& a, const Candidate& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.prefix > b.prefix;
  });
  std::vector<std::string> result, seen;
  for (const auto& candidate : ranked) {
    const std::string text = glued(candidate.text);
    if (result.size() == count || std::ranges::find(seen, text) != seen.end()) continue;
    result.push_back(candidate.text);
    seen.push_back(text);
  }
  return result;
}

std::vector<std::string> models_named(const Component& gpu, std::string_view name) {
  Component described = gpu;
  std::erase_if(described.versions, [](const VersionEntry& entry) {
    return std::ranges::any_of(std::array{"title", "vendor", "architecture"}, [&](const char* key) { return !entry.attributes.contains(key); });
  });
  std::vector<std::string> models;
  const Accelerators known(described);
  for (const auto* one : known.named(name)) models.push_back(one->name);
  return models;
}

Accelerators load_accelerators(const std::filesystem::path& data_directory) {
  const Catalog catalog = load_catalog(data_directory / "gpus.json");
  const Component* gpu = catalog.find("gpu");
  if (gpu == nullptr)
    throw bad_input(fmt::format("{}: /components: no component \"gpu\"",
                                (data_directory / "gpus.json").string()));
  return Accelerators(*gpu);
}

std::optional<Peak> peak_of(const Accelerator& accelerator, const Workload& workload) {
  const std::string* type = parameter(workload, "mul");  // what is multiplied decides the unit
  if (type == nullptr) type = parameter(workload, "dtype");
  if (type == nullptr) return std::nullopt;
  const std::string* sums = parameter(workload, "acc");
  std::optional<Peak> best;
  for (const auto& unit : units_for(*type, sums && *sums == "float16")) {
    const auto found = accelerator.peaks.find(unit);
    if (found == accelerator.peaks.end()) continue;
    // Tensor cores whose rate is not stated: what the other cores do is a fraction of it.
    if (unit == "float16" && has_tensor_cores(accelerator)) continue;
    const double rate = found->second * 1000;
    if (!best || rate > best->rate) best = Peak{rate, unit};
  }
  return best;
}

std::optional<Peak> peak_of(const Accelerator& accelerator, const Workload& workload, std::string_view unit) {
  if (unit == "GFLOP/s") return peak_of(accelerator, workload);
  if (unit != "GB/s" || workload.pi != "memory_bandwidth" || !accelerator.bandwidth_gb_s) return std::nullopt;
  return Peak{*accelerator.bandwidth_gb_s, "memory"};
}

}  // namespace stackx::specs
