// Lines that MLPerf programs log:
//   :::MLPv0.5.0 resnet 1541679005.124143600 (resnet/main.py:270) run_stop: {"success": "true"}
//   :::MLL 1560888652.056 run_stop: {"value": null, "metadata": {'lineno': 987, "status": "success"}}
//   :::MLLOG {"namespace": "", "time_ms": 1594794481748, "key": "run_stop", "value": null, "metadata": {...}}
//
// The mark may stand behind what a launcher put before it ("0: :::MLLOG ..."). JSON or Python's
// spelling of it (parse_literal).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/format/json.hpp"

namespace stackx::importers {

struct MllEvent {
  std::size_t line = 0;  // from 1
  std::string key;
  double time_ms = 0;   // since the epoch; since the start in LoadGen's logs
  specs::Json value;    // null where there is none
  specs::Json metadata;  // an object, perhaps empty
};

// The text has a line with such a mark among its first 1,000.
bool is_mll_log(std::string_view text);

struct MllLog {
  std::vector<MllEvent> events;      // in the order of the file
  std::vector<std::size_t> unread;   // lines with a mark that are no event (cut off, garbled)
};

// Only events whose key begins with one of `keys`: logs have millions of others.
MllLog read_mll(std::string_view text, const std::vector<std::string_view>& keys);

}  // namespace stackx::importers
