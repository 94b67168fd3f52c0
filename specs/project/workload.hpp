// A workload: a performance indicator (PI) and its parameters.
//
// Written on the command line as NAME[:key=value,...], in projects as {"pi": ..., "params": {...}} or
// a list of such. In a project a parameter may be a list, too: its values are crossed.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::specs {

class Node;

struct Workload {
  std::string pi;
  std::map<std::string, std::string> params;  // scalars as text: {"m": "512", "dtype": "float32"}
  // SHA-256 of the program that measures it, where that is not stackx's own (pi_program.hpp); stands in no text and no
  // {"pi", "params"}, but beside them.
  std::string program = {};

  std::string text() const;  // "matmul:dtype=float32,k=512,m=512,n=512"; keys sorted
  std::string id() const;    // SHA-256 of text(), and of the program where it is not stackx's own
  // Every parameter named here has this value there (for `--workload matmul:m=512`), whatever program measures.
  bool matches(const Workload& other) const;
  auto operator<=>(const Workload&) const = default;
};

Workload parse_workload(std::string_view text);            // throws Error(bad_input)
std::vector<Workload> expand_workloads(const Node& node);  // the project's "workload"
nlohmann::json to_json(const Workload& workload);          // {"pi", "params"}
Workload workload_from(const Node& node);                  // scalars only

// A parameter's value as text, one text per number: 0.50, 5e-1 and 0.5 are "0.5". No commas, no
// spaces.
std::string parameter_value(const Node& node);

}  // namespace stackx::specs
