// One node's place among several whose PIs measure one thing together, and the words by which its PI knows it.
//
// The words are torchrun's, which every PI of several processes reads (kernels/python/stackx_pi/ranks/world.py): what goes through
// the confinement is what is named here, never the launcher's own environment, which holds what a PI should not know. Addresses are
// numeric, as a sandbox need not be able to resolve names. Gloo looks for its interface by the host's name, which leads to the
// loopback on many machines: it is told, unless a setting of the stack tells it. NCCL finds its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/process/process.hpp"

namespace stackx::inspector {

struct WorkerPlace {
  std::uint64_t rank = 0, size = 1;
  std::string address;             // of rank 0, as this node reaches it: "10.1.0.7"
  std::uint16_t port = 0;          // where rank 0's PI may listen, and at the port behind it
  std::string interface;           // by which this node reaches the others: "eth0"; "": not known
  std::vector<std::string> nodes;  // names of all, in the order of ranks; rank 0 alone knows them
  bool is_first() const { return rank == 0; }
};

// What the PI is told, whatever the stack's own settings say.
Environment words_of(const WorkerPlace& place);
// And what it is told unless they say something.
Environment hints_of(const WorkerPlace& place);

}  // namespace stackx::inspector
