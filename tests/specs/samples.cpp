#include "tests/specs/samples.hpp"

namespace stackx::tests {

using namespace specs;

Host sample_host() {
  Host host;
  host.hostname = "bench-1";
  host.cpu = {"Intel(R) Xeon(R) Platinum 8480C",
              "intel",
              "sapphire-rapids",
              6,
              143,
              8,
              {"aes", "amx_tile", "avx2", "avx512f", "fma", "sse4_2"},
              1,
              8,
              16,
              1,
              224,
              7.5,
              {{1, "data", 49152, 8}, {3, "unified", 110100480, 1}},
              3800.0};
  host.memory_bytes = 67'200'000'000;
  host.memory_limit_bytes = 34'359'738'368;
  host.gpus = {{"NVIDIA H200", "GPU-1", "0000:1b:00.0", "9.0", 150'754'820'096, {}}};
  host.driver = "550.54.15";
  host.cuda_driver = "12.4";
  host.os = "debian";
  host.os_version = "12";
  host.kernel = "6.1.0-18-amd64";
  host.libc = "glibc 2.36";
  host.governor = "performance";
  host.turbo = "on";
  host.virtualization = "kvm";
  host.container = "docker";
  host.runtimes = {"bubblewrap 0.8.0"};
  return host;
}

Inspection sample_inspection() {
  Inspection inspection;
  inspection.campaign = "c0ffee";
  inspection.round = 3;
  inspection.position = 1;
  inspection.arm = "0123456789ab+A";
  inspection.sentinel = true;
  inspection.stack = {{{"openblas", "0.3.29"}, {"threads", "2"}}};
  inspection.loaded = {{"openblas", "0.3.29"}};
  inspection.workload = {"matmul", {{"m", "512"}, {"dtype", "float32"}}};
  inspection.parameters = {{"m", "512"}, {"dtype", "float32"}, {"threads", "2"}, {"batch", "7"}};
  inspection.host = sample_host();
  inspection.load_1m = 0.1;
  inspection.device = inspection.host.fingerprint();
  inspection.runner = "local (bubblewrap 0.8.0)";
  inspection.phases = {{"check", 1'760'000'000'000'000'000, 1'500'000},
                       {"measure", 1'760'000'000'001'500'000, 70'000'000}};
  inspection.samples_ns = {5'000'001, 5'000'002, 4'999'999};
  inspection.work = {2.0 * 512 * 512 * 512 * 7, 3.0 * 512 * 512 * 4 * 7, 7};
  inspection.check = {"float64 product of sampled rows", 1.0 / 3e7, 1e-5, true};
  inspection.usage = {0.12, 0.034, 123'456'789, 1000, 2, 30, 4};
  inspection.exit_code = 0;
  inspection.stdout_tail = "{\"name\": \"matmul\"}\n";
  inspection.stderr_tail = "una advertencia: ¡ojo!\n";
  inspection.artifacts = {{"openblas.whl", std::string(64, 'a')}};
  inspection.stackx_version = "0.1.0";
  inspection.finished = "2026-11-20T17:10:00.123Z";
  seal(inspection);
  return inspection;
}

Plan sample_plan() {
  Plan plan;
  plan.project = "blas-cpu";
  plan.created = "2026-11-20T17:00:00.000Z";
  plan.seed = 42;
  plan.campaign.sampler = {SamplerSpec::Kind::stratified, "blas", 2, 42};
  plan.campaign.budget_minutes = 5;
  const Workload workload{"matmul", {{"m", "512"}}};
  for (const char* version : {"0.3.28", "0.3.29"}) {
    const Stack stack{{{"openblas", version}}};
    plan.arms.push_back({stack.short_id(), stack, workload, false});
  }
  plan.arms.push_back({plan.arms[0].label + "+A", plan.arms[0].stack, workload, true});
  seal(plan);
  return plan;
}

}  // namespace stackx::tests
