// What is said of a cluster's nodes: those that a target could use, and cannot.
#include <catch2/catch.hpp>

#include "campaigns/cluster/slurm/nodes.hpp"

namespace slurm_nodes_tests {

using namespace stackx;
using campaigns::cluster::node_remarks;
using Remarks = std::vector<std::string>;

namespace {

const std::string cluster =
    "n1\x1fmain*\x1fidle\x1fh100,ib\x1fgpu:h100:8(S:0-1)\x1fnone\n"
    "n2\x1fmain*\x1f" "drained\x1fh100,ib\x1fgpu:h100:8(S:0-1)\x1f" "bad disk, see | ticket\n"
    "n2\x1furgent\x1f" "drained\x1fh100,ib\x1fgpu:h100:8(S:0-1)\x1f" "bad disk, see | ticket\n"
    "n3\x1fmain*\x1f" "down*\x1fv100\x1fgpu:v100:1\x1fNot responding\n"
    "n4\x1fmain*\x1f" "down*\x1fv100\x1fgpu:v100:1\x1fNot responding\n"
    "n5\x1furgent\x1f" "down\x1fh100\x1f(null)\x1fnone\n"
    "n6\x1fmain*\x1fidle~\x1fh100\x1fgpu:h100:8\x1fnone\n";

const std::string n2 = "node n2 is drained (bad disk, see | ticket): once it is well, an administrator says: "
                       "scontrol update nodename=n2 state=resume";
const std::string n3_n4 = "nodes n3,n4 are down, not answering (Not responding): once they are well, an administrator says: "
                          "scontrol update nodename=n3,n4 state=resume";

}  // namespace

TEST_CASE("nodes of the default partition, or of the one asked for") {
  CHECK(node_remarks(cluster, {}, {}) == Remarks{n3_n4, n2});
  specs::SlurmTarget urgent;
  urgent.partition = "urgent";  // then sinfo names no others
  const auto n5 = node_remarks("n5\x1furgent\x1f" "down\x1fh100\x1f(null)\x1fnone\n", urgent, {});
  CHECK_THAT(n5.at(0), Catch::StartsWith("node n5 is down: once"));
  CHECK(node_remarks("n7\x1fmain*\x1f" "allocated*\x1fh100\x1f(null)\x1fnone\n", {}, {}) ==
        Remarks{"node n7 is not answering: Slurm starts nothing there until it answers"});
  CHECK(node_remarks("", {}, {}).empty());
  CHECK(node_remarks("half a line\nn1\x1fmain*\x1f", {}, {}).empty());
}

TEST_CASE("nodes that a target does not ask for are none of its business") {
  const auto remarks = [](const std::string& constraint, const std::string& gres, const std::set<std::string>& excluded) {
    specs::SlurmTarget target;
    target.constraint = constraint;
    target.gres = gres;
    return node_remarks(cluster, target, excluded);
  };
  CHECK(remarks("h100", "", {}) == Remarks{n2});
  CHECK(remarks("h100&ib", "", {}) == Remarks{n2});
  CHECK(remarks("h100,ib", "", {}) == Remarks{n2});
  CHECK(remarks("h100&roce", "", {}).empty());
  CHECK(remarks("v100|h100", "", {}) == Remarks{n3_n4, n2});
  CHECK(remarks("[a|b]", "", {}).size() == 2);  // what cannot be told
  CHECK(remarks("", "gpu:h100:1", {}) == Remarks{n2});
  CHECK(remarks("", "gpu:h100", {}) == Remarks{n2});
  CHECK(remarks("", "gpu:2", {}).size() == 2);
  CHECK(remarks("", "gpu:a100:1", {}).empty());
  CHECK(remarks("", "", {"n2"}) == Remarks{n3_n4});
}

}  // namespace slurm_nodes_tests
