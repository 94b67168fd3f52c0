#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/prediction/rate_model.hpp"
#include "analysis/prediction/roofline.hpp"
#include "analysis/published/configuration.hpp"
#include "tests/analysis/ask_oracle.hpp"
#include "tests/analysis/rate_evidence.hpp"

namespace rate_model_tests {

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

constexpr std::array all_kinds{LeaveOut::shape, LeaveOut::library, LeaveOut::hardware};

double roof(const specs::Workload& workload, const specs::Accelerator& gpu) {
  const Operation operation = *operation_of(workload);
  return operation.flop / 1e9 /
         expected_seconds(operation, {gpu.peaks.at("float32") * 1000, *gpu.bandwidth_gb_s});
}

// A quarter to three quarters of the roof, by shape.
double efficiency(const specs::Workload& workload) {
  const double m = std::stod(workload.params.at("m")), k = std::stod(workload.params.at("k"));
  return 0.5 + 0.25 * std::sin(std::log(m) + 2 * std::log(k));
}

nlohmann::json row_json(const Observation& of) {
  return {{"params", of.workload->params},
          {"stack", of.stack->components},
          {"result", of.result},
          {"hardware", family_of(*of.accelerator)},
          {"vendor", of.accelerator->vendor},
          {"architecture", of.accelerator->architecture},
          {"capability", of.accelerator->compute_capability},
          {"peak", specs::peak_of(*of.accelerator, *of.workload)->rate},
          {"bandwidth", *of.accelerator->bandwidth_gb_s},
          {"rate", of.rate}};
}

}  // namespace

TEST_CASE("every published result becomes an observation or is counted with its reason",
          "[rate-model]") {
  for (const RateEvidence* evidence : {&deepbench(), &all_matmul()}) {
    std::uint64_t left_out = 0;
    for (const auto& [why, n] : evidence->observations.left_out) {
      CHECK_FALSE(why.empty());
      left_out += n;
    }
    CHECK(evidence->observations.all.size() + left_out == evidence->results.size());
    CHECK(evidence->observations.all.size() > left_out);
  }
  for (const Observation& one : deepbench().observations.all) {
    CHECK(one.rate > 0);
    CHECK(one.evidence.size() == 64);
    CHECK(one.source.starts_with("https://"));
  }
}

TEST_CASE("inspections of one stack and workload are one observation: the median", "[rate-model]") {
  const auto* v100 = deepbench().accelerators->identify("v100");
  REQUIRE(v100 != nullptr);
  std::vector<store::Measurement> results;
  for (const double gflops : {9000.0, 12000.0, 11000.0}) {
    store::Measurement one;
    one.inspection = std::to_string(gflops);
    one.stack.components = {{"cuda", "10.1.243"}};
    one.workload = specs::parse_workload("matmul:m=1000,n=1000,k=1000,dtype=float32");
    one.work.flop = 4e9;  // two runs a sample
    one.samples_ns.assign(3, std::llround(4e9 / gflops));
    results.push_back(one);
  }
  results.push_back(results.back());
  results.back().outcome = specs::Outcome::wrong_result;
  Observations observations;
  observations.add(results, *v100);
  REQUIRE(observations.all.size() == 1);
  CHECK(observations.all[0].rate == Approx(11000).epsilon(1e-4));
  CHECK(observations.all[0].source.empty());
}

TEST_CASE("libraries and families are told by what stacks and models are called", "[rate-model]") {
  CHECK(library_of({{{"cuda", "10.1.243"}, {"cudnn", "7.6"}}}) == "cuda 10.1");
  CHECK(library_of({{{"cuda", "8.0.61"}}}) == library_of({{{"cuda", "8"}}}));
  CHECK(library_of({{{"cublas", "7.5"}}}) == "cuda 7.5");
  CHECK(library_of({{{"rocm", "1.7.1"}}}) == "rocm 1.7");
  CHECK(library_of({{{"python", "3.11"}}}) == "");
  const auto family = [](const char* name) {
    specs::Accelerator model;
    model.name = name;
    return family_of(model);
  };
  CHECK(family("p100-pcie-16gb") == "p100");
  CHECK(family("v100-sxm2-32gb") == "v100");
  CHECK(family("titan-x-pascal") == "titan-x-pascal");
  CHECK(family("gtx-1080-ti") == "gtx-1080-ti");
  CHECK(family("m40-12gb") == "m40");
}

