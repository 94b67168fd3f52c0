#include "inspector/machine/rapl.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "specs/result/energy.hpp"

namespace stackx::inspector {
namespace {

constexpr const char* powercap = "/sys/class/powercap";

struct Zone {
  std::string name, directory;
};

// "intel-rapl:0", and "intel-rapl:0:1" that is a part of it.
bool is_zone_of_rapl(const std::string& entry, std::ptrdiff_t depth) {
  return entry.starts_with("intel-rapl:") && std::ranges::count(entry, ':') == depth;
}

void add_dram(const Tree& tree, const std::vector<std::string>& entries, const std::string& package, const std::string& name,
              std::vector<Zone>& zones) {
  for (const auto& entry : entries) {
    const auto directory = fmt::format("{}/{}", powercap, entry);
    if (is_zone_of_rapl(entry, 2) && entry.starts_with(package + ":") && tree.line(directory + "/name") == "dram")
      zones.push_back({name + " dram", directory});
  }
}

std::vector<Zone> zones_of(const Tree& tree) {
  std::vector<Zone> zones;
  const auto entries = tree.entries(powercap);
  for (const auto& entry : entries) {
    const auto directory = fmt::format("{}/{}", powercap, entry);
    const auto name = tree.line(directory + "/name").value_or("");
    const bool known = std::ranges::find(zones, name, &Zone::name) != zones.end();  // under a second driver's number
    if (!is_zone_of_rapl(entry, 1) || !name.starts_with("package-") || known) continue;
    zones.push_back({name, directory});
    add_dram(tree, entries, entry, name, zones);
  }
  return zones;
}

bool is_forbidden(const Tree& tree, const std::string& file) {
  const int descriptor = open((tree.root() / file.substr(1)).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) close(descriptor);
  return descriptor < 0 && errno == EACCES;
}

}  // namespace

std::expected<std::unique_ptr<Rapl>, NoRapl> Rapl::find(const Tree& tree) {
  std::vector<Domain> domains;
  for (const auto& zone : zones_of(tree)) {
    const auto file = zone.directory + "/energy_uj";
    const auto now = tree.number(file), range = tree.number(zone.directory + "/max_energy_range_uj");
    if (is_forbidden(tree, file)) return std::unexpected(NoRapl{true, file + " is readable by root alone"});
    if (!now || !range || *range == 0 || *now > *range)
      return std::unexpected(NoRapl{false, zone.directory + " does not count energy"});
    domains.push_back({zone.name, zone.directory, *range, *now});
  }
  if (domains.empty()) return std::unexpected(NoRapl{false, fmt::format("{} has no processor's counter", powercap)});
  return std::unique_ptr<Rapl>(new Rapl(tree, std::move(domains)));
}

std::string Rapl::source() const { return specs::rapl_source; }

std::vector<std::string> Rapl::names() const {
  std::vector<std::string> names;
  for (const auto& domain : domains_) names.push_back(domain.name);
  return names;
}

// What one of them drew is kept, even where the next cannot be read this time.
std::optional<double> Rapl::joules() {
  bool all = true;
  for (auto& domain : domains_) {
    const auto now = tree_.number(domain.directory + "/energy_uj");
    all = all && now && *now <= domain.range;
    if (!now || *now > domain.range) continue;
    microjoules_ += *now >= domain.last ? *now - domain.last : domain.range - domain.last + *now;
    domain.last = *now;
  }
  return all ? std::optional(static_cast<double>(microjoules_) / 1e6) : std::nullopt;
}

}  // namespace stackx::inspector
