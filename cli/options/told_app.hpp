// A command of CLI11 with what its manual says; for options.cpp and command_tree.cpp alone, which are one unit and alone
// pay for CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/manual/command_tree.hpp"

namespace stackx::cli {

struct ToldApp : CLI::App {
  explicit ToldApp(std::string description) : CLI::App(std::move(description)) {}
  ToldApp(std::string description, std::string name, CLI::App* parent)
      : CLI::App(std::move(description), std::move(name), parent) {}
  manual::Manual manual;
  std::string notes;
};

// What a validator knows of its values stands in its name, by which CLI11 only looks validators up.
inline constexpr const char* words_mark = "words:";  // "words:dot,svg"
inline constexpr const char* range_mark = "range:";  // "range:from 1 to 3"
std::vector<CLI::Validator*> validators_of(CLI::Option& option);

}  // namespace stackx::cli