TEST_CASE("the program that calls a library is told by the stack, the result's type by the workload or the program", "[rate-model]") {
  CHECK(caller_from({{{"cublas", "13.1"}, {"torch", "2.11.0"}}}) == "torch");
  CHECK(caller_from({{{"pytorch", "1.13"}}}) == "torch");
  CHECK(caller_from({{{"torch", "2.11.0"}, {"vllm", "0.22.0"}}}) == "vllm");
  CHECK(caller_from({{{"cublas", "13.1"}, {"cuda", "13.0"}}}) == "");
  const specs::Stack torch{{{"torch", "2.11.0"}}}, cublas{{{"cublas", "13.1"}}};
  const auto result = [](const char* workload, const specs::Stack& stack) { return result_from(specs::parse_workload(workload), stack); };
  CHECK(result("matmul:dtype=bfloat16", torch) == "bfloat16");
  CHECK(result("matmul:dtype=float8_e4m3", torch) == "");
  CHECK(result("matmul:dtype=bfloat16", cublas) == "");
  CHECK(result("matmul:dtype=bfloat16,result=usual", cublas) == "float32");
  CHECK(result("matmul:dtype=bfloat16,result=usual", torch) == "bfloat16");
  CHECK(result("matmul:dtype=bfloat16,result=same", cublas) == "bfloat16");
  CHECK(result("matmul:dtype=float16,result=float32", cublas) == "float32");
  CHECK(result("conv2d:dtype=float16", torch) == "");
}

TEST_CASE("observations know the result's type where their source or the PI does", "[rate-model]") {
  std::size_t torch = 0, wide = 0, unknown = 0;
  for (const Observation& one : all_matmul().observations.all) {
    const bool own = one.source.starts_with("stackx://"), bfloat = one.workload->params.at("dtype") == "bfloat16";
    if (own) CHECK(one.result != "");
    torch += own && bfloat && one.stack->components.contains("torch") && one.result == "bfloat16";
    wide += own && bfloat && caller_from(*one.stack).empty() && one.result == "float32";
    unknown += one.result.empty();
  }
  CHECK(torch == 1);
  CHECK(wide == 4);  // cuBLAS at two sizes, cuBLASLt twice
  CHECK(unknown > 0);
  const auto* h200 = all_matmul().accelerators->identify("h200");
  REQUIRE(h200 != nullptr);
  const auto measured = [&](const char* workload, const char* component, const std::string& program) {
    store::Measurement one;
    one.stack.components = {{component, "1.0"}};
    one.workload = specs::parse_workload(workload);
    one.workload.program = program;
    one.work.flop = 1e9, one.samples_ns = {1000};
    Observations observations;
    observations.add({one}, *h200);
    return observations.all.at(0).result;
  };
  CHECK(measured("matmul:m=64,n=64,k=64,dtype=bfloat16", "cublas", "") == "float32");
  CHECK(measured("matmul:m=64,n=64,k=64,dtype=bfloat16,result=same", "cublas", "") == "bfloat16");
  CHECK(measured("matmul:m=64,n=64,k=64,dtype=bfloat16", "torch", "") == "bfloat16");
  CHECK(measured("matmul:m=64,n=64,k=64,dtype=bfloat16", "cublas", "a program of somebody") == "");
}

TEST_CASE("a framework is predicted from its own results, a library from calls of itself", "[rate-model]") {
  MadeUp made_up(1, 1, 7);
  const auto& gpu = *made_up.accelerators.front();
  const specs::Workload& workload = *made_up.workloads.front();
  const specs::Stack cublas{{{"cuda", "13.0"}, {"cublas", "13.1"}}}, torch{{{"cuda", "13.0"}, {"torch", "2.11.0"}}},
      jax{{{"cuda", "13.0"}, {"jax", "0.11.2"}}}, newer{{{"cuda", "13.2"}, {"torch", "2.15.0"}}}, alone{{{"cuda", "13.2"}}};
  std::vector<Observation> all;
  for (const double rate : {760.0, 764.0, 768.0, 784.0}) all.push_back({&workload, &cublas, &gpu, rate, "", ""});
  all.push_back({&workload, &jax, &gpu, 650.0, "", ""});
  const RateModel without("matmul", all);
  all.push_back({&workload, &torch, &gpu, 673.0, "", ""});
  const RateModel model("matmul", all);
  const auto rate = [&](const RateModel& of, const specs::Stack& stack) {
    return std::exp(of.estimate(workload, gpu, stack)->log_rate);
  };
  CHECK(rate(model, newer) == Approx(673));
  CHECK(rate(model, alone) == Approx(764));
  CHECK(rate(without, newer) == Approx(764));  // nothing of torch: what is there
  // How far the evidence is off is another question.
  CHECK(model.estimate(workload, gpu, newer)->distance == Approx(without.estimate(workload, gpu, newer)->distance));
}

