#include "kernels/collectives/collective.hpp"

namespace stackx::kernels::collectives {
namespace {

struct Named {
  Element element;
  const char* name;
};

constexpr Named kElements[] = {{Element::float32, "float32"},
                               {Element::float64, "float64"},
                               {Element::float16, "float16"},
                               {Element::bfloat16, "bfloat16"},
                               {Element::int32, "int32"}};

}  // namespace

const std::vector<std::string> kElementNames = {"float32", "float64", "float16", "bfloat16",
                                                "int32"};

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::all_reduce:
      return "all_reduce";
    case Kind::all_gather:
      return "all_gather";
    case Kind::reduce_scatter:
      return "reduce_scatter";
    case Kind::broadcast:
      return "broadcast";
    case Kind::alltoall:
      break;
  }
  return "alltoall";
}

const char* to_string(Reduction reduction) {
  return reduction == Reduction::sum ? "sum" : reduction == Reduction::max ? "max" : "min";
}

std::optional<Element> element_from(std::string_view name) {
  for (const Named& known : kElements)
    if (name == known.name) return known.element;
  return std::nullopt;
}

std::optional<Exchange> Exchange::of(Kind kind, Element element, Reduction reduction,
                                     std::size_t ranks, std::size_t bytes) {
  Exchange exchange{kind, element, reduction, ranks, bytes / size_of(element)};
  if (exchange.divided()) exchange.part /= ranks;
  if (exchange.part == 0) return std::nullopt;
  return exchange;
}

double Exchange::bus_factor() const {
  const double n = static_cast<double>(ranks);
  if (ranks == 1) return 0;
  if (kind == Kind::broadcast) return 1;
  return (kind == Kind::all_reduce ? 2 : 1) * (n - 1) / n;
}

std::string bus_formula(Kind kind) {
  const std::string end = "bytes a call: bus bandwidth as nccl-tests defines it";
  if (kind == Kind::broadcast) return end;
  return (kind == Kind::all_reduce ? "2 (ranks - 1) / ranks * " : "(ranks - 1) / ranks * ") + end;
}

}  // namespace stackx::kernels::collectives
