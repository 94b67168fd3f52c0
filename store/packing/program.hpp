// How the numbers of documents with one skeleton are packed.
//
// A program has one operation a token. What never changed between documents (sizes, exit codes) is a
// constant of the program and costs nothing; a number that stands in the document before (a tail
// repeats the samples and phases) is copied; the end of a phase follows from the end before it; the
// rest are LEB128 varints of differences. The first document with a skeleton makes a program. One that
// does not fit in a number or two makes a wider one, in which these may vary; one that differs in more
// (another size of the workload) makes one with constants of its own. Three or four a workload.
//
// Packed: varint of `finished` in milliseconds (0 where a document has none that we can read), then
// what the operations take. A program itself: for each operation its kind, then its varints.
#pragma once

#include "store/packing/skeleton.hpp"

namespace stackx::store {

// What a program packs and gives back: the tokens of a skeleton, in order.
struct Numbers {
  std::vector<Token> tokens;
  std::vector<std::vector<std::int64_t>> lists;
};

class Program {
 public:
  // Holds for `numbers`, whose skeleton is `skeleton`: names that end in _ns, _s and the like are
  // taken to vary at once.
  static Program first(const Skeleton& numbers, const std::vector<std::int64_t>& samples);
  // Holds for what this one holds for, and for `numbers`.
  Program widened(const Skeleton& numbers, const std::vector<std::int64_t>& samples) const;

  // Holds for `numbers`, with its own constants where this one's do not.
  Program rebased(const Skeleton& numbers, const std::vector<std::int64_t>& samples) const;

  bool holds(const Skeleton& numbers, const std::vector<std::int64_t>& samples) const;
  // How many operations do not; all of them if it has another number of tokens.
  std::size_t misfits(const Skeleton& numbers, const std::vector<std::int64_t>& samples) const;
  // It must hold for them.
  std::string pack(const Skeleton& numbers, const std::vector<std::int64_t>& samples) const;
  // Throws Error(environment) if `packed` is damaged.
  Numbers unpack(std::string_view packed, const std::vector<std::int64_t>& samples) const;

  std::string bytes() const;
  static Program from(std::string_view bytes);  // throws Error(environment) if damaged

 private:
  enum class Kind : std::uint8_t {
    constant,      // value, as a number
    decimal,       // value and format: a constant decimal
    varies,        // difference from value
    any_decimal,   // two bits that say how: difference of millionths, parts of 2^16 (as load
                   // averages are), or format and digits
    copy,          // the number `value` tokens before
    samples,       // the list of samples
    any_list,      // length and differences
    sum_of_samples,  // difference from it: the phase that measures
    end_of_phase,  // duration before it + end three before + difference
    end_of_first,  // duration before it + start two before + difference: of a phase within another
    start_of_phase,  // end before it - duration two before
    near_finish,   // difference from `finished` in nanoseconds
    time,          // `finished`
  };
  struct Operation {
    Kind kind = Kind::constant;
    std::uint32_t format = 0;
    std::int64_t value = 0;
  };

  static Operation operation_for(const Skeleton& numbers, std::size_t i,
                                 const std::vector<std::int64_t>& samples, std::string_view before);
  static bool has_value(Kind kind);
  static Operation widest_for(const Token& token, std::int64_t base);
  bool holds(const Operation& operation, const Skeleton& numbers, std::size_t i,
             const std::vector<std::int64_t>& samples) const;

  std::vector<Operation> operations_;
};

// `finished` of packed numbers, without unpacking the rest.
std::int64_t packed_finish(std::string_view packed);

}  // namespace stackx::store
