// A program of this machine, asked for a line or two: it is waited for a moment only, and what it says is cut.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "inspector/process/process.hpp"

namespace stackx::workspace {

// Of each program that is asked; a cluster's controller answers in tenths of a second, or not at all.
inline constexpr std::chrono::milliseconds moment{2000};

struct Answer {
  bool there = false;  // the program
  bool ok = false;     // it ended well, in time
  std::string text;    // what it printed, 64 KiB at most, as it came
  std::string why;     // where it did not end well: "no answer within 2 s", "Unable to contact slurm controller"
};

// argv[0] is looked up on PATH.
Answer ask(const std::vector<std::string>& argv, const inspector::Environment& environment,
           std::chrono::milliseconds patience = moment);

// The first line that says something, fit to be shown, cut after `most` bytes.
std::string brief_words(std::string_view text, std::size_t most = 100);

// Of a program's answer to --version: its first word that begins with a digit; "" if there is none.
std::string version_in(const std::string& text);

// "2 s", "2.5 s"
std::string seconds(std::chrono::milliseconds time);

}  // namespace stackx::workspace
