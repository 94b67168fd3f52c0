#include "specs/project/typed_workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/project/model_name.hpp"

namespace stackx::specs {
namespace {

bool is_of_several_words(std::string_view text) {
  const auto name = text.substr(0, text.find(':'));
  return name.find(' ') != name.npos && name.front() != ' ' && name.back() != ' ';
}

// "flash attention" -> "flash-attention": a name of several words is one that people type so. "meta-llama/Llama-3.1-8B" ->
// "Llama-3-1-8B": no workload is called with these signs, but models are.
std::string with_joined_words(std::string_view text) {
  const auto size = std::min(text.find(':'), text.size());
  std::string name(text.substr(0, size));
  if (model_name(name) && name.front() != '.' && name.front() != '/') {  // else a file, or a mistake
    name.erase(0, name.rfind('/') == name.npos ? 0 : name.rfind('/') + 1);
    std::ranges::replace(name, '.', '-');
  }
  if (is_of_several_words(text)) std::ranges::replace(name, ' ', '-');
  return name + std::string(text.substr(size));
}

class TypedReader {
 public:
  TypedReader(std::string_view text, const WorkloadFamilies& families, const WorkloadsKnown& known)
      : text_(text), families_(families), known_(known), result_{parse_workload(with_joined_words(text)), {}} {}

  TypedWorkload run() {
    if (!families_.find(name()) && !in_the_store() && !take_called() && !take_framework() && !take_only_about() && !take_model()) unknown();
    if (const auto* family = families_.find(name()))
      for (auto& [param, value] : parameters()) check(*family, param, value);
    return std::move(result_);
  }

  TypedWorkload to_measure(const IsThere& is_there) {
    if (!families_.find(name()) && !(is_there && is_there(name())) && !take_called() && !take_framework()) take_only_about();
    if (const auto* family = families_.find(name()))
      for (auto& [param, value] : parameters()) {
        const auto found = family->values.find(param);
        if (found == family->values.end()) continue;
        if (found->second.integer)
          canonical(found->second, param, value);
        else if (param == "framework")  // its names are the same for all PIs of stackx
          take_word(found->second, param, value);
      }
    return std::move(result_);
  }

 private:
  const std::string& name() const { return result_.workload.pi; }
  std::map<std::string, std::string>& parameters() { return result_.workload.params; }

  [[noreturn]] void fail(const std::string& what) const {
    throw bad_input(fmt::format("--workload {}: {}", in_quotes(text_), what));
  }

  template <typename Holds>
  bool in_the_store(Holds holds) {
    if (!asked_) stored_ = known_(name());
    asked_ = true;
    return std::ranges::any_of(stored_, holds);
  }
  bool in_the_store() {
    return in_the_store([](const Workload&) { return true; });
  }

  // What people call so.
  bool take_called() {
    auto meant = families_.called(name());
    if (meant.empty()) return false;
    if (const auto model = model_name(name()); model && model->billions)  // a language model: more people run it than train it
      std::ranges::stable_partition(meant, [](const Workload& one) { return one.pi.starts_with("infer_"); });
    std::string also;
    for (std::size_t i = 1; i < meant.size(); ++i)
      also += fmt::format("{}{}", i == 1 ? "; there is also " : ", ", meant[i].text());
    take(meant.front(), "", also);
    return true;
  }

  // Its parameters stand beside those that were typed.
  void take(const Workload& meant, const char* being, const std::string& also = "") {
    const auto typed = text_.substr(0, text_.find(':'));
    const bool is_of_a_model = typed.find_first_of("/.") != typed.npos;
    result_.notes.push_back(fmt::format("{}{} is taken for {}{}", is_of_a_model ? typed : name(), being, meant.text(), also));
    for (const auto& [param, value] : meant.params)
      if (const auto [at, fresh] = parameters().emplace(param, value); !fresh && !same(meant.pi, *at, value))
        fail(fmt::format("{} means {}={}, and {}={} is asked for, too; leave one out", name(), param, value, param,
                         at->second));
    result_.workload.pi = meant.pi;
    asked_ = false;
  }

  bool same(const std::string& family, const std::pair<const std::string, std::string>& param,
            const std::string& value) const {
    const auto& values = families_.find(family)->values;
    const auto found = values.find(param.first);
    return param.second == value || (found != values.end() && found->second.canonical(param.second) == value);
  }

  // The framework that a word names; "": none.
  static std::string framework_of(const WorkloadFamily& family, const std::string& word) {
    const auto frameworks = family.values.find("framework");
    const auto meant = frameworks == family.values.end() ? std::nullopt : frameworks->second.canonical(word);
    if (!meant || *meant == "auto") return "";
    const auto names = frameworks->second.names();
    return std::ranges::find(names, *meant) == names.end() ? "" : *meant;
  }

