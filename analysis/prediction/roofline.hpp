// What a workload asks of a device, and the least time that a device's peak rates leave for it: the
// roofline (Williams, Waterman & Patterson 2009, Communications of the ACM 52:65).
//
// Operations of matmul and conv2d are those of specs/result/metric.hpp; of an rnn, the two products of
// every gate with weights, 2 * gates * 2 * hidden^2 * batch * timesteps, its input as wide as its
// hidden layer, each direction alike. Bytes count every operand read once and every result written
// once, in the workload's dtype (integer products in 4 bytes): the least traffic, as if caches were
// as large as need be. Rejected: counting what a real library moves, which no source states.
#pragma once

#include <optional>

#include "specs/project/workload.hpp"

namespace stackx::analysis {

struct Operation {
  double flop = 0, bytes = 0;
  double overhead_s = 0;  // that no device saves: launching, and steps that wait for one another
};

// Nothing where the parameters do not say all that is needed (shape, dtype).
std::optional<Operation> operation_of(const specs::Workload& workload);

struct Ceiling {
  double peak_gflop_s = 0, bandwidth_gb_s = 0;
};

// GFLOP/s: min(peak, bandwidth * flop / bytes).
double attainable(const Operation& operation, const Ceiling& ceiling);

// Seconds of calculation, of traffic and of overhead, one after the other. Softer than the roofline
// where two of them are alike, and what scales one device's time to another's: over DeepBench it
// errs less than the roofline's corner does.
double expected_seconds(const Operation& operation, const Ceiling& ceiling);

}  // namespace stackx::analysis
