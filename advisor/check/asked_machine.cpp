#include "advisor/check/asked_machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <regex>
#include <vector>

#include "advisor/check/stack_check.hpp"
#include "inspector/machine/gpu/devices.hpp"
#include "inspector/machine/host.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/several_names.hpp"
#include "workspace/asked/hardware.hpp"
#include "workspace/words.hpp"

namespace stackx::advisor {
namespace {

class AskedMachine {
 public:
  static constexpr std::size_t longest_name = 100;  // std::regex goes as deep as a text is long

  AskedMachine(Question& question, const std::string& platform, const specs::Accelerators& accelerators, const workspace::Context& context)
      : question_(question), platform_(platform), accelerators_(accelerators), context_(context) {}

  void run() {
    read_hardware();
    read_platform();
  }

 private:
  void read_hardware() {
    if (question_.hardware == "host") {
      read_host();
      return;
    }
    workspace::refuse_several(question_.hardware, accelerators_);
    const auto* model = accelerators_.identify(question_.hardware);
    if (model) {
      take_gpu(*model, question_.hardware);
      return;
    }
    if (const auto gpu = specs::gpu_beside_processor(question_.hardware, accelerators_); !gpu.empty())
      return take_gpu(*accelerators_.identify(gpu), gpu);
    if (take_laptop() || take_capability()) return;
    const auto asked = workspace::hardware_of_catalogs(question_.hardware, {}, accelerators_, context_);
    if (asked) {  // a processor: no GPU
      if (!asked->machine.empty()) question_.machine = asked->machine;
      if (asked->vendor == "apple") question_.in_place_of = fmt::format("nearly every {} runs macOS, and {}; on Linux", question_.hardware, not_macos);
      return;
    }
    if (const auto several = workspace::which_is_meant(question_.hardware, workspace::microarchitectures(context_)); !several.empty())
      throw bad_input(fmt::format("--hw {}: {}", specs::in_quotes(question_.hardware), several));
    if (const auto none = workspace::no_name_of_hardware(question_.hardware); !none.empty())
      throw bad_input(fmt::format("--hw {}: {}", specs::in_quotes(question_.hardware), none));
    const auto near = accelerators_.nearest(question_.hardware);
    throw bad_input(fmt::format("--hw {}: no such hardware in the catalogs{}; `stackx hw list` names all, and --hw sm_75 stands for any GPU of that "
                                "compute capability",
                                specs::in_quotes(question_.hardware),
                                near.empty() ? "" : fmt::format("; the nearest are {}", fmt::join(near, ", "))));
  }

  // "NVIDIA GeForce RTX 3070 Laptop GPU": of the desktop card's generation, which is all that is taken of it.
  bool take_laptop() {
    static const std::regex of_laptop(R"((.*)\b(laptop|mobile)( gpu)?\s*)", std::regex::icase);
    std::smatch parts;
    if (question_.hardware.size() > longest_name || !std::regex_match(question_.hardware, parts, of_laptop)) return false;
    const auto* model = accelerators_.identify(parts[1].str());
    if (!model || model->vendor != "nvidia" || model->segment != "geforce") return false;
    question_.gpu = AskedGpu{question_.hardware, question_.hardware, question_.hardware, "nvidia", model->architecture, model->compute_capability, "", false, ""};
    question_.remarks.push_back(fmt::format("judged by the compute capability of {}, which its namesake in laptops shares", model->title));
    return true;
  }

  // "sm_75", "7.5": any GPU that has it. A Jetson's own are a Jetson; where all are in machines of one kind, so is this.
  bool take_capability() {
    static const std::regex form(R"((?:sm_?(\d{1,2})(\d)|(\d{1,2})\.(\d)))", std::regex::icase);
    std::smatch parts;
    if (question_.hardware.size() > longest_name || !std::regex_match(question_.hardware, parts, form)) return false;
    const auto capability = parts[1].matched ? parts[1].str() + "." + parts[2].str() : parts[3].str() + "." + parts[4].str();
    std::vector<const specs::Accelerator*> models;
    for (const auto& model : accelerators_.all())
      if (model.vendor == "nvidia" && model.compute_capability == capability) models.push_back(&model);
    if (models.empty()) throw bad_input(fmt::format("--hw {}: no GPU of compute capability {} is known here", question_.hardware, capability));
    const bool jetson = std::ranges::all_of(models, [](const auto* model) { return model->segment == "jetson"; });
    const auto in_another = [&](const auto* model) { return model->machine != models.front()->machine; };
    const auto machine = std::ranges::any_of(models, in_another) ? "" : models.front()->machine;
    const auto name = "a GPU of compute capability " + capability;
    question_.gpu = AskedGpu{name, name, name, "nvidia", models.front()->architecture, capability, "", false, machine, jetson};
    if (!machine.empty()) question_.machine = machine;
    return true;
  }

