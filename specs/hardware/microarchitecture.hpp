// Processor microarchitectures: which vendor, family, model and stepping is which, and what is
// known of each (format stackx/microarchitectures/1, schemas/microarchitectures.json,
// data/microarchitectures.json).
//
// Read at run time, so that a new processor needs a line of data and no build. Where two rows match
// a processor, one that names steppings beats one that does not; loading refuses data in which the
// answer could depend on anything else. Products are told by how their makers number them, not listed: there are thousands,
// and next year's are numbered alike. Rejected: asking the compiler (__builtin_cpu_is), which
// knows only what was out when it was built and lumps products with one -march together.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/format/json.hpp"
#include "specs/hardware/model_pattern.hpp"
#include "specs/hardware/shared_name.hpp"

namespace stackx::specs {

struct NumberRange {
  int first = 0, last = 0;  // inclusive
  bool contains(int number) const { return first <= number && number <= last; }
};

// What is empty is not compared.
struct ProcessorMatch {
  std::optional<int> family;
  std::vector<NumberRange> models;  // on ARM: the CPU part
  std::vector<NumberRange> steppings;
};

struct Microarchitecture {
  std::string id;      // "sapphire-rapids"
  std::string name;    // "Sapphire Rapids"
  std::string vendor;  // "intel", as in Cpu::vendor
  std::vector<std::string> aliases;
  std::vector<ProcessorMatch> matches;
  std::vector<ModelPattern> processors;  // names of products: "EPYC 7?#3*"
  std::string core;   // the core's own name, where the product line has another: "Golden Cove"
  std::string march;  // GCC's -march name
  std::vector<std::string> isa;  // /proc/cpuinfo's flags that matter to numerical kernels
  std::optional<int> vector_bits, fma_pipes;
  std::optional<double> fp32_flops_cycle, fp64_flops_cycle;  // flop per cycle and core
  std::string flops_basis;                                   // "published", "measured", "derived"
  std::string note;
  std::vector<std::string> sources;  // URL, title and date read
};

class Microarchitectures {
 public:
  static Microarchitectures load(const std::filesystem::path& file);
  static Microarchitectures parse(const Node& document);

  const std::vector<Microarchitecture>& all() const { return rows_; }  // in the file's order

  // nullptr: no row matches.
  const Microarchitecture* identify(std::string_view vendor, int family, int model,
                                    int stepping) const;

  // By id, name, alias or -march name if only one row has it; letter case, spaces and punctuation
  // do not count.
  const Microarchitecture* find(std::string_view name) const;
  // Of the product that people and systems call so ("AMD EPYC 7763 64-Core Processor"), by what is most exact of how its
  // maker numbers products; nullptr: none says.
  const Microarchitecture* of_processor(std::string_view name) const;
  // The one that processors of several have ("EPYC", "m5.xlarge"); nullptr: it is none. To be asked where nothing else knows the name.
  const SharedName* shared_name(std::string_view name) const;
  // The ids nearest to a name that find() does not know, best first; none that are not near.
  std::vector<std::string> nearest(std::string_view name, std::size_t count = 3) const;

 private:
  void index_names(const Node& rows);
  void check_overlaps(const Node& rows) const;
  void parse_shared_names(const Node& names, const std::map<std::string, std::string>& sources);

  std::vector<Microarchitecture> rows_;
  std::vector<SharedName> shared_;
  std::map<std::string, std::size_t> names_;  // squeezed name -> row
};

}  // namespace stackx::specs
