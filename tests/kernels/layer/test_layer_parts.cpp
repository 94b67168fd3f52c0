// What a layer is, how much work, and its parts that are ours: mask, softmax, the check of grouped and causal attention.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/layer/layer.hpp"
#include "kernels/layer/mask.hpp"
#include "kernels/layer/softmax.hpp"
#include "kernels/layer/times.hpp"

using namespace stackx::kernels;
using Words = std::vector<std::string>;

namespace {

Layer layer_of(const Words& words) {
  std::vector<Parameter> known = layer_parameters();
  known.push_back({"dtype", "float32", ""});
  Parameters parameters(known, words);
  return Layer(parameters, {"float32", "bfloat16", "float16"});
}

float* floats(Matrix& matrix) { return static_cast<float*>(matrix.data()); }

enum class Fault { none, no_mask, one_more_seen, one_less_seen, other_group, no_scale };

// Plain loops: softmax(Q K' / sqrt(d)) V of grouped heads.
void attend(const Attention& p, AttentionData& data, Fault fault = Fault::none) {
  const std::size_t kept = p.heads / p.group;
  for (std::size_t head = 0; head < p.heads; ++head)
    for (std::size_t i = 0; i < p.queries; ++i) {
      const std::size_t of_keys = fault == Fault::other_group ? head % kept : head / p.group;
      std::size_t seen = p.causal && fault != Fault::no_mask ? p.sequence - p.queries + i + 1 : p.sequence;
      if (fault == Fault::one_more_seen) seen = std::min(seen + 1, p.sequence);
      if (fault == Fault::one_less_seen) seen = std::max<std::size_t>(seen - 1, 1);
      const float *q = floats(data.q) + (head * p.queries + i) * p.size, *k = floats(data.k) + of_keys * p.sequence * p.size,
                  *v = floats(data.v) + of_keys * p.sequence * p.size;
      std::vector<double> weights(seen), result(p.size);
      double sum = 0;
      for (std::size_t j = 0; j < seen; ++j) {
        double score = 0;
        for (std::size_t d = 0; d < p.size; ++d) score += double{q[d]} * double{k[j * p.size + d]};
        weights[j] = std::exp(fault == Fault::no_scale ? score : score / std::sqrt(static_cast<double>(p.size)));
        sum += weights[j];
      }
      for (std::size_t j = 0; j < seen; ++j)
        for (std::size_t d = 0; d < p.size; ++d) result[d] += weights[j] / sum * double{v[j * p.size + d]};
      for (std::size_t d = 0; d < p.size; ++d)
        floats(data.o)[(head * p.queries + i) * p.size + d] = static_cast<float>(result[d]);
    }
}

Attention grouped(std::size_t queries, bool causal) {
  Attention attention{8, 9, 6, Element::float32};  // two sequences of four heads
  attention.queries = queries;
  attention.group = 2;
  attention.causal = causal;
  return attention;
}

}  // namespace

TEST_CASE("the flop of a layer are those counted by hand", "[layer]") {
  // tiny: width 32, 4 heads and 2 of keys, each of 8; feed-forward 48; vocabulary 96.
  const Layer prefill = layer_of({"model=tiny", "batch=2", "context=5"});
  const double q = 2. * 10 * 32 * 32, k = 2. * 10 * 32 * 16, gate = 2. * 10 * 32 * 48;
  CHECK(prefill.attention_flop() == 2 * 4 * (2. * 5 * 5 * 8 + 2. * 5 * 5 * 8));  // sequences, heads, q k', p v
  CHECK(prefill.flop() == 2 * q + 2 * k + 3 * gate + 6400);
  CHECK(prefill.flop() == 160000);
  CHECK(prefill.flop(true) == 160000 - 6400 + 2 * 4 * 2 * 2. * (1 + 2 + 3 + 4 + 5) * 8);
  CHECK(prefill.bytes() == 4. * ((10 * 32 + 32 * 32 + 10 * 32) * 2 + (10 * 32 + 32 * 16 + 10 * 16) * 2 +
                                 (10 * 32 + 32 * 48 + 10 * 48) * 3 + 2 * 10 * 32 + 2 * 2 * 2 * 5 * 8));
  const Layer decode = layer_of({"model=tiny", "batch=3", "context=7", "phase=decode", "head=1"});
  CHECK(decode.flop() == 2. * 3 * (2 * 32 * 32 + 2 * 32 * 16 + 3 * 32 * 48) + 4. * 32 * 3 * 8 + 2. * 3 * 32 * 96);
  CHECK(decode.flop(true) == decode.flop());
  CHECK(layer_of({"model=tiny", "context=5", "head=1"}).products().back().rows == 1);  // of the last position alone
}

