// The PIs that stackx brings (kernels/): their names and parameters, for whoever has to know before one runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "specs/project/workload.hpp"

namespace stackx::specs {

// Under a Python framework, on a processor or a GPU; or native, stackx-pi with a library.
enum class PiKind { framework, framework_on_gpu, native };

// Of those for frameworks only some are native, too.
bool has_pi(const std::string& name, PiKind kind = PiKind::framework);
// That there is one for a Python framework, or else for a library. Throws Error(bad_input): "`place`: stackx has no PI ...".
void require_pi(const std::string& place, const std::string& name, bool python);
// That the PI of that name for Python frameworks takes every parameter. Throws Error(bad_input): "`place`: stackx's PI matmul has no ...".
void require_parameters(const std::string& place, const Workload& workload);
// Parameters that every PI has (repetitions, mini_batch, warmup_ms, ...): how it is measured, and not what.
bool says_how_to_measure(const std::string& parameter);
// Collective operations: ranks that exchange.
bool takes_ranks(const std::string& name);
// Under a framework: whether it is told where to compute (device=gpu).
bool takes_device(const std::string& name);

// The workload's parameters that the PI of that name takes; a framework on a GPU is told device=gpu, while stackx-pi knows the
// device by the library. Published shapes have more (suite, padded): those are named in `left_out`. Of workloads without a PI
// all parameters stay.
std::map<std::string, std::string> pi_parameters(const Workload& workload, PiKind kind, std::vector<std::string>& left_out);

}  // namespace stackx::specs
