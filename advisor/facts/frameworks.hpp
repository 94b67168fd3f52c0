// The packages that people choose the others for: the one list of them, in the order in which an answer is about one.
#pragma once

#include <string>
#include <vector>

namespace stackx::specs {
struct Fact;
struct Workload;
}

namespace stackx::advisor {

enum class Role {
  serves,    // with one that computes, which it requires
  computes,
  retired,   // computes, without new releases: nobody is sent there
  part,      // of one that computes
};

struct Framework {
  std::string name;
  Role role;
};

// vllm before torch: vllm requires torch, not torch vllm.
const std::vector<Framework>& frameworks();

bool is_framework(const std::string& package);  // what computes, or a part of it: a build for CPUs is not what is meant with a GPU
bool is_server(const std::string& package);
bool is_leading(const std::string& package);    // what an answer may be about

// Whose accelerators an extra brings code for: "cuda12", "and-cuda" -> "nvidia"; "rocm7-local" -> "amd"; "tpu" -> "google";
// "": it says nothing of that.
std::string vendor_of_extra(const std::string& extra);

// What to take instead where the accelerator is that vendor's: "jax[tpu]" of jax for "google"; "": nothing is known.
std::string instead_for(const specs::Fact& fact, const std::string& vendor);

// matmul:framework=jax -> "jax"; "" where it names none.
std::string named_framework(const specs::Workload& workload);

}  // namespace stackx::advisor
