#include "kernels/layer/data.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stackx::kernels {
namespace {

constexpr double kFullFlopOfOne = kFullCheckFlop / 8;  // all together about what one product may take
constexpr std::uint64_t kSeeds = 32;                   // of one layer

double used(const Check& check) {
  return check.bound > 0 ? check.max_relative_error / check.bound : check.max_relative_error;
}

}  // namespace

LayerData::LayerData(const Layer& layer) : layer_(layer), attention_(layer.attention()) {
  const Elements types = elements(layer.dtype);
  const auto make = [&](std::size_t rows, std::size_t columns, Element element) {
    return &matrices_.emplace_back(rows, columns, element);
  };
  x_ = make(layer.tokens(), layer.width, types.a);
  mixed_ = make(layer.tokens(), layer.width, types.a);
  inner_ = make(layer.tokens(), layer.feed_forward, types.a);
  if (layer.head) last_ = make(layer.batch, layer.width, types.a);
  for (const LayerProduct& p : layer.products())
    products_.push_back({p, input_of(p.name), *make(p.depth, p.columns, types.b), *make(p.rows, p.columns, layer.stored)});
}

Matrix& LayerData::input_of(const std::string& product) {
  if (product == "o") return *mixed_;
  if (product == "down") return *inner_;
  return product == "head" ? *last_ : *x_;
}

void LayerData::fill(std::uint64_t seed) {
  std::uint64_t next = kSeeds * seed;
  attention_.fill(kSeeds * seed + kSeeds / 2);
  for (Matrix* input : {x_, mixed_, inner_, last_})
    if (input != nullptr) input->fill_random(next++);
  for (Operands& operands : products_) {
    operands.b.fill_random(next++);
    operands.c.poison();
  }
}

std::vector<LayerData::Checked> LayerData::check(std::uint64_t seed, Unit unit) const {
  std::vector<Checked> checks;
  for (const auto& [product, a, b, c] : products_)
    checks.push_back({product.name, check_product(a, b, c, tolerance_of(layer_.dtype, product.depth, unit, layer_.stored),
                                                  random_at(seed, checks.size()), kFullFlopOfOne)});
  checks.push_back({"attention", check_attention(layer_.attention(), attention_, seed, kFullFlopOfOne)});
  return checks;
}

std::vector<std::span<const std::byte>> LayerData::results() const {
  std::vector<std::span<const std::byte>> all;
  for (const Operands& operands : products_) all.push_back(operands.c.contents());
  all.push_back(attention_.o.contents());
  return all;
}

double check_memory(const Layer& layer) {
  double most = check_memory(layer.attention());
  for (const LayerProduct& p : layer.products())
    most = std::max(most, check_memory(static_cast<double>(p.rows), static_cast<double>(p.columns), static_cast<double>(p.depth),
                                       kFullFlopOfOne));
  return most;
}

Check together(const std::vector<LayerData::Checked>& checks) {
  const auto wrong = std::ranges::find_if(checks, [](const auto& one) { return !one.check.pass; });
  const auto worst = wrong != checks.end() ? wrong : std::ranges::max_element(checks, {}, [](const auto& one) {
    return used(one.check);
  });
  Check all = worst->check;
  for (const auto& [operation, check] : checks) all.max_ulps = std::max(all.max_ulps, check.max_ulps);
  all.reference = fmt::format("each of {} operations; {}: {}", checks.size(), worst->operation, all.reference);
  if (!all.pass) all.detail = fmt::format("{}: {}", worst->operation, all.detail);
  return all;
}

}  // namespace stackx::kernels
