// stackx hw: the machine at hand, and the microarchitectures and accelerators known by name.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/text/gpu_links.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"
#include "cli/commands.hpp"
#include "cli/hw/drivers.hpp"
#include "cli/hw/noise.hpp"
#include "cli/output/accelerators.hpp"
#include "cli/output/print.hpp"
#include "inspector/confinement/engine.hpp"
#include "inspector/machine/host.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "specs/hardware/microarchitecture.hpp"
#include "specs/hardware/processor.hpp"
#include "workspace/asked/hardware.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/this_machine.hpp"

namespace stackx::cli {
namespace {

using analysis::counted;
using specs::Host;
using specs::Microarchitecture;
using specs::Microarchitectures;

constexpr std::size_t label_width = 16;
constexpr std::chrono::seconds engine_patience{10};

// Under one label, over several lines where the page is narrow.
void row(const std::string& label, const std::string& text, std::size_t usual = analysis::unfolded) {
  if (!text.empty())
    workspace::print("{:<{}}{}\n", label, label_width, workspace::Block{analysis::wrap(text, label_width, output_width(usual))});
}

// Words over several lines, wherever they go.
void rows(const std::string& label, const std::vector<std::string>& words) {
  row(label, fmt::format("{}", fmt::join(words, " ")), 100);
}

std::string size_text(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, std::abs(value - std::round(value)) < 0.05 ? 0 : 1,
                     units[unit]);
}

// Of several hundred flags, those that decide how fast numbers are crunched. "sme" is a vector
// extension of ARM and memory encryption on x86, whose "smep" is none either.
bool is_numeric(const std::string& flag, bool arm) {
  constexpr const char* families[] = {"sse",   "ssse", "avx",  "fma",  "f16c", "amx",
                                      "asimd", "sve",  "bf16", "i8mm", "vsx"};
  return (arm && flag.starts_with("sme")) || std::ranges::any_of(families, [&](const char* family) {
           return flag.starts_with(family);
         });
}

std::string rates(const Microarchitecture& known) {
  std::string text;
  if (known.vector_bits) text += fmt::format("{}-bit vectors", *known.vector_bits);
  if (known.fma_pipes) text += fmt::format(", {}", counted(*known.fma_pipes, "FMA unit"));
  if (known.fp32_flops_cycle && known.fp64_flops_cycle)
    text += fmt::format("; {} FP32 and {} FP64 flop per cycle and core ({})",
                        *known.fp32_flops_cycle, *known.fp64_flops_cycle, known.flops_basis);
  return text;
}

std::string microarchitecture(const Microarchitecture* known) {
  if (known == nullptr)
    return "unknown: microarchitectures.json in the data directory has no row for these numbers";
  return fmt::format("{} ({}{})", known->id, known->name,
                     known->core.empty() ? "" : ", core " + known->core);
}

void print_cpu(const Host& host, const Microarchitectures& table) {
  const specs::Cpu& cpu = host.cpu;
  const auto* known = table.find(cpu.microarchitecture);
  row("CPU", cpu.model);
  row("Vendor", fmt::format("{}, family {} model {} stepping {}", cpu.vendor, cpu.family,
                            cpu.model_number, cpu.stepping));
  row("Microarch", microarchitecture(known));
  row("Cores",
      fmt::format("{} ({}) in {}, {}{}", counted(cpu.cores, "core"), counted(cpu.threads, "thread"),
                  counted(cpu.packages, "package"), counted(cpu.numa_nodes, "NUMA node"),
                  cpu.threads < cpu.threads_online
                      ? fmt::format("; this process may not use the other {} threads",
                                    cpu.threads_online - cpu.threads)
                      : ""));
  if (cpu.quota)
    row("CPU quota", fmt::format("{} CPUs' worth of time (control group)", *cpu.quota));
  if (cpu.max_mhz) row("Max clock", fmt::format("{:.0f} MHz", *cpu.max_mhz));
  for (const auto& cache : cpu.caches)
    row(fmt::format("L{} {}", cache.level, cache.type),
        fmt::format("{} x {}", size_text(cache.bytes), cache.instances));
  std::vector<std::string> numeric, other, hidden;
  const bool arm = std::ranges::find(cpu.isa, "asimd") != cpu.isa.end();
  for (const auto& flag : cpu.isa) (is_numeric(flag, arm) ? numeric : other).push_back(flag);
  rows("Vector ISA", numeric);
  rows("Other flags", other);
  if (known == nullptr) return;
  std::ranges::set_difference(known->isa, cpu.isa, std::back_inserter(hidden));
  rows("Not shown here", hidden);  // a virtual machine may hide what the silicon has
  row("Vector units", rates(*known));
}

std::string place(const specs::Gpu& gpu) {
  std::string text = "PCI " + gpu.pci;
  if (gpu.pcie) text += fmt::format(", PCIe {}.0 x{}", gpu.pcie->generation, gpu.pcie->width);
  if (gpu.numa_node) text += fmt::format(", NUMA node {}", *gpu.numa_node);
  return text;
}

void print_gpu_links(const Host& host) {
  const char* label = "GPU links";
  for (const auto& text : analysis::gpu_links_texts(host)) row(std::exchange(label, ""), text, 80);
}

void print_gpus(const Host& host) {
  for (std::size_t i = 0; i < host.gpus.size(); ++i) {
    const auto& gpu = host.gpus[i];
    row(host.gpus.size() > 1 ? fmt::format("GPU {}", i) : "GPU",
        fmt::format("{}, {}, compute capability {}", gpu.model, size_text(gpu.memory_bytes),
                    gpu.compute_capability));
    row("", place(gpu));
    row("", gpu.uuid);
    for (const auto& part : gpu.mig)
      row("  MIG", fmt::format("{}, {}, {}", part.profile, size_text(part.memory_bytes), part.uuid));
  }
  print_gpu_links(host);
  if (!host.driver.empty())
    row("NVIDIA driver",
        host.driver + (host.cuda_driver.empty() ? "" : ", CUDA up to " + host.cuda_driver));
  if (!host.gpu_note.empty())
    row(host.gpus.empty() ? "GPU" : "GPU note",
        (host.gpus.empty() ? "none: " : "") + host.gpu_note);
}

void print_system(const Host& host) {
  row("Memory", size_text(host.memory_bytes) +
                    (host.memory_limit_bytes
                         ? fmt::format(" (control group: {})", size_text(*host.memory_limit_bytes))
                         : ""));
  print_gpus(host);
  row("System",
      fmt::format("{} {}, Linux {}, {}", host.os, host.os_version, host.kernel, host.libc));
  row("Frequency", fmt::format("governor {}, turbo {}", host.governor, host.turbo));
  row("Virtualization",
      host.virtualization + (host.container.empty() ? "" : ", in a container: " + host.container));
  row("Can run under", host.runtimes.empty() ? "no container program found"
                                             : fmt::format("{}", fmt::join(host.runtimes, ", ")));
  row("Fingerprint", host.fingerprint());
}

// As the runner `container` would find it. The answer is remembered; the first time engines are tried, and
// somebody who only asks what this machine is should not wait for one that hangs.
std::expected<inspector::Engine, std::string> container_engine(const Globals& globals) {
  const auto due = std::chrono::steady_clock::now() + engine_patience;
  const auto late = [due] { return std::chrono::steady_clock::now() >= due; };
  auto engine = inspector::find_engine({inspector::cache_directory(), globals.executable_directory / "stackx-supervise",
                                        [](const std::string& line) { workspace::remark("{}\n", line); }, late});
  if (!engine && late())
    return std::unexpected(fmt::format("none within {} s: {}", engine_patience.count(), engine.error()));
  return engine;
}

void print_engine(const std::expected<inspector::Engine, std::string>& engine) {
  if (!engine) {
    row("Containers", "no engine works: " + engine.error());
    return;
  }
  row("Containers", engine->description());
  if (!engine->options.empty()) row("", fmt::format("options {}", fmt::join(engine->options, " ")));
  for (const auto& attempt : engine->rejected) row("", "did not work: " + attempt);
}

void detect(const Globals& globals) {
  const Host host = inspector::detect_host(globals.data_directory());
  const auto engine = container_engine(globals);
  if (globals.json) {
    nlohmann::json document = specs::to_json(host);
    document["fingerprint"] = host.fingerprint();
    document["container_engine"] =
        engine ? inspector::to_json(*engine) : nlohmann::json{{"none", engine.error()}};
    print_json(document);
    return;
  }
  row("Host", host.hostname);
  print_cpu(host, workspace::microarchitectures(globals));
  print_system(host);
  print_engine(engine);
}

nlohmann::json to_json(const Microarchitecture& known) {
  nlohmann::json json = {{"kind", "cpu"},
                         {"id", known.id},
                         {"name", known.name},
                         {"vendor", known.vendor},
                         {"sources", known.sources}};
  const auto add = [&](const char* key, const auto& value) {
    if (!value.empty()) json[key] = value;
  };
  add("aliases", known.aliases);
  add("core", known.core);
  add("march", known.march);
  add("isa", known.isa);
  add("flops_basis", known.flops_basis);
  add("note", known.note);
  const auto add_number = [&](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  add_number("vector_bits", known.vector_bits);
  add_number("fma_pipes", known.fma_pipes);
  add_number("fp32_flops_cycle", known.fp32_flops_cycle);
  add_number("fp64_flops_cycle", known.fp64_flops_cycle);
  for (const auto& pattern : known.processors) json["processors"].push_back(pattern.text());
  return json;
}

nlohmann::json to_json(const specs::Processor& model, const Microarchitectures& table) {
  nlohmann::json json = {{"kind", "processor"},
                         {"id", model.name},
                         {"name", model.title},
                         {"vendor", model.vendor},
                         {"microarchitecture", model.microarchitecture},
                         {"sources", model.sources}};
  if (model.cores) json["cores"] = *model.cores;
  if (model.base_ghz) json["base_ghz"] = *model.base_ghz;
  if (const auto peak = specs::peak_of(model, table))
    json["peaks_gflop_s"] = {{"float32", peak->float32}, {"float64", peak->float64}};
  return json;
}

void print_processor(const specs::Processor& model, const Microarchitectures& table) {
  row("Name", fmt::format("{} ({}, {})", model.name, model.title, model.vendor));
  const auto* units = table.find(model.microarchitecture);
  row("Microarch", microarchitecture(units));
  if (model.cores) row("Cores", fmt::format("{} a socket", *model.cores));
  if (model.base_ghz) row("Base clock", fmt::format("{} GHz", *model.base_ghz));
  if (units != nullptr) row("Vector units", rates(*units));
  if (const auto peak = specs::peak_of(model, table))
    row("Peak", fmt::format("{:.0f} GFLOP/s FP32, {:.0f} FP64: all cores at the base clock",
                            peak->float32, peak->float64));
  for (const auto& source : model.sources) row("Source", source);
  if (units != nullptr)
    for (const auto& source : units->sources) row("Source", source);
}

void list_hardware(const Globals& globals) {
  const Microarchitectures table = workspace::microarchitectures(globals);
  const specs::Accelerators accelerators = specs::load_accelerators(globals.data_directory());
  const specs::Processors processors = specs::load_processors(globals.data_directory());
  if (globals.json) {
    for (const auto& known : table.all()) print_json(to_json(known));
    for (const auto& model : processors.all()) print_json(to_json(model, table));
    for (const auto& model : accelerators.all()) print_json(accelerator_json(model));
    return;
  }
  const auto number = [](const auto& value) { return value ? fmt::format("{}", *value) : "-"; };
  std::vector<std::vector<std::string>> units;
  for (const auto& known : table.all())
    units.push_back({known.id, known.name, known.vendor, number(known.vector_bits), number(known.fp32_flops_cycle),
                     number(known.fp64_flops_cycle), fmt::format("{}", fmt::join(known.aliases, ", "))});
  print_table({{"name"}, {"product"}, {"vendor"}, {"vector", true}, {"FP32/cycle", true}, {"FP64/cycle", true}, {"also called"}}, units);
  std::vector<std::vector<std::string>> models;
  for (const auto& model : processors.all())
    models.push_back({model.name, model.title, model.microarchitecture, number(model.cores), number(model.base_ghz)});
  workspace::print("\n");
  print_table({{"name"}, {"product"}, {"microarch"}, {"cores", true}, {"GHz", true}}, models);
  workspace::print("\n");
  print_accelerators(accelerators);
}

[[noreturn]] void unknown(const std::string& name, const Microarchitectures& table,
                          const specs::Accelerators& accelerators) {
  if (const auto several = workspace::which_is_meant(name, table); !several.empty())
    throw bad_input(fmt::format("\"{}\" {}", name, several));
  auto near = accelerators.nearest(name);
  for (const auto& id : table.nearest(name))
    if (near.size() < 4) near.push_back(id);
  throw bad_input(
      near.empty()
          ? fmt::format("no hardware is called \"{}\"; `stackx hw list` shows the known ones", name)
          : fmt::format("no hardware is called \"{}\"; did you mean {}?", name,
                        fmt::join(near, ", ")));
}

void show_accelerators(const std::string& name, const std::vector<const specs::Accelerator*>& models, const Globals& globals) {
  if (!globals.json) {
    print_models(name, models);
    return;
  }
  nlohmann::json document = {{"name", name}, {"models", nlohmann::json::array()}};
  for (const auto* model : models) document["models"].push_back(accelerator_json(*model));
  print_json(document);
}

void show_microarchitecture(const Microarchitecture& known, const Globals& globals) {
  if (globals.json) {
    print_json(to_json(known));
    return;
  }
  row("Name", fmt::format("{} ({}, {})", known.id, known.name, known.vendor));
  row("Also called", fmt::format("{}", fmt::join(known.aliases, ", ")));
  row("Core", known.core);
  row("GCC", known.march.empty() ? "" : "-march=" + known.march);
  rows("ISA", known.isa);
  row("Vector units", rates(known));
  row("Note", known.note);
  for (const auto& source : known.sources) row("Source", source);
}

void show_processor(const specs::Processor& model, const Microarchitectures& table, const Globals& globals) {
  if (globals.json)
    print_json(to_json(model, table));
  else
    print_processor(model, table);
}

void show_hardware(const std::string& name, const Globals& globals) {
  const Microarchitectures table = workspace::microarchitectures(globals);
  if (const auto* known = table.find(name)) return show_microarchitecture(*known, globals);
  const specs::Processors processors = specs::load_processors(globals.data_directory());
  if (const auto* model = processors.identify(name)) return show_processor(*model, table, globals);
  const specs::Accelerators accelerators = specs::load_accelerators(globals.data_directory());
  workspace::refuse_several(name, accelerators);
  if (const auto models = accelerators.named(name); !models.empty()) return show_accelerators(name, models, globals);
  const auto* processor = table.of_processor(name);
  if (!processor) unknown(name, table, accelerators);
  if (!globals.json) row("Processor", name);
  show_microarchitecture(*processor, globals);
}

}  // namespace

void add_hw(Command app, Globals& globals) {
  auto name = std::make_shared<std::string>();
  const auto command = app.add_subcommand("hw", "The machine at hand: CPU, caches, NUMA, GPUs, system");
  command.describe(
      {"Without a command it says what this machine is, as every result that is measured here states it: "
       "processor, caches, NUMA nodes, memory, GPUs, system, and the container engine that works.",
       {{"What is known of a GPU, with sources", "stackx hw show v100"},
        {"What makes measurements noisy here", "stackx hw noise --threads 2"}}});
  command.require_subcommand(0, 1);
  const auto list_command = command.add_subcommand(
      "list", "The processors and accelerators known by name, and their rates");
  list_command.callback([&globals] { list_hardware(globals); });
  const auto show_command =
      command.add_subcommand("show", "What is known of a processor or accelerator, with sources");
  show_command.add_option("name", *name, "Name, alias or family, e.g. sapphire-rapids, spr, v100 or \"EPYC 7763\"")
      .type_name("MODEL")
      .required();
  show_command.callback([name, &globals] { show_hardware(*name, globals); });
  add_hw_drivers(command, globals);
  add_hw_noise(command, globals);
  command.callback([command, &globals] {
    if (!command.has_subcommand()) detect(globals);
  });
}

}  // namespace stackx::cli
