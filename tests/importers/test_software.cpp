#include "importers/software.hpp"

#include <catch2/catch.hpp>

using namespace stackx::importers;
using Versions = std::map<std::string, std::string>;

TEST_CASE("names of components as submitters write them") {
  CHECK(component_of("cuda_driver_version") == "nvidia_driver");
  CHECK(component_of("CUDA") == "cuda");
  CHECK(component_of("trt_version") == "tensorrt");
  CHECK(component_of("Intel MPI") == "intel_mpi");
  CHECK(component_of("resnet_CL") == "");
}

TEST_CASE("versions out of prose, as MLPerf's submitters wrote it") {
  CHECK(versions_in("cuda 11.0.167, cudnn 8.0.1.13, cublas 11.0.167, gcc 7.5.0") ==
        Versions{{"cuda", "11.0.167"}, {"cudnn", "8.0.1.13"}, {"cublas", "11.0.167"}, {"gcc", "7.5.0"}});
  CHECK(versions_in("cuda 10.1.243, cudnn, 7.6.5")["cudnn"] == "7.6.5");
  CHECK(versions_in("CentOS 7.5 / python 3.6.5 / openmpi_version 2.1.6 / cuda_driver_version 410.104") ==
        Versions{{"python", "3.6.5"}, {"openmpi", "2.1.6"}, {"nvidia_driver", "410.104"}});
  CHECK(versions_in("MKLDNN (v0.18), MKL (v2019.0.3.20190220), Intel MPI (v2018.1.163)") ==
        Versions{{"mkldnn", "0.18"}, {"mkl", "2019.0.3.20190220"}, {"intel_mpi", "2018.1.163"}});
  CHECK(versions_in("Horovod, GluonCV, modelarts-2.0, TODO").empty());
}

TEST_CASE("two versions of one component state none") {
  CHECK(versions_in("cuda 10.1, cudnn 7.6, cuda 11.0") == Versions{{"cudnn", "7.6"}});
  CHECK(versions_in("cuda 10.1 and again cuda 10.1") == Versions{{"cuda", "10.1"}});
}

TEST_CASE("a framework's version, not a container's release") {
  CHECK(framework_version("TensorFlow 1.13.1") == Versions{{"tensorflow", "1.13.1"}});
  CHECK(framework_version("PyTorch 1.6.0") == Versions{{"torch", "1.6.0"}});
  CHECK(framework_version("MXNet NVIDIA Release 19.05").empty());
  CHECK(framework_version("PyTorch 20.06").empty());
  CHECK(framework_version("JAX").empty());
}

TEST_CASE("a version without its decoration") {
  CHECK(plain_version("(v0.18),") == "0.18");
  CHECK(plain_version("3.8.5 (64-bit)") == "3.8.5");
  CHECK(plain_version("N/A") == "");
  CHECK(plain_version("https://github.com/google/jax/commit/2bc9") == "");
}
