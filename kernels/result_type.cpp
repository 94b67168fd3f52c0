#include "kernels/result_type.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stackx::kernels {
namespace {

constexpr Element kNamed[] = {Element::float32, Element::float16, Element::bfloat16, Element::float64, Element::int32};

// The usual type first.
std::vector<Element> written(Dtype dtype, bool gpu) {
  const Elements types = elements(dtype);
  if (gpu && dtype == Dtype::float16) return {types.c, Element::float32};
  if (gpu && dtype == Dtype::bfloat16) return {types.c, types.a};
  if (gpu && dtype == Dtype::fp8) return {types.c, Element::float16, Element::float32};
  return {types.c};
}

}  // namespace

const std::vector<std::string> kResultWords = {"usual", "same", "float32", "float16", "bfloat16", "float64", "int32"};

Element result_of(Dtype dtype, std::string_view word) {
  for (const Element element : kNamed)
    if (word == to_string(element)) return element;
  return word == "same" ? elements(dtype).a : elements(dtype).c;
}

std::optional<Unsupported> unwritten(Dtype dtype, Element result, bool gpu) {
  const std::vector<Element> types = written(dtype, gpu);
  if (std::ranges::find(types, result) != types.end()) return std::nullopt;
  std::vector<std::string> names;
  for (const Element type : types) names.emplace_back(to_string(type));
  return fmt::format("{} products are written as {}{}, not {}", to_string(dtype), fmt::join(names, " or "),
                     gpu ? "" : " by CPU libraries", to_string(result));
}

}  // namespace stackx::kernels
