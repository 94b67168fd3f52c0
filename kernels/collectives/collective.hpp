// What the five collective operations move, counted as nccl-tests counts (its doc/PERFORMANCE.md).
//
// S is the message, `bytes` as given to nccl-tests, n the number of ranks, t the time of a call:
//
//   operation        S                            sent by a rank  received  bus factor
//   all_reduce       the vector                   S               S         2 (n - 1) / n
//   all_gather       the whole output             S / n           S         (n - 1) / n
//   reduce_scatter   the whole input              S               S / n     (n - 1) / n
//   alltoall         all that a rank sends        S               S         (n - 1) / n
//   broadcast        the vector, from rank 0      S, in place     S         1
//
// Algorithm bandwidth is S / t. Bus bandwidth is that times the bus factor: what each link must
// carry at least, so that it can be compared with hardware whatever n is. S is cut to whole elements
// a part. (nccl-tests also cuts parts to 16 bytes; we do not, so that an odd size is measured as it
// is asked for.)
//
// One rank moves nothing: all factors but broadcast's are 0, and broadcast's 1 is of a link that is
// not there, so it is taken as 0 too. The rate is then calls a second, not a bandwidth.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/dtype.hpp"

namespace stackx::kernels::collectives {

enum class Kind { all_reduce, all_gather, reduce_scatter, broadcast, alltoall };
enum class Reduction { sum, max, min };

inline constexpr Kind kKinds[] = {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                                  Kind::broadcast, Kind::alltoall};
const char* to_string(Kind kind);
const char* to_string(Reduction reduction);
inline bool reduces(Kind kind) { return kind == Kind::all_reduce || kind == Kind::reduce_scatter; }

// The element types that are offered, by name: float32, float64, float16, bfloat16, int32.
std::optional<Element> element_from(std::string_view name);
extern const std::vector<std::string> kElementNames;

// One operation on so many ranks.
struct Exchange {
  Kind kind = Kind::all_reduce;
  Element element = Element::float32;
  Reduction reduction = Reduction::sum;
  std::size_t ranks = 1;
  std::size_t part =
      0;  // elements: of a rank's share (all_gather, reduce_scatter, alltoall), else all

  // `bytes` as given to nccl-tests; nothing where that is less than an element a part.
  static std::optional<Exchange> of(Kind kind, Element element, Reduction reduction,
                                    std::size_t ranks, std::size_t bytes);

  bool divided() const { return kind != Kind::all_reduce && kind != Kind::broadcast; }
  std::size_t message() const { return divided() ? part * ranks : part; }  // elements
  std::size_t sent() const { return kind == Kind::all_gather ? part : message(); }
  std::size_t received() const { return kind == Kind::reduce_scatter ? part : message(); }
  std::size_t message_bytes() const { return message() * size_of(element); }

  double bus_factor() const;
  double bus_bytes() const { return bus_factor() * static_cast<double>(message_bytes()); }
};

// "2 (ranks - 1) / ranks * bytes": "work_formula" of a document.
std::string bus_formula(Kind kind);

}  // namespace stackx::kernels::collectives
