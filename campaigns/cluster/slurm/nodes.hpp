// What sinfo prints of nodes -> a sentence for those that a target could use and cannot.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "specs/project/cluster.hpp"

namespace stackx::campaigns::cluster {

inline constexpr const char* sinfo_format = "%N\x1f%P\x1f%T\x1f%f\x1f%G\x1f%E";  // sinfo -h -N -o

// A target could use the nodes of its partition, or of the default one, that have the features and the kind of GPU that it asks
// for. What cannot be told (a constraint with brackets or counts) leaves no node out. One sentence for all nodes of one state
// and reason: "node n2 is drained (bad disk): once it is well, ...". `excluded` are names of nodes.
std::vector<std::string> node_remarks(std::string_view printed, const specs::SlurmTarget& target, const std::set<std::string>& excluded);

}  // namespace stackx::campaigns::cluster
