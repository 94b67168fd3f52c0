// What there is of each workload family: published results, measured inspections, on which
// hardware, with which values of the parameters. Counted from the store's sums; families that no
// data file describes (imported ones) are there, too.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "specs/project/workload_family.hpp"
#include "store/questions/questions.hpp"

namespace stackx::analysis {

struct FamilyEvidence {
  std::uint64_t published = 0, inspections = 0;         // failed ones, too
  std::map<std::string, std::uint64_t> hardware;        // as published -> results
  std::set<std::string> measured_on;                    // models
  std::map<std::string, std::set<std::string>> values;  // parameter -> its values
};
using WorkloadInventory = std::map<std::string, FamilyEvidence>;  // by family

// `family`: only this one; "": all.
WorkloadInventory workload_inventory(const store::Questions& questions, const std::string& family);

struct ListedParameter {
  std::string name, meaning;        // "" if nobody describes it
  std::vector<std::string> values;  // that there are results of: numbers by size, then words
};
struct ListedFamily {
  std::string name, description, gpu, cpu;  // "" if no data file knows it
  std::vector<ListedParameter> parameters;  // described ones first, in their order
  FamilyEvidence evidence;
};
// All that are described or that there is evidence of: the described ones in their order.
std::vector<ListedFamily> listed_families(const specs::WorkloadFamilies& families,
                                          const WorkloadInventory& inventory);

// "16 to 7680 (23 values)", "float16, float32"; "no results" of none.
std::string values_text(const std::vector<std::string>& values);
std::string list_text(const std::vector<ListedFamily>& families, std::size_t width);
std::string show_text(const ListedFamily& family, std::size_t width);
nlohmann::json to_json(const ListedFamily& family);

}  // namespace stackx::analysis