TEST_CASE("grouped, causal attention is checked; each fault of a sequence is told", "[layer][attention]") {
  const bool causal = GENERATE(true, false);
  const std::size_t queries = causal ? GENERATE(9, 4) : 1;
  const Attention problem = grouped(queries, causal);
  AttentionData data(problem);
  CHECK(data.k.rows() == 4 * 9);
  CHECK(data.o.rows() == 8 * queries);
  data.fill(3);
  CHECK_FALSE(check_attention(problem, data, 1).pass);
  attend(problem, data);
  const Check right = check_attention(problem, data, 1);
  INFO(right.detail);
  CHECK(right.pass);
  CHECK(check_attention(problem, data, 1, 0).pass);
  for (const Fault fault : {Fault::no_mask, Fault::one_more_seen, Fault::one_less_seen, Fault::other_group, Fault::no_scale}) {
    if (!causal && (fault == Fault::no_mask || fault == Fault::one_more_seen)) continue;
    attend(problem, data, fault);
    INFO(static_cast<int>(fault) << " queries " << queries);
    CHECK_FALSE(check_attention(problem, data, 1).pass);
  }
}

TEST_CASE("the mask and our softmax hide what a query may not see", "[layer]") {
  const std::size_t threads = GENERATE(1, 3);
  Attention problem = grouped(9, true);
  problem.sequence = problem.queries = threads == 1 ? 37 : 130;
  const Matrix mask = causal_mask(problem);
  CHECK(mask.rows() == 2 * problem.queries);
  Matrix scores(problem.heads * problem.queries, problem.sequence, Element::float32);
  scores.fill_random(7);
  for (std::size_t i = 0; i < scores.rows() * scores.columns(); ++i) floats(scores)[i] *= 300;  // exp of it overflows
  const std::vector<float> before(floats(scores), floats(scores) + scores.rows() * scores.columns());
  attention_softmax(scores, problem, threads);
  double worst = 0;
  bool hidden = true;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const std::size_t seen = i % problem.queries + 1;
    const float* row = before.data() + i * scores.columns();
    double sum = 0;
    const double most = *std::max_element(row, row + seen);
    for (std::size_t j = 0; j < seen; ++j) sum += std::exp((row[j] - most) / std::sqrt(6.));
    for (std::size_t j = 0; j < scores.columns(); ++j) {
      const double found = floats(scores)[i * scores.columns() + j], exact = std::exp((row[j] - most) / std::sqrt(6.)) / sum;
      double masked = 0;
      mask.read(i % mask.rows(), j, std::span(&masked, 1));
      hidden = hidden && (j < seen ? masked == 0 : found == 0 && masked == double{kMasked});
      // The argument errs by u of itself; below the least normal number nothing is told apart.
      if (j < seen) worst = std::max(worst, std::abs(found - exact) / (exact * (1 + (most - row[j]) / 8) + 1e-30));
    }
  }
  CHECK(hidden);
  CHECK(worst < 16 * 0x1p-24);
}

TEST_CASE("times of operations: medians, shares, the slowest", "[layer]") {
  const Layer layer = layer_of({"model=tiny", "batch=2", "context=5"});
  LayerTimes times{{"q", "scores", "softmax"}, {{10, 30, 5}, {20, 10, 5}, {12, 40, 5}}, {100, 200, 150}};
  nlohmann::json document;
  put_times(document, layer, times);
  CHECK(document["slowest"] == "scores");
  CHECK(document["tokens_per_sec"].get<double>() == Approx(10 / 150e-9));
  CHECK(document["operations"][0]["us"] == 0.012);
  CHECK(document["operations"][0]["gflop_per_sec"].get<double>() == Approx(20480 / 12.));
  CHECK(document["operations"][1]["share"].get<double>() == Approx(30. / 47));
  CHECK(document["operations"][1]["flop"] == 3200);
  CHECK_FALSE(document["operations"][2].contains("gflop_per_sec"));
}
