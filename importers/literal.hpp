// A value as JSON or as Python prints it, in one reader: {"a": null, 'b': None, u'c': (1, nan)}.
//
// MLPerf's logs and system descriptions hold both, sometimes one inside the other; asv, Google
// Benchmark and pyperf write NaN and Infinity where JSON has none. What JSON cannot hold becomes
// null. Strict documents of ours are never read this way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "specs/format/json.hpp"

namespace stackx::importers {

// At most 64 levels deep, nothing behind the value. Nothing for what is no such value.
std::optional<specs::Json> parse_literal(std::string_view text);

// The document with bare NaN, Infinity and -Infinity (outside of texts) read as null; all else as
// strict as specs::Node reads it.
specs::Node parse_json(std::string_view text, const std::string& name);

}  // namespace stackx::importers