  // "jax training": what with it. "jax" alone: its release is the same for most of what it computes.
  bool take_framework() {
    if (families_.all().empty()) return false;
    const auto& first = families_.all().front();
    std::string framework, what;
    for (const auto part : std::views::split(name(), '-')) {
      const std::string word(part.begin(), part.end());
      if (auto found = framework_of(first, word); framework.empty() && !found.empty())
        framework = std::move(found);
      else
        what += (what.empty() ? "" : "-") + word;
    }
    if (framework.empty()) return false;
    const auto called = what.empty() ? std::vector<Workload>{{first.name, {}}} : families_.called(what);
    if (called.empty()) return false;
    auto meant = called.front();
    meant.params.emplace("framework", framework);
    take(meant, what.empty() ? ", a framework," : "");
    return true;
  }

  // "fine-tune bert", "train llama 70b"
  bool take_only_about() {
    const auto meant = families_.only_about(name());
    if (!meant.empty()) take({meant, {}}, "");
    return !meant.empty();
  }

  // "llama-3-70b", of which there is no family: what is asked of such models mostly.
  bool take_model() {
    const auto model = model_name(name());
    if (!model) return false;
    for (std::size_t at = 0; at != std::string::npos; at = model->kind.find('-', at), at += at == std::string::npos ? 0 : 1) {
      const auto meant = families_.called(model->kind.substr(at));  // "meta-llama", then "llama"
      if (meant.empty() || !(meant.front().pi.starts_with("infer_") || meant.front().pi.starts_with("serve_"))) continue;
      take(meant.front(), "");
      return true;
    }
    return false;
  }

  [[noreturn]] void unknown() const {
    constexpr std::size_t most = 4;
    const auto near = families_.nearest(name()), about = families_.about(name());
    std::string said;
    if (!about.empty() && (near.empty() || several_words_)) {
      const auto shown = std::min(most, about.size());
      said = fmt::format("; perhaps {}{}", fmt::join(about.begin(), about.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                         shown < about.size() ? fmt::format(" or one of {} more", about.size() - shown) : "");
    } else if (!near.empty()) {
      said = fmt::format("; the nearest are {}", fmt::join(near, ", "));
    }
    fail(fmt::format("no such workload in the catalogs or the store{}; `stackx workload list` names all", said));
  }

  void check(const WorkloadFamily& family, const std::string& param, std::string& value) {
    const auto values = family.values.find(param);
    if (!family.has(param)) check_name(family, param);
    if (values == family.values.end()) return;
    const auto found = values->second.canonical(value);
    if (found && *found == value) return;
    if (in_the_store([&](const Workload& one) {
          const auto there = one.params.find(param);
          return there != one.params.end() && there->second == value;
        }))
      return;
    take_word(values->second, param, value);
  }

  // As results have it; said where that is another word.
  void take_word(const ParameterValues& values, const std::string& param, std::string& value) {
    const std::string word = canonical(values, param, value);
    if (!values.integer && word != value)
      result_.notes.push_back(fmt::format("{}={} is taken for {}={}", param, value, param, word));
    value = word;
  }

  std::string canonical(const ParameterValues& values, const std::string& param, const std::string& value) const {
    if (auto found = values.canonical(value)) return *std::move(found);
    const auto near = nearest(value, values.names());
    const bool close = near && edit_distance(value, *near) <= std::max<std::size_t>(1, value.size() / 3);
    fail(fmt::format("{} of {} is {}, not {}{}", param, name(), values.expected(), in_quotes(value),
                     close ? fmt::format("; did you mean \"{}\"?", *near) : ""));
  }

  void check_name(const WorkloadFamily& family, const std::string& param) {
    if (families_.says_how_to_measure(param)) return;
    if (in_the_store([&](const Workload& one) { return one.params.contains(param); })) return;
    std::vector<std::string> names;
    for (const auto& [one, meaning] : family.params) names.push_back(one);
    const auto near = nearest(param, names);
    const bool close = near && edit_distance(param, *near) <= std::max<std::size_t>(1, param.size() / 3);
    fail(fmt::format("{} has no parameter \"{}\"{}; it has {}{}", family.name, param,
                     close ? fmt::format("; did you mean \"{}\"", *near) : "", fmt::join(names, ", "),
                     close ? "" : who_has(param)));
  }

  // "; matmul, conv2d and 12 other workloads have \"scenario\""
  std::string who_has(const std::string& param) const {
    constexpr std::size_t most = 7;
    std::vector<std::string> names;
    for (const auto& family : families_.all())
      if (family.has(param)) names.push_back(family.name);
    if (names.empty()) return "";
    const auto shown = std::min(most, names.size());
    return fmt::format("; of other workloads {}{} have it", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "");
  }

  const std::string text_;
  const WorkloadFamilies& families_;
  const WorkloadsKnown& known_;
  const bool several_words_ = is_of_several_words(text_);
  TypedWorkload result_;
  std::vector<Workload> stored_;
  bool asked_ = false;
};

}  // namespace

TypedWorkload typed_workload(std::string_view text, const WorkloadFamilies& families, const WorkloadsKnown& known) {
  return TypedReader(text, families, known).run();
}

TypedWorkload workload_to_measure(std::string_view text, const WorkloadFamilies& families, const IsThere& is_there) {
  return TypedReader(text, families, {}).to_measure(is_there);
}

}  // namespace stackx::specs