TEST_CASE("of results of two types the one of the asked type counts more", "[rate-model]") {
  MadeUp made_up(1, 1, 8);
  const auto& gpu = *made_up.accelerators.front();
  specs::Workload plain = *made_up.workloads.front(), same = plain;
  same.params["result"] = "float16";
  const specs::Stack cublas{{{"cuda", "13.0"}}};
  const RateModel model("matmul", {{&plain, &cublas, &gpu, 764.0, "", "", "float32"}, {&plain, &cublas, &gpu, 673.0, "", "", "float16"}});
  CHECK(std::exp(model.estimate(same, gpu, cublas)->log_rate) == Approx(673));
  CHECK(std::exp(model.estimate(plain, gpu, cublas)->log_rate) == Approx(std::sqrt(764.0 * 673.0)));  // not asked for
}

TEST_CASE("a rate that shape and roofline decide is found on a GPU that was left out",
          "[rate-model]") {
  MadeUp made_up(6, 60, 2);
  made_up.measure([](const auto& workload, const auto& gpu) {
    return roof(workload, gpu) * efficiency(workload);
  });
  const RateModel model("matmul", made_up.observations);
  REQUIRE(model.size() == 360);
  REQUIRE(model.groups(LeaveOut::hardware) == 6);
  std::vector<double> errors;
  for (std::size_t row = 0; row < model.size(); ++row) {
    const auto left_out = model.leave_out(row, LeaveOut::hardware);
    REQUIRE(left_out.estimate);
    errors.push_back(std::abs(left_out.estimate->log_rate - model.log_rate(row)));
  }
  std::ranges::sort(errors);
  CHECK(errors[errors.size() / 2] < 0.001);
  CHECK(errors.back() < 0.2);  // where a GPU is far off and another shape is not
}

TEST_CASE("one sheet that is off by ten decides nothing", "[rate-model]") {
  MadeUp made_up(6, 40, 3);
  for (auto& gpu : made_up.accelerators) {  // alike, so that all count
    gpu->peaks["float32"] = 10 + 0.1 * static_cast<double>(&gpu - made_up.accelerators.data());
    gpu->bandwidth_gb_s = 500;
  }
  const auto* bad = made_up.accelerators[2].get();
  made_up.measure([&](const auto& workload, const auto& gpu) {
    return roof(workload, gpu) * efficiency(workload) / (&gpu == bad ? 10 : 1);
  });
  const RateModel model("matmul", made_up.observations);
  for (std::size_t row = 0; row < model.size(); ++row) {
    if (model.observation(row).accelerator == bad) continue;
    const auto estimate = model.leave_out(row, LeaveOut::hardware).estimate;
    CHECK(estimate->log_rate == Approx(model.log_rate(row)).margin(0.05));
  }
}

TEST_CASE("leaving out agrees with an independent program, row by row", "[rate-model]") {
  struct Part {
    const RateEvidence* evidence;
    const char* pi;
  };
  for (const auto& [evidence, pi] :
       {Part{&all_matmul(), "matmul"}, Part{&deepbench(), "conv2d"}, Part{&deepbench(), "rnn"}}) {
    const RateModel model(pi, evidence->observations.all);
    nlohmann::json request{{"pi", pi}, {"rows", nlohmann::json::array()}};
    for (std::size_t row = 0; row < model.size(); ++row)
      request["rows"].push_back(row_json(model.observation(row)));
    specs::Random random(4);
    for (int i = 0; i < 60; ++i) request["ask"].push_back(random.below(model.size()));
    const auto answer = ask_oracle("oracle_rate_model.py", request);
    if (answer.contains("missing")) {
      WARN("no oracle: " << answer["missing"]);
      return;
    }
    std::size_t found = 0;
    for (const auto& one : answer.at("answers")) {
      const auto row = one.at("row").get<std::size_t>();
      for (const LeaveOut what : all_kinds) {
        const auto& expected = one.at(std::to_string(static_cast<int>(what)));
        INFO(pi << " row " << row << " leaving out " << static_cast<int>(what) << ": " << expected);
        const auto estimate = model.leave_out(row, what).estimate;
        const auto naive = model.naive(row, what);
        REQUIRE(estimate.has_value() == !expected.at("log_rate").is_null());
        REQUIRE(naive.has_value() == !expected.at("nearest").is_null());
        if (naive) {
          CHECK(naive->nearest == Approx(expected["nearest"].get<double>()).margin(1e-6));
          CHECK(naive->peak_ratio == Approx(expected["peak_ratio"].get<double>()).margin(1e-6));
        }
        if (!estimate) continue;
        ++found;
        CHECK(estimate->log_rate == Approx(expected["log_rate"].get<double>()).margin(1e-6));
        CHECK(estimate->distance == Approx(expected["distance"].get<double>()).margin(1e-6));
      }
    }
    CHECK(found > 120);
  }
}

