// matmul: C = A * B, through the library that --library names.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/library.hpp"
#include "kernels/pi.hpp"
#include "kernels/reference.hpp"

namespace stackx::kernels {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLargestSide = 1 << 20;
// 127 * 127 * k must stay below 2^31: int32 sums are exact, and the poison value is out of reach.
constexpr std::uint64_t kLargestInt8Depth = 133'000;

struct Problem {
  std::size_t m, n, k;
  Dtype dtype;
  int threads;
  std::uint64_t seed;

  explicit Problem(const Parameters& parameters)
      : m(parameters.whole("m", 1, kLargestSide)),
        n(parameters.whole("n", 1, kLargestSide)),
        k(parameters.whole("k", 1, kLargestSide)),
        dtype(*dtype_from(parameters.one_of("dtype", {"float32", "float64", "bfloat16", "int8"}))),
        threads(static_cast<int>(parameters.whole("threads", 1, 4096))),
        seed(parameters.whole("seed", 0, ~std::uint64_t{0})) {
    if (dtype == Dtype::int8 && k > kLargestInt8Depth)
      throw UsageError(
          fmt::format("k={}: an int8 product is exact up to k={}", k, kLargestInt8Depth));
  }
};

json json_of(const LibraryInfo& info, const std::string& path) {
  json library = {{"path", path}, {"kind", info.kind}};
  const auto put = [&](const char* key, const std::string& value) {
    if (!value.empty()) library[key] = value;
  };
  put("interface", info.interface);
  put("threading", info.threading);
  put("config", info.config);
  put("core", info.core);
  put("note", info.note);
  return library;
}

json json_of(const Check& check) {
  json document = {{"reference", check.reference},
                   {"max_relative_error", check.max_relative_error},
                   {"bound", check.bound},
                   {"pass", check.pass}};
  if (!check.detail.empty()) document["detail"] = check.detail;
  return document;
}

void put_work(json& document, const Problem& problem, const Elements& types,
              std::uint64_t mini_batch) {
  const double m = static_cast<double>(problem.m), n = static_cast<double>(problem.n),
               k = static_cast<double>(problem.k), batch = static_cast<double>(mini_batch);
  document["work"] = {{"flop", 2 * m * n * k * batch},
                      {"bytes", batch * (m * k * static_cast<double>(size_of(types.a)) +
                                         k * n * static_cast<double>(size_of(types.b)) +
                                         m * n * static_cast<double>(size_of(types.c)))},
                      {"items", batch}};
}

class Run {
 public:
  Run(const Pi& pi, const PiArguments& arguments, const Clock& clock)
      : parameters_(pi.parameters, arguments.words),
        problem_(parameters_),
        plan_(plan_from(parameters_)),
        component_(arguments.component),
        clock_(clock) {
    if (!arguments.library) throw UsageError("matmul needs --library PATH: the library to measure");
    path_ = *arguments.library;
    document_ = {{"name", pi.name}, {"parameters", parameters_.json()}, {"notes", json::array()}};
  }

  json operator()() {
    library_ = record(phases_, clock_, "load", [&] { return open_library(path_); });
    if (const auto reason = measure_product()) document_["unsupported"] = *reason;
    describe();
    return std::move(document_);
  }

 private:
  // Why it is unsupported, or nothing.
  std::optional<Unsupported> measure_product() {
    const auto threads = library_->use_threads(problem_.threads);
    if (!threads) return threads.error();
    if (*threads != problem_.threads)
      return fmt::format("{} threads asked for, the library uses {}", problem_.threads, *threads);

    const Elements types = elements(problem_.dtype);
    Matrix a(problem_.m, problem_.k, types.a), b(problem_.k, problem_.n, types.b),
        c(problem_.m, problem_.n, types.c);
    std::expected<Multiply, Unsupported> multiply;
    const Check check = record(phases_, clock_, "check", [&] {
      a.fill_random(2 * problem_.seed);
      b.fill_random(2 * problem_.seed + 1);
      c.poison();
      multiply = library_->prepare({problem_.dtype, a, b, c});
      if (!multiply) return Check{};
      (*multiply)();
      return check_product(a, b, c, problem_.dtype, problem_.seed);
    });
    if (!multiply) return multiply.error();

    document_["check"] = json_of(check);
    Measurement measurement;
    if (check.pass) measurement = measure(*multiply, plan_, clock_, phases_);
    put_measurement(document_, parameters_, plan_, measurement);
    put_work(document_, problem_, types, measurement.mini_batch);
    return std::nullopt;
  }

  void describe() {
    const LibraryInfo info = library_->info();
    const std::string component = component_.value_or(info.kind);
    document_["component"] = component;
    document_["library"] = json_of(info, SharedObject(path_).path());
    document_["loaded"] = info.partners;
    if (info.version) document_["loaded"][component] = *info.version;
    const auto threads = library_->use_threads(problem_.threads);
    if (threads) document_["library"]["threads"] = *threads;
    document_["files"] = mapped_files();
    document_["phases"] = kernels::json_of(phases_);
  }

  Parameters parameters_;
  Problem problem_;
  Plan plan_;
  std::optional<std::string> component_;
  const Clock& clock_;
  std::string path_;
  json document_;
  std::vector<Phase> phases_;
  std::unique_ptr<Library> library_;
};

}  // namespace

Pi matmul_pi() {
  return {"matmul", "matrix product C = A * B by a BLAS library or oneDNN",
          with_plan_parameters(
              {{"m", "512", "rows of A and C"},
               {"n", "512", "columns of B and C"},
               {"k", "512", "columns of A, rows of B"},
               {"dtype", "float32", "float32, float64, bfloat16 (C float32), int8 (C int32)"},
               {"threads", "1", "threads that the library may use"}}),
          [](const Pi& pi, const PiArguments& arguments, const Clock& clock) {
            return Run(pi, arguments, clock)();
          }};
}

}  // namespace stackx::kernels
