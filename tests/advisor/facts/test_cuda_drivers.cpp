#include "advisor/facts/cuda_drivers.hpp"

#include <catch2/catch.hpp>

#include "tests/advisor/known.hpp"

namespace cuda_drivers_tests {

using namespace stackx;
using namespace stackx::advisor;
using Texts = std::vector<std::string>;

const DriverSpan k80{"K80", "3.7", "346.46", "470", {}, true}, v100{"V100", "7.0", "384.81", "580", {}, true}, b200{"B200", "10.0", "570.26", "", {}, true},
    rtx5090{"RTX5090", "12.0", "570.26"};

Knowledge knowledge_of_cuda() {
  static tests::Known known;
  static const bool once = [] {
    known.facts(R"({"of": "cuda", "versions": ["11.8"], "driver": "520.61.05", "minor": "450.80.02"},
                   {"of": "cuda", "versions": ["12.0"], "driver": "525.60.13", "minor": "525.60.13"},
                   {"of": "cuda", "versions": ["12.8"], "driver": "570.26", "minor": "525.60.13"},
                   {"of": "cuda", "versions": ["13.0"], "driver": "580.65.06", "minor": "580"},
                   {"of": "cuda-compat", "cuda": "12.0", "branches": ["450", "520"]},
                   {"of": "cuda-compat", "cuda": "13.0", "branches": ["535", "570"]},
                   {"of": "driver", "gpu": ["3.7"], "since": "346.46"}, {"of": "driver", "gpu": ["7.0"], "since": "384.81"},
                   {"of": "driver", "gpu": ["10.0", "12.0"], "since": "570.26"},
                   {"of": "cuda-toolkit", "versions": ">=11,<12", "built_for": {"cuda": "11.8", "cubins": ["3.5", "7.0"]}},
                   {"of": "cuda-toolkit", "versions": ">=12.0,<12.8", "built_for": {"cuda": "12.0", "cubins": ["7.0"]}},
                   {"of": "cuda-toolkit", "versions": ">=12.8,<13", "built_for": {"cuda": "12.8", "cubins": ["7.0", "10.0", "12.0"]}},
                   {"of": "cuda-toolkit", "versions": ">=13,<14", "built_for": {"cuda": "13.0", "cubins": ["10.0", "12.0"]}})");
    return true;
  }();
  (void)once;
  return known.knowledge();
}

TEST_CASE("drivers of CUDA: releases that none of the GPUs has are left out") {
  const auto knowledge = knowledge_of_cuda();
  CHECK(drivers_of_cuda(knowledge, {k80}) == Texts{"CUDA 11 needs driver >=450.80.02"});
  CHECK(drivers_of_cuda(knowledge, {v100, k80}) ==
        Texts{"CUDA 11 needs driver >=450.80.02",
              "CUDA 12 (not for K80) needs driver >=525.60.13; on data-center GPUs with NVIDIA's package cuda-compat branch 450 or 520 will do"});
}

TEST_CASE("drivers of CUDA: from the first release that has the GPU on, and branches that drive it") {
  const auto knowledge = knowledge_of_cuda();
  CHECK(drivers_of_cuda(knowledge, {rtx5090}) == Texts{"CUDA 12 (from 12.8 on) needs driver >=570.26", "CUDA 13 needs driver >=580"});
  CHECK(drivers_of_cuda(knowledge, {b200}).back() ==
        "CUDA 13 needs driver >=580; on data-center GPUs with NVIDIA's package cuda-compat branch 570 will do");
}

TEST_CASE("drivers of CUDA: of several GPUs it says for which from when on, and for which not at all") {
  const auto knowledge = knowledge_of_cuda();
  CHECK(drivers_of_cuda(knowledge, {v100, rtx5090}) ==
        Texts{"CUDA 11 (not for RTX5090) needs driver >=450.80.02", "CUDA 12 (for RTX5090 from 12.8 on) needs driver >=570.26",
              "CUDA 13 (not for V100) needs driver >=580"});
  CHECK(drivers_of_cuda(knowledge, {k80, rtx5090, b200})[1] == "CUDA 12 (for RTX5090 and B200 from 12.8 on; not for K80) needs driver >=570.26");
}

TEST_CASE("drivers of CUDA: a release that there is not, with its neighbours") {
  const auto knowledge = knowledge_of_cuda();
  CHECK(no_such_cuda(knowledge.drivers(), "12.7") == "there is no CUDA 12.7; known are 12.0 and 12.8");
  CHECK(no_such_cuda(knowledge.drivers(), "99") == "no CUDA 99 is known; the newest is 13.0");
  CHECK(no_such_cuda(knowledge.drivers(), "9.0") == "no CUDA 9.0 is known; the oldest is 11.8");
  for (const char* known : {"12", "12.8", "12.8.1"}) CHECK(no_such_cuda(knowledge.drivers(), known).empty());
}

}  // namespace cuda_drivers_tests
