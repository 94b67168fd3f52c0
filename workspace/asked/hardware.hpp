// What --hw names: this machine, a model or family of accelerators, a processor's microarchitecture, a processor as shops
// and lscpu call it ("EPYC 7763"), a machine of the store by its fingerprint, or any hardware that the store has results of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/hardware.hpp"
#include "store/questions/questions.hpp"
#include "workspace/context.hpp"

namespace stackx::specs {
class Microarchitectures;
}

namespace stackx::workspace {

struct AskedHardware {
  std::string name;       // as measurements and published results are selected: "v100", "zen4"
  std::string component;  // of the catalogs: "gpu", "cpu"; "" if they do not know it
  std::string version;    // of that component: "v100-sxm2-16gb", "zen4", "host"
  std::vector<std::string> models;        // accelerators that the name may mean
  std::vector<std::string> in_the_store;  // how measurements spell it: each name selects some
  std::string fingerprint;                // of the one machine that was asked for; "" else
  std::string product = {};               // that was typed, of a processor: it goes by its microarchitecture
  std::string vendor = {};                // of an accelerator, or a processor that was named: "nvidia", "apple"
  std::string machine = {};               // of a processor that was named: "aarch64", "x86_64"
};

// Throws Error(bad_input) for the names of several accelerators: an answer for one of them would look like one for all.
void refuse_several(const std::string& text, const specs::Accelerators& accelerators);

// What this machine and the catalogs know of the name, without the store; nothing if they do not. Refuses several.
std::optional<AskedHardware> hardware_of_catalogs(const std::string& text, const specs::Host& host,
                                                  const specs::Accelerators& accelerators,
                                                  const Context& context);

// Of what is a kind of hardware and no name ("gpu", "cpu"): what --hw takes; "" else.
std::string no_name_of_hardware(const std::string& text);

// Whether anybody knows the name: the catalogs, or those whose results the store has.
bool is_known(const std::string& text, const specs::Host& host, const specs::Accelerators& accelerators,
              const Context& context, const store::Questions& questions);

// Where processors of several microarchitectures are called so: "may be zen or zen2, ...", and how to ask; "" else.
std::string which_is_meant(const std::string& text, const specs::Microarchitectures& processors);

// Throws Error(bad_input) with the nearest names where nobody knows this one, and where it names several microarchitectures.
AskedHardware asked_hardware(const std::string& text, const specs::Host& host,
                             const specs::Accelerators& accelerators, const Context& context,
                             const store::Questions& questions);

}  // namespace stackx::workspace
