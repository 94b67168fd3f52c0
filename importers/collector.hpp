// Where an importer puts what it finds: each result is checked as the reader of published results
// checks it and sealed; what does not pass becomes a remark that names its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importers/importer.hpp"

namespace stackx::importers {

class Collector {
 public:
  // `name`: the file or directory, for messages; `tool`: the format's name.
  Collector(const std::string& name, std::string_view tool, const Origin& origin);

  // With the source; and what the user said of hardware and stack, where the file does not say it.
  specs::Published draft() const;
  void add(specs::Published published, std::string_view place);
  void remark(std::string_view place, std::string_view text);
  void merge(Imported other);  // of a file in this directory
  bool empty() const { return imported_.results.empty(); }

  // Throws bad_input where nothing was found: `expected` says what a result would have been.
  Imported finish(std::string_view expected);

 private:
  std::string name_;
  specs::Source source_;
  Origin origin_;
  Imported imported_;
};

// A detail's text on one line, at most 1,000 bytes; nothing for an empty one.
void detail(specs::Published& published, std::string_view key, std::string_view text);
// hardware, where the file states it; placeholders ("N/A", "-", "") state nothing.
void state_hardware(specs::Published& published, std::string_view model);
void state_version(specs::Published& published, std::string_view component,
                   std::string_view version);
bool is_stated(std::string_view text);  // neither empty nor such a placeholder

// The runs' values in the metric's unit: value by `statistic` ("median", "mean" or "trimmed_mean",
// which leaves out the least and the greatest), runs, min, max, stdev (of a sample, n - 1). One
// value is "single". Precondition: not empty, all finite.
void summarise(specs::Published& published, std::vector<double> values, std::string_view statistic);

}  // namespace stackx::importers