TEST_CASE("left out together, two groups are as if they had never been", "[rate-model]") {
  const auto& all = deepbench().observations.all;
  const RateModel model("rnn", all);
  std::size_t compared = 0;
  for (std::size_t other = 0; other < model.groups(LeaveOut::hardware); ++other) {
    const std::string name = model.group_name(LeaveOut::hardware, other);
    std::vector<Observation> rest;
    for (const Observation& one : all)
      if (family_of(*one.accelerator) != name) rest.push_back(one);
    const RateModel without("rnn", rest);
    for (std::size_t row = 0, there = 0; row < model.size(); ++row) {
      if (model.group(LeaveOut::hardware, row) == other) continue;
      const std::size_t same = there++;
      if (row % 97 != 0) continue;
      REQUIRE(without.observation(same).evidence == model.observation(row).evidence);
      const auto expected = without.leave_out(same, LeaveOut::hardware).estimate;
      const auto left_out = model.leave_out(row, LeaveOut::hardware);
      auto estimate = left_out.estimate;
      for (const auto& [group, changed] : left_out.without)
        if (group == other) estimate = changed;
      REQUIRE(expected.has_value() == estimate.has_value());
      if (!expected) continue;
      CHECK(estimate->log_rate == Approx(expected->log_rate).margin(1e-6));
      ++compared;
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("the order of the evidence is no matter", "[rate-model]") {
  const auto& all = deepbench().observations.all;
  std::vector<Observation> mixed = all;
  specs::Random random(5);
  for (std::size_t i = mixed.size(); i > 1; --i) std::swap(mixed[i - 1], mixed[random.below(i)]);
  const RateModel one("matmul", all), other("matmul", mixed);
  const auto* t4 = deepbench().accelerators->identify("t4");
  const auto* p40 = deepbench().accelerators->identify("p40");
  REQUIRE(t4 != nullptr);
  REQUIRE(p40 != nullptr);
  for (const char* m : {"35", "512", "4096", "10000"})
    for (const auto* gpu : {t4, p40}) {
      const auto workload =
          specs::parse_workload(std::string("matmul:n=1024,k=2048,dtype=float32,m=") + m);
      const specs::Stack stack{{{"cuda", "9.0.176"}}};
      const auto a = one.estimate(workload, *gpu, stack), b = other.estimate(workload, *gpu, stack);
      REQUIRE(a);
      REQUIRE(b);
      CHECK(a->log_rate == Approx(b->log_rate).margin(1e-9));
    }
}

TEST_CASE("what is new: hardware before library before shape", "[rate-model]") {
  const RateModel model("matmul", deepbench().observations.all);
  const auto* v100 = deepbench().accelerators->identify("NVIDIA V100");
  const auto* p40 = deepbench().accelerators->identify("p40");
  const auto novelty = [&](const specs::Accelerator* gpu, const char* type, const char* cuda) {
    return model.novelty(
        specs::parse_workload(std::string("matmul:m=4096,n=4096,k=4096,dtype=") + type), *gpu,
        {{{"cuda", cuda}}});
  };
  CHECK(novelty(p40, "float32", "8.0.61") == LeaveOut::hardware);
  CHECK(novelty(v100, "float64", "10.1.243") == LeaveOut::hardware);
  CHECK(novelty(v100, "float32", "12.2.2") == LeaveOut::library);
  CHECK(novelty(v100, "float32", "10.1.243") == LeaveOut::shape);
}

}  // namespace rate_model_tests