  void take_gpu(const specs::Accelerator& model, const std::string& asked) {
    question_.gpu = asked_gpu(model, asked);
    question_.gpu->first_driver = accelerators_.first_driver(asked);
    if (!model.machine.empty()) question_.machine = model.machine;
  }

  void read_host() {
    const auto host = inspector::detect_host(context_.data_directory());
    utsname names{};
    if (uname(&names) == 0) question_.machine = names.machine;
    if (host.libc.starts_with("glibc ")) question_.glibc = host.libc.substr(6);
    const bool own_driver = question_.driver.empty();
    if (own_driver) question_.driver = host.driver;
    if (host.gpus.empty()) {
      question_.remarks.push_back("no GPU is visible here" + (host.gpu_note.empty() ? "" : ": " + host.gpu_note));
      return;
    }
    const auto& gpu = host.gpus.front();
    if (const auto* model = accelerators_.identify(gpu.model))
      take_gpu(*model, gpu.model);
    else
      question_.gpu = AskedGpu{gpu.model, gpu.model, gpu.model, "nvidia", "", gpu.compute_capability, "", false, ""};
    if (own_driver) question_.gpu->first_driver = {};  // it drives the GPU that it reports, whatever lists say
    if (!gpu.compute_capability.empty()) question_.gpu->compute_capability = gpu.compute_capability;
    if (host.gpus.size() > 1) question_.remarks.push_back(fmt::format("judged for the first of {} GPUs, {}", host.gpus.size(), gpu.model));
  }

  // "linux aarch64", "manylinux_2_28_x86_64", pip's "manylinux2014_x86_64"
  void read_platform() {
    const auto& text = platform_;
    if (text.empty()) return;
    constexpr std::size_t longest = 100;  // of any platform; std::regex goes as deep as a text is long
    if (text.size() > longest) throw bad_input(fmt::format("--platform {}: expected \"linux x86_64\" or \"linux aarch64\"", specs::in_quotes(text.substr(0, longest))));
    static const std::regex form(R"(linux[ _](\w+)|manylinux(?:_2_(\d{1,3})|(1|2010|2014))_(\w+))");
    std::smatch parts;
    if (std::regex_match(text, parts, form)) {
      const auto machine = parts[1].matched ? parts[1].str() : parts[4].str();
      if (parts[2].matched) question_.glibc = "2." + parts[2].str();
      if (parts[3].matched) question_.glibc = parts[3] == "1" ? "2.5" : parts[3] == "2010" ? "2.12" : "2.17";
      if (machine == "x86_64" || machine == "aarch64" || machine == "ppc64le" || machine == "s390x") {
        question_.machine = machine;
        return;
      }
    }
    static const std::regex others(R"((macos|darwin|osx|win|wsl).*)", std::regex::icase);
    if (std::regex_match(text, others))
      throw bad_input(fmt::format("--platform {}: Windows and macOS are not answered; WSL2 is linux x86_64", specs::in_quotes(text)));
    throw bad_input(fmt::format(
        "--platform {}: expected \"linux x86_64\", \"linux aarch64\" or what wheels are called: manylinux_2_28_x86_64",
        specs::in_quotes(text)));
  }

  Question& question_;
  const std::string& platform_;
  const specs::Accelerators& accelerators_;
  const workspace::Context& context_;
};

}  // namespace

void ask_of_machine(Question& question, const std::string& platform, const specs::Accelerators& accelerators, const workspace::Context& context) {
  AskedMachine(question, platform, accelerators, context).run();
}

}  // namespace stackx::advisor
