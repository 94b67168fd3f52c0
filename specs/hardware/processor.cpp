#include "specs/hardware/processor.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "specs/error.hpp"
#include "specs/hardware/name.hpp"

namespace stackx::specs {
namespace {

class ProcessorReader {
 public:
  ProcessorReader(const Component& component, const VersionEntry& entry)
      : component_(component), entry_(entry) {}

  std::string text(const std::string& name) const {
    const auto found = entry_.attributes.find(name);
    if (found == entry_.attributes.end()) fail(name, "missing");
    if (const auto* value = std::get_if<std::string>(&found->second)) return *value;
    fail(name, "expected one value, not a list");
  }

  std::vector<std::string> texts(const std::string& name) const {
    const auto found = entry_.attributes.find(name);
    if (found == entry_.attributes.end()) return {};
    if (const auto* value = std::get_if<std::vector<std::string>>(&found->second)) return *value;
    fail(name, "expected a list of texts");
  }

  std::optional<double> number(const std::string& name) const {
    if (!entry_.attributes.contains(name)) return std::nullopt;
    const std::string written = text(name);
    double value = 0;
    const char* end = written.data() + written.size();
    const auto [stop, error] = std::from_chars(written.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value) || value <= 0)
      fail(name, fmt::format("\"{}\" is no number above 0", written));
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& attribute, const std::string& what) const {
    throw bad_input(fmt::format("{}: /components/{}/versions/{}/attributes/{}: {}",
                                component_.file, component_.name, entry_.version.text(), attribute,
                                what));
  }

  const Component& component_;
  const VersionEntry& entry_;
};

}  // namespace

Processors::Processors(const Component& cpu_model) {
  for (const auto& entry : cpu_model.versions) {
    const ProcessorReader reader(cpu_model, entry);
    all_.push_back({entry.version.text(), reader.text("title"), reader.texts("aliases"),
                    reader.text("vendor"), reader.text("microarchitecture"),
                    reader.number("cores"), reader.number("base_ghz"), entry.sources});
  }
}

const Processor* Processors::identify(std::string_view name) const {
  for (const auto& processor : all_) {
    std::vector<std::string> labels = processor.aliases;
    labels.push_back(processor.name);
    labels.push_back(processor.title);
    for (const auto& label : labels)
      if (names_hardware(label, name)) return &processor;
  }
  return nullptr;
}

Processors load_processors(const std::filesystem::path& data_directory) {
  const auto file = data_directory / "cpus.json";
  const Catalog catalog = load_catalog(file);
  const Component* models = catalog.find("cpu-model");
  if (models == nullptr)
    throw bad_input(fmt::format("{}: /components: no component \"cpu-model\"", file.string()));
  return Processors(*models);
}

std::optional<ProcessorPeak> peak_of(const Processor& processor, const Microarchitectures& table) {
  const auto* units = table.find(processor.microarchitecture);
  if (units == nullptr || !units->fp32_flops_cycle || !units->fp64_flops_cycle ||
      !processor.cores || !processor.base_ghz)
    return std::nullopt;
  const double cycles = *processor.cores * *processor.base_ghz;
  return ProcessorPeak{cycles * *units->fp32_flops_cycle, cycles * *units->fp64_flops_cycle};
}

}  // namespace stackx::specs
