// What processors of several microarchitectures are called: a brand ("EPYC"), or machines that a cloud fills with what it has
// ("m5.xlarge"). Nobody can answer for such a name: who asks is asked back.
//
//   {"names": ["EPYC"], "are": ["zen", "zen2"], "example": "EPYC 7763", "sources": [...]}
//     names     whole, but for the maker's and words as "Processor"
//     begins    how the names of instances begin: "m5."
//     patterns  of specs/hardware/model_pattern.hpp: "D##s v5"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "specs/format/json.hpp"
#include "specs/hardware/model_pattern.hpp"

namespace stackx::specs {

struct SharedName {
  std::vector<std::vector<std::string>> names;  // each in words
  std::vector<std::string> begins;
  std::vector<ModelPattern> patterns;
  std::vector<std::string> are;  // ids of microarchitectures
  std::string example;           // a name that says which; "" where lscpu on the machine does
  bool is(std::string_view name) const;
};

SharedName shared_name_from(const Node& node);

}  // namespace stackx::specs
