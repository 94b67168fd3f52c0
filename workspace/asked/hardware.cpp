#include "workspace/asked/hardware.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/microarchitecture.hpp"
#include "specs/hardware/name.hpp"
#include "specs/format/listed.hpp"
#include "specs/hardware/several_names.hpp"
#include "workspace/this_machine.hpp"

namespace stackx::workspace {
namespace {

constexpr std::size_t shortest_fingerprint = 6;

AskedHardware this_host(const specs::Host& host) {
  const auto& name = host.cpu.microarchitecture;
  return {name, "cpu", "host", {}, {name}, host.fingerprint()};
}

// As measurements in the store spell one of these models.
std::vector<std::string> spellings(const std::vector<const specs::Accelerator*>& models,
                                   const specs::Accelerators& accelerators,
                                   const std::string& text, const store::Questions& questions) {
  std::set<std::string> result;
  const specs::WantedHardware named(text);
  for (const auto& row : questions.hardware()) {
    if (row.devices == 0) continue;
    const auto* model = accelerators.identify(row.model);
    if (named.is_named_by(row.model) ||
        (model && std::ranges::find(models, model) != models.end()))
      result.insert(row.model);
  }
  return {result.begin(), result.end()};
}

bool is_fingerprint(const std::string& text) {
  return text.size() >= shortest_fingerprint &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// A machine of the store whose fingerprint begins so.
std::optional<AskedHardware> machine(const std::string& text, const store::Questions& questions) {
  std::set<std::pair<std::string, std::string>> found;  // fingerprint, model
  for (const auto& series : questions.series({})) {
    const auto& device = questions.device(series.device);
    if (!device.name.starts_with(text)) continue;
    const auto& hardware = questions.hardware(device.hardware);
    found.emplace(device.name, hardware.microarchitecture.empty() ? hardware.model
                                                                  : hardware.microarchitecture);
  }
  if (found.empty()) return std::nullopt;
  if (found.size() > 1)
    throw bad_input(fmt::format("--hw {}: {} machines of the store begin so; give more digits",
                                text, found.size()));
  const auto& [fingerprint, model] = *found.begin();
  return AskedHardware{model, "cpu", model, {}, {model}, fingerprint};
}

bool in_the_store(const std::string& text, const store::Questions& questions) {
  const specs::WantedHardware named(text);
  return std::ranges::any_of(questions.hardware(), [&](const auto& row) {
    return named.is_named_by(row.model) || named.is_named_by(row.microarchitecture);
  });
}

// As a result names its processor, word for word.
bool is_spelt_in_the_store(const std::string& text, const store::Questions& questions) {
  const auto words = specs::hardware_words(text);
  return std::ranges::any_of(questions.hardware(), [&](const auto& row) { return specs::hardware_words(row.model) == words; });
}

std::vector<std::string> nearest_names(const std::string& text,
                                       const specs::Accelerators& accelerators,
                                       const specs::Microarchitectures& processors) {
  auto names = accelerators.nearest(text);
  for (auto& name : processors.nearest(text)) names.push_back(std::move(name));
  return names;
}

}  // namespace

std::optional<AskedHardware> hardware_of_catalogs(const std::string& text, const specs::Host& host,
                                                  const specs::Accelerators& accelerators,
                                                  const Context& context) {
  if (text == "host") return this_host(host);
  refuse_several(text, accelerators);
  if (const auto models = accelerators.named(text); !models.empty()) {
    AskedHardware asked{text, "gpu", models.front()->name, {}, {}, "", {}, models.front()->vendor};
    for (const auto* model : models) asked.models.push_back(model->name);
    return asked;
  }
  const auto& processors = microarchitectures(context);
  const auto asked = [](const specs::Microarchitecture& processor, const std::string& product) {
    const bool x86 = processor.vendor == "intel" || processor.vendor == "amd";
    return AskedHardware{processor.id, "cpu", processor.id, {}, {processor.id}, "", product, processor.vendor, x86 ? "x86_64" : "aarch64"};
  };
  if (const auto* processor = processors.find(text)) return asked(*processor, "");
  if (const auto* processor = processors.of_processor(text)) return asked(*processor, text);
  return std::nullopt;
}

void refuse_several(const std::string& text, const specs::Accelerators& accelerators) {
  const auto several = specs::several_names(text, accelerators);
  if (several.empty()) return;
  throw bad_input(fmt::format("{}: {} kinds of hardware, {}; ask for one at a time (`stackx check REQUIREMENT --hw {}` answers for all)",
                              specs::in_quotes(text), several.size(), specs::listed(several), fmt::join(several, ",")));
}

std::string which_is_meant(const std::string& text, const specs::Microarchitectures& processors) {
  const auto* shared = processors.shared_name(text);
  if (shared == nullptr) return "";
  const auto& all = shared->are;
  return fmt::format("may be {} or {}; ask for one of these, or for what lscpu calls the processor{}", fmt::join(all.begin(), all.end() - 1, ", "),
                     all.back(), shared->example.empty() ? "" : fmt::format(" ({})", shared->example));
}

std::string no_name_of_hardware(const std::string& text) {
  for (const char* kind : {"cpu", "gpu", "cuda", "nvidia", "any", "none", "local", "localhost", "this"})
    if (specs::hardware_words(text) == specs::hardware_words(kind))
      return "names none; a GPU or CPU is named as `stackx hw list` has it (h100, zen4), and host is this machine";
  return "";
}

bool is_known(const std::string& text, const specs::Host& host, const specs::Accelerators& accelerators,
              const Context& context, const store::Questions& questions) {
  return hardware_of_catalogs(text, host, accelerators, context) || in_the_store(text, questions) ||
         (is_fingerprint(text) && machine(text, questions));
}

AskedHardware asked_hardware(const std::string& text, const specs::Host& host,
                             const specs::Accelerators& accelerators, const Context& context,
                             const store::Questions& questions) {
  if (text.find_first_not_of(' ') == std::string::npos)  // would match whatever there is
    throw bad_input("--hw: expected the name of some hardware; `stackx hw list` names all");
  if (auto asked = hardware_of_catalogs(text, host, accelerators, context)) {
    if (asked->component == "gpu")
      asked->in_the_store = spellings(accelerators.named(text), accelerators, text, questions);
    return *asked;
  }
  if (is_fingerprint(text))
    if (auto found = machine(text, questions)) return *found;
  const auto several = which_is_meant(text, microarchitectures(context));
  if (!several.empty() && !is_spelt_in_the_store(text, questions)) throw bad_input(fmt::format("--hw {}: {}", specs::in_quotes(text), several));
  if (const auto none = no_name_of_hardware(text); !none.empty() && !is_spelt_in_the_store(text, questions))
    throw bad_input(fmt::format("--hw {}: {}", specs::in_quotes(text), none));
  if (in_the_store(text, questions)) return {text, "", "", {}, {text}, ""};
  const auto names = nearest_names(text, accelerators, microarchitectures(context));
  throw bad_input(fmt::format(
      "--hw {}: no such hardware in the catalogs or the store{}; `stackx hw list` names all",
      specs::in_quotes(text),
      names.empty() ? "" : fmt::format("; the nearest are {}", fmt::join(names, ", "))));
}

}  // namespace stackx::workspace
