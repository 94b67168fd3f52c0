// Workload families: what `--workload NAME` may name, what its parameters mean, and what a project
// must require so that its stacks can run it (format stackx/workloads/1, schemas/workloads.json,
// data/workloads.json).
//
//   { "$schema": "stackx/workloads/1",
//     "parameters": { "dtype": "type of the inputs", "matmul.m": "rows of A and C" },
//     "values":   { "matmul.m": "integer" },                    (see parameter_values.hpp)
//     "measuring": ["repetitions"],                             (any PI of stackx takes these, too)
//     "aliases":  { "matmul": ["gemm"], "matmul:dtype=float16": ["hgemm"] },
//     "models":   { "deepseek-v3": { "billions": 671, "bits": 8, "source": "https://..." } },  (what such a name does not say)
//     "spaces":   { "blas": { "catalogs": ["blas.json"], "requires": { "blas": "*" } } },
//     "families": { "matmul": { "description": "matrix product", "params": ["m", "dtype"],
//                               "gpu": "gpu-library", "cpu": "blas",
//                               "usual": { "gpu": ["torch"], "cpu": ["scipy-openblas64"] },
//                               "near": ["train_resnet50"] } } }
//
// A parameter's meaning, and what its values are, is that of "FAMILY.NAME", else of "NAME"; without values it is
// any word. Aliases and values of families and parameters that the file lacks are passed over: they
// may come with another catalog of families. A space is where a family's valid
// stacks are to be sought on a GPU or a CPU; a family without one cannot be resolved there. `usual`
// names the Python packages that people mostly run it with, for who names none himself; `near` the families that
// do the same kind of work, whose results stand in where a family has none on some hardware. Kept as
// data, because a new benchmark should need no build; what evidence has of a family is not kept
// here but counted (analysis/published/workload_inventory.hpp). Rejected: families known only from the store,
// which say neither what `k` is nor what to install.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "specs/project/model_name.hpp"
#include "specs/project/parameter_values.hpp"
#include "specs/project/workload.hpp"

namespace stackx::specs {

class Node;

struct WorkloadSpace {
  std::string name;                              // "gpu-library"
  std::vector<std::string> catalogs;             // as in a project
  std::map<std::string, std::string> requires_;  // component -> specifier set, as in a project
};

struct WorkloadFamily {
  std::string name;  // a PI: "matmul", "train_resnet50"
  std::string description;
  std::vector<std::pair<std::string, std::string>> params;  // name -> meaning, the usual order
  std::string gpu, cpu;                                     // names of spaces; "": none
  std::map<std::string, ParameterValues> values;            // of parameters that are not just any word
  std::vector<std::string> usual_gpu, usual_cpu;            // packages, the most usual first
  std::vector<std::string> near;                            // families, the nearest first

  bool has(std::string_view param) const;
};

class WorkloadFamilies {
 public:
  static WorkloadFamilies load(const std::filesystem::path& data_directory);
  static WorkloadFamilies parse(const Node& document);  // throws Error(bad_input)

  const std::vector<WorkloadFamily>& all() const { return families_; }  // in the file's order
  const WorkloadFamily* find(std::string_view name) const;              // nullptr: not known
  // What people mean who call a workload so, the most usual first: aliases; names but for case and
  // what stands between their words ("AllReduce"); "resnet50" for train_resnet50 and infer_resnet50.
  std::vector<Workload> called(std::string_view name) const;
  std::vector<std::string> aliases(std::string_view family) const;  // "gemm", "hgemm"
  bool says_how_to_measure(std::string_view param) const;           // "repetitions"
  // What is named by a language model's name, with what `models` says of it.
  std::optional<ModelName> model(std::string_view name) const;
  // Where stacks for it are to be sought; nullptr: nowhere.
  const WorkloadSpace* gpu_space(const WorkloadFamily& family) const { return space(family.gpu); }
  const WorkloadSpace* cpu_space(const WorkloadFamily& family) const { return space(family.cpu); }
  // Names like this one, best first, at most `count`; none that are not near.
  std::vector<std::string> nearest(std::string_view name, std::size_t count = 3) const;
  // What has most of these words in its name, its description, its aliases or its parameters ("mlperf", "object detection"):
  // those first that people call by most names, for they are the ones that are mostly meant.
  std::vector<std::string> about(std::string_view words) const;
  // The one that has more of these words than any other, and two at least ("fine-tune bert"); "": none.
  std::string only_about(std::string_view words) const;

 private:
  const WorkloadSpace* space(const std::string& name) const;

  struct About {
    std::size_t hits, names;
    std::string family;
  };
  std::vector<About> having(std::string_view words) const;  // most first

  struct Alias {
    std::string name;
    Workload means;
  };

  std::vector<WorkloadFamily> families_;
  std::vector<Alias> aliases_;
  std::set<std::string, std::less<>> measuring_;
  std::map<std::string, ModelName> models_;  // by hyphenated_model() of their names
  std::map<std::string, WorkloadSpace, std::less<>> spaces_;
};

}  // namespace stackx::specs
