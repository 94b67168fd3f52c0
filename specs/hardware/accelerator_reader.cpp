#include "specs/hardware/accelerator_reader.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/hardware/name.hpp"

#include <fmt/format.h>

namespace stackx::specs {
namespace {

constexpr std::string_view rate_suffix = "_tflops";

constexpr std::array peak_names{"float64", "float64_tensor", "float32",  "tensorfloat32",
                                "float16", "float16_tensor", float16_sums, "bfloat16", "float8",
                                "float4",  "int8"};

[[noreturn]] void fail(const Component& gpu, const VersionEntry& entry, std::string_view attribute,
                       const std::string& what) {
  throw bad_input(fmt::format("{}: /components/{}/versions/{}/attributes/{}: {}", gpu.file,
                              gpu.name, entry.version.text(), attribute, what));
}

// Reads one model's attributes; the name of one that nobody reads is a mistake.
class AcceleratorReader {
 public:
  AcceleratorReader(const Component& gpu, const VersionEntry& entry) : gpu_(gpu), entry_(entry) {
    for (const auto& [name, value] : entry.attributes) unread_.insert(name);
  }

  std::string text(const std::string& name) {
    const Attribute* found = find(name);
    if (found == nullptr) return "";
    if (const auto* value = std::get_if<std::string>(found)) return *value;
    fail(gpu_, entry_, name, "expected one value, not a list");
  }

  std::string needed(const std::string& name) {
    if (find(name) == nullptr) fail(gpu_, entry_, name, "missing");
    return text(name);
  }

  std::vector<std::string> texts(const std::string& name) {
    const Attribute* found = find(name);
    if (found == nullptr) return {};
    if (const auto* value = std::get_if<std::vector<std::string>>(found)) return *value;
    fail(gpu_, entry_, name, "expected a list of texts");
  }

  // "p3.8xlarge=4"
  std::map<std::string, std::size_t> counts(const std::string& name) {
    std::map<std::string, std::size_t> result;
    for (const auto& entry : texts(name)) {
      const auto equals = entry.find('=');
      std::size_t count = 0;
      const auto* end = entry.data() + entry.size();
      const auto read = equals == entry.npos ? std::from_chars_result{} : std::from_chars(entry.data() + equals + 1, end, count);
      if (read.ptr != end || count < 2) fail(gpu_, entry_, name, fmt::format("\"{}\": expected NAME=N, N above 1", entry));
      result.emplace(hardware_words(entry.substr(0, equals)), count);
    }
    return result;
  }

  std::optional<double> number(const std::string& name) {
    const std::string written = text(name);
    if (written.empty()) return std::nullopt;
    double value = 0;
    const char* end = written.data() + written.size();
    const auto [stop, error] = std::from_chars(written.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value) || value <= 0)
      fail(gpu_, entry_, name, fmt::format("\"{}\" is no number above 0", written));
    return value;
  }

  std::string driver(const std::string& name) {
    const auto written = text(name);
    return written.empty() ? "" : as_driver(name, written);
  }

  std::vector<std::string> drivers(const std::string& name) {
    auto written = texts(name);
    for (const auto& one : written) as_driver(name, one);
    return written;
  }

  // `memory_gib` and whatever else a detected host adds is not ours; a misspelt rate is.
  void finish() const {
    for (const auto& name : unread_)
      if (name.ends_with(rate_suffix))
        fail(gpu_, entry_, name,
             "unknown rate" + suggestion(name.substr(0, name.size() - rate_suffix.size()),
                                      {std::begin(peak_names), std::end(peak_names)}));
  }

 private:
  std::string as_driver(const std::string& name, const std::string& written) const {
    if (!Version::parse(written, Versioning::pep440)) fail(gpu_, entry_, name, fmt::format("\"{}\": expected a driver such as 535.104.05", written));
    return written;
  }

  const Attribute* find(const std::string& name) {
    unread_.erase(name);
    const auto found = entry_.attributes.find(name);
    return found == entry_.attributes.end() ? nullptr : &found->second;
  }

  const Component& gpu_;
  const VersionEntry& entry_;
  std::set<std::string> unread_;
};

}  // namespace

Accelerator read_accelerator(const Component& gpu, const VersionEntry& entry) {
  AcceleratorReader reader(gpu, entry);
  Accelerator model;
  model.name = entry.version.text();
  model.title = reader.needed("title");
  model.aliases = reader.texts("aliases");
  model.instances = reader.counts("instances");
  model.vendor = reader.needed("vendor");
  model.architecture = reader.needed("architecture");
  model.compute_capability = reader.text("compute_capability");
  model.gfx = reader.text("gfx");
  model.machine = reader.text("machine");
  model.segment = reader.text("segment");
  model.memory_gb = reader.number("memory_gb");
  model.bandwidth_gb_s = reader.number("bandwidth_gb_s");
  model.tdp_w = reader.number("tdp_w");
  model.sms = reader.number("sms");
  model.first_driver = {reader.driver("driver_since"), reader.drivers("driver_also")};
  for (const std::string name : peak_names)
    if (const auto rate = reader.number(name + std::string(rate_suffix)))
      model.peaks.emplace(name, *rate);
  reader.finish();
  model.sources = entry.sources;
  return model;
}

}  // namespace stackx::specs
