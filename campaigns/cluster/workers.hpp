// Which inspections can be spread over several nodes, and over how many of them: a worker a node.
//
// A target with "nodes": N gives each block N nodes. An arm has as many workers as its workload's parameter says (`workers` of
// training, `ranks` of collectives) or a setting of its stack, 1 to N: it runs on the first so many nodes of its block, and the
// others rest. So one campaign measures one, two and four workers in the same rounds on the same nodes. Where nothing says how
// many, it is N. The parameter `nodes`, which stackx adds, makes it another workload than as many workers on one machine.
//
// MPI's launcher is called by the first worker's PI, and finds the others waiting for it (kernels/collectives/remote_shell.hpp).
// Rejected: several workers a node, which wants as many PIs there, each with a GPU and processors of its own.
#pragma once

#include <cstdint>
#include <string>

#include "specs/catalog/catalog.hpp"
#include "specs/project/plan.hpp"

namespace stackx::campaigns::cluster {

// How many workers an arm has; 1 where nothing says so.
std::uint64_t workers_of(const specs::Arm& arm, const specs::Catalog& catalog);

// The plan of a target with several nodes, sealed again. Throws Error(bad_input) for an arm that cannot be spread over them;
// `where` begins the sentence: "project.json: target v100".
specs::Plan over_nodes(specs::Plan plan, std::uint64_t nodes, const specs::Catalog& catalog, const std::string& where);

}  // namespace stackx::campaigns::cluster
