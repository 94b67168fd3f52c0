// Where a build is that the default index does not have.
#include <catch2/catch.hpp>

#include "specs/python/build_index.hpp"

namespace stackx::specs {

TEST_CASE("build index: PyTorch's and vLLM's, of the builds that are there") {
  const auto url = [](const char* package, const char* version) {
    const auto index = build_index(package, version);
    return index ? index->name + " " + index->url + (index->whole ? " and all" : "") : "";
  };
  CHECK(url("torch", "2.14.1+cu126") == "pytorch-cu126 https://download.pytorch.org/whl/cu126");
  CHECK(url("torch", "1.8.2+cu102") == "pytorch-lts-cu102 https://download.pytorch.org/whl/lts/1.8/cu102");
  CHECK(url("torchvision", "0.9.2+cu111") == "pytorch-lts-cu111 https://download.pytorch.org/whl/lts/1.8/cu111");
  CHECK(url("torchvision", "0.29.0+cpu") == "pytorch-cpu https://download.pytorch.org/whl/cpu");
  CHECK(url("torch", "2.14.1+rocm7.2") == "pytorch-rocm7.2 https://download.pytorch.org/whl/rocm7.2 and all");
  CHECK(url("vllm", "0.31.0+rocm723") == "vllm-rocm723 https://wheels.vllm.ai/rocm/0.31.0/rocm723 and all");
  CHECK(url("torch", "2.14.1+xpu") == "pytorch-xpu https://download.pytorch.org/whl/xpu and all");
  for (const char* version : {"2.14.1", "2.14.1+ours", "2.13.0+git733fca1", "2.1.0+cu118_x", "2.1.0/../+cu118"})
    CHECK(url("torch", version).empty());
  CHECK(url("vllm", "0.31.0+cu129").empty());
  CHECK(url("own", "1.0+cu126").empty());
}

TEST_CASE("build index: the build that an address of PyTorch's stands for") {
  CHECK(pytorch_label("https://download.pytorch.org/whl/cu118") == "cu118");
  CHECK(pytorch_label("http://download.pytorch.org/whl/cpu/") == "cpu");
  CHECK(pytorch_label("https://download.pytorch.org/whl/rocm7.2") == "rocm7.2");
  for (const char* url : {"", "https://download.pytorch.org/whl/", "https://download.pytorch.org/whl/nightly/cu130",
                          "https://download.pytorch.org/whl/torch_stable.html", "https://pypi.org/simple", "https://x/whl/cu118"})
    CHECK(pytorch_label(url).empty());
}

TEST_CASE("build index: the usual one, by its addresses of now and before") {
  for (const char* url : {usual_index, "http://pypi.org/simple/", "https://pypi.python.org/simple"})
    CHECK(is_usual_index(url));
  for (const char* url : {"", "https://pypi.org/", "https://mirror/simple", "https://download.pytorch.org/whl/cpu"}) CHECK_FALSE(is_usual_index(url));
}

}  // namespace stackx::specs
