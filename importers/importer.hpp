// Results that others measured, in the formats of the tools that wrote them, as published results.
//
// A format reads JSON documents, texts or trees of files (a checked-out repository); one file pair
// each. What a file does not state the user adds: `Origin`. An import gives results and remarks: a
// remark names file, place and reason of everything that looked like a result and did not become
// one (failed runs, NaN, negative times), or that a reader should know. A document that is no
// document of its format, or holds no result at all, is an Error (bad_input).
//
// Kept as the file states it: names of hardware, versions of libraries. Units become those of
// specs/result/metric.hpp. Workloads are named after the tool (google-benchmark, pyperf, asv, hyperfine,
// nvbench), so that somebody's "matmul" never stands among ours; where the tool defines what it runs
// (Thoth's PIs, MLPerf, tf_cnn_benchmarks) they have that name. Rejected: guessing versions from
// prose ("NGC 20.06"), which would state as fact what nobody measured.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "importers/tree.hpp"
#include "specs/format/json.hpp"
#include "specs/result/published.hpp"

namespace stackx::importers {

// What the user says about a file. Every field may be empty but source.url and source.read.
struct Origin {
  specs::Source source;
  std::string hardware;  // stands where the file names none
  specs::Stack stack;    // versions that the file does not state; the file's own win
};

struct Imported {
  std::vector<specs::Published> results;  // sealed; each as its reader would accept it
  std::vector<std::string> remarks;
};

// `matches` is cheap, and false for what is not this format; `read` throws for what is broken.
struct Format {
  std::string_view name, what;
  bool (*matches_json)(const specs::Node& document);
  Imported (*read_json)(const specs::Node& document, const Origin& origin);
  bool (*matches_text)(std::string_view text);
  Imported (*read_text)(std::string_view text, const std::string& name, const Origin& origin);
  bool (*matches_tree)(const Tree& tree);
  Imported (*read_tree)(const Tree& tree, const Origin& origin);
};

std::span<const Format> formats();

// `format` is a name of formats(), or "auto". Throws bad_input for an unknown name, for what no
// format knows, and for an origin without a URL.
Imported import_text(std::string_view text, const std::string& name, const std::string& format,
                     const Origin& origin);
Imported import_tree(const Tree& tree, const std::string& format, const Origin& origin);
// A file or a directory.
Imported import_path(const std::filesystem::path& path, const std::string& format,
                     const Origin& origin);

}  // namespace stackx::importers
