#include "importers/mlperf_system.hpp"

#include <catch2/catch.hpp>

using namespace stackx::importers;

TEST_CASE("a flat description with its software as an object") {
  const auto system = read_mlperf_system(R"({"submitter": "Somebody", "division": "closed",
    "system_name": "box8", "number_of_nodes": "2", "host_processors_per_node": "2",
    "host_processor_model_name": "AMD EPYC 7742", "accelerators_per_node": "8",
    "accelerator_model_name": "NVIDIA A100-SXM4-80GB 400W", "framework": "MXNet NVIDIA Release 21.05",
    "other_software_stack": {"cuda_version": "11.3.0.016", "cuda_driver_version": "465.19.01",
      "cudnn_version": "8.2.0.51", "mofed_version": "", "resnet_CL": "372617498"},
    "operating_system": "Ubuntu 20.04.2 LTS"})");
  REQUIRE(system);
  CHECK(system->hardware() == "NVIDIA A100-SXM4-80GB 400W");
  CHECK(system->devices == 16);
  CHECK(system->nodes == 2);
  CHECK(system->versions == std::map<std::string, std::string>{{"cuda", "11.3.0.016"},
                                                               {"nvidia_driver", "465.19.01"},
                                                               {"cudnn", "8.2.0.51"}});
  CHECK(system->os == "Ubuntu 20.04.2 LTS");
  CHECK(system->software.find("resnet_CL 372617498") != std::string::npos);
}

TEST_CASE("the software as a list of objects, or as prose; a trailing comma") {
  const auto listed = read_mlperf_system(R"({"accelerator_model_name": "V100",
    "other_software_stack": [{"cuda_version": "11.2", "nccl_version": "2.9.8"}],})");
  REQUIRE(listed);
  CHECK(listed->versions.at("nccl") == "2.9.8");
  CHECK_FALSE(listed->devices);
  const auto prose = read_mlperf_system(
      R"({"accelerator_model_name": "V100", "other_software_stack": "cuda 11.0, cudnn 8.0.1"})");
  CHECK(prose->versions.at("cudnn") == "8.0.1");
}

TEST_CASE("nodes in a list, CPUs alone, misspelt keys") {
  const auto gpu = read_mlperf_system(R"({"division": "open", "libraries": "python 3.6.5 / nccl_version 2.4.2",
    "os": "CentOS 7.5", "framework": "custom MXNet 1.3.1",
    "nodes": [{"num_nodes": 512, "cpu": "2x Intel Xeon", "accelerator": "Tesla V100-SXM2-16GB", "num_accelerators": 4}]})");
  REQUIRE(gpu);
  CHECK(gpu->devices == 2048);
  CHECK(gpu->hardware() == "Tesla V100-SXM2-16GB");
  CHECK(gpu->versions.count("mxnet") == 0);  // "custom"
  const auto cpu = read_mlperf_system(R"({"sumitter": "Intel_Corp", "number of nodes": "32",
    "host_processors_per_node": "2", "host_processor_model_name": "Xeon 8260L", "framework": "TensorFlow 1.13.1",
    "nodes": [{"num_nodes": 32, "accelerator": "NA", "num_accelerators": 0, "cpu": "Xeon 8260L"}]})");
  REQUIRE(cpu);
  CHECK(cpu->submitter == "Intel_Corp");
  CHECK(cpu->hardware() == "Xeon 8260L");
  CHECK(cpu->devices == 64);
  CHECK(cpu->versions.at("tensorflow") == "1.13.1");
}

TEST_CASE("Python dicts in texts in JSON in lines") {
  const auto system = read_mlperf_system(
      "org: {\"value\": \"NVIDIA\", \"metadata\": {\"lineno\": 231}}\n"
      "division: {\"value\": \"closed\", \"metadata\": {}}\n"
      "entry: {\"value\": \"{'hardware': 'DGX-1 with V100', 'os': 'Ubuntu 18.04', 'libraries': "
      "\\\"{'cuda_version': '10.1.163', 'cuda_driver_version': '418.67'}\\\", 'framework': 'MXNet NVIDIA "
      "Release 19.05', 'nodes': \\\"{'num_accelerators': '8', 'num_nodes': '3', 'accelerator': "
      "'Tesla V100-SXM2-16GB', 'cpu': '2x Xeon'}\\\"}\", \"metadata\": {}}\n");
  REQUIRE(system);
  CHECK(system->submitter == "NVIDIA");
  CHECK(system->devices == 24);
  CHECK(system->versions.at("nvidia_driver") == "418.67");
  CHECK(system->hardware() == "Tesla V100-SXM2-16GB");
}

TEST_CASE("what describes no system") {
  for (const char* text : {"", "{}", "[]", "b0VIM 8.2", "{\"a\": 1}", "org: {\"value\"",
                           "{\"accelerator_model_name\": \"N/A\"}"})
    CHECK_FALSE(read_mlperf_system(text));
  const auto odd = read_mlperf_system(
      R"({"accelerator_model_name": "V100", "number_of_nodes": "-1", "accelerators_per_node": "1e99"})");
  REQUIRE(odd);
  CHECK_FALSE(odd->devices);
}
