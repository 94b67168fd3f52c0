#include <catch2/catch.hpp>

#include "analysis/text/gpu_links.hpp"

using namespace stackx;
using specs::GpuPath;
using specs::PcieLink;
using Texts = std::vector<std::string>;

namespace {

specs::Host host_of(std::size_t gpus, std::vector<specs::GpuLink> links) {
  specs::Host host;
  host.gpus.resize(gpus);
  host.gpu_links = std::move(links);
  return host;
}

}  // namespace

TEST_CASE("pairs that are joined alike share a text") {
  specs::Host host = host_of(3, {{0, 1, GpuPath::numa_node, 12, 0, 3, true},
                                 {0, 2, GpuPath::system, 0, 0, std::nullopt, false},
                                 {1, 2, GpuPath::system, 0, 0, std::nullopt, false}});
  CHECK(
      analysis::gpu_links_texts(host) ==
      Texts{"12 NVLinks (version 3): GPU 0-1", "across NUMA nodes, no peer access: GPU 0-2, 1-2"});
  host.gpus[0].pcie = PcieLink{4, 16};
  host.gpus[2].pcie = PcieLink{3, 16};
  CHECK(analysis::gpu_links_texts(host)[1] ==
        "across NUMA nodes (PCIe 3.0 x16), no peer access: GPU 0-2");
}

TEST_CASE("one way for all is said once") {
  CHECK(analysis::gpu_links_texts(host_of(3, {{0, 1, GpuPath::system, 0, 18, 4, true},
                                              {0, 2, GpuPath::system, 0, 18, 4, true},
                                              {1, 2, GpuPath::system, 0, 18, 4, true}})) ==
        Texts{"18 NVLinks through NVSwitch (version 4): every pair of GPUs"});
}

TEST_CASE("what is not known is not said") {
  CHECK(analysis::gpu_links_texts(host_of(0, {})).empty());
  CHECK(analysis::gpu_links_texts(host_of(2, {})).empty());
  CHECK(analysis::gpu_links_texts(host_of(2, {{0, 1, std::nullopt, 1}})) ==
        Texts{"1 NVLink: GPU 0-1"});
  CHECK(analysis::gpu_links_texts(
            host_of(2, {{0, 1, std::nullopt, std::nullopt, std::nullopt, std::nullopt, true}})) ==
        Texts{"over a path that is not known: GPU 0-1"});
}

TEST_CASE("each path has words of its own") {
  Texts texts;
  for (const auto path : {GpuPath::internal, GpuPath::single_switch, GpuPath::multiple_switches,
                          GpuPath::host_bridge, GpuPath::numa_node, GpuPath::system})
    texts.push_back(analysis::gpu_links_texts(host_of(2, {{0, 1, path}})).at(0));
  CHECK(texts == Texts{"on one board: GPU 0-1", "through one PCIe switch: GPU 0-1",
                       "through several PCIe switches: GPU 0-1", "through the host bridge: GPU 0-1",
                       "between host bridges of a NUMA node: GPU 0-1",
                       "across NUMA nodes: GPU 0-1"});
}
