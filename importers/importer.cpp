#include "importers/importer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "importers/asv.hpp"
#include "importers/google_benchmark.hpp"
#include "importers/hyperfine.hpp"
#include "importers/kubebench.hpp"
#include "importers/literal.hpp"
#include "importers/mlperf_loadgen.hpp"
#include "importers/mlperf_training.hpp"
#include "importers/nvbench.hpp"
#include "importers/pyperf.hpp"
#include "importers/tf_cnn_benchmarks.hpp"
#include "importers/thoth.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {
namespace {

// In the order they are tried: what is more particular first.
constexpr std::array<Format, 10> table{{
    {"thoth", "Project Thoth's inspection trees and results", matches_thoth, read_thoth, nullptr,
     nullptr, matches_thoth_tree, read_thoth_tree},
    {"mlperf-loadgen", "MLPerf inference: LoadGen's summary and detail logs", nullptr, nullptr,
     matches_mlperf_loadgen, read_mlperf_loadgen, matches_mlperf_loadgen_tree,
     read_mlperf_loadgen_tree},
    {"mlperf-training", "MLPerf training: result repositories and logs", nullptr, nullptr,
     matches_mlperf_training, read_mlperf_training, matches_mlperf_training_tree,
     read_mlperf_training_tree},
    {"kubebench", "Kubebench's CSV reports", nullptr, nullptr, matches_kubebench, read_kubebench,
     nullptr, nullptr},
    {"tf-cnn-benchmarks", "output of tf_cnn_benchmarks", nullptr, nullptr,
     matches_tf_cnn_benchmarks, read_tf_cnn_benchmarks, nullptr, nullptr},
    {"nvbench", "nvbench's JSON", matches_nvbench, read_nvbench, nullptr, nullptr, nullptr,
     nullptr},
    {"pyperf", "pyperf's JSON", matches_pyperf, read_pyperf, nullptr, nullptr, nullptr, nullptr},
    {"google-benchmark", "Google Benchmark's JSON", matches_google_benchmark, read_google_benchmark,
     nullptr, nullptr, nullptr, nullptr},
    {"asv", "results of airspeed velocity", matches_asv, read_asv, nullptr, nullptr,
     matches_asv_tree, read_asv_tree},
    {"hyperfine", "hyperfine's JSON", matches_hyperfine, read_hyperfine, nullptr, nullptr, nullptr,
     nullptr},
}};

std::string known_names() {
  std::string names;
  for (const auto& format : table)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  return names;
}

const Format* named(const std::string& name) {
  if (name == "auto") return nullptr;
  const auto found = std::ranges::find(table, name, &Format::name);
  if (found != table.end()) return found;
  std::vector<std::string> names;
  for (const auto& format : table) names.emplace_back(format.name);
  throw bad_input(fmt::format("the format \"{}\" is not known{}; known are auto, {}", name,
                              specs::suggestion(name, names), known_names()));
}

void check_origin(const Origin& origin, const std::string& name) {
  if (origin.source.url.empty())
    throw bad_input(
        fmt::format("{}: it does not say where it was published, and nobody could look there; give "
                    "--source URL "
                    "(and --revision, --date, where there are such)",
                    specs::to_utf8(name)));
}

// One damaged line at its beginning makes an export no file of another tool's.
void refuse_documents(std::string_view text, const std::string& name) {
  const auto at = text.find("\"$schema\":\"stackx/");
  if (at == text.npos) return;
  throw bad_input(fmt::format("{}: line {} holds a document of stackx, but the first line is none; remove what stands "
                              "before the documents, or read them with --format stackx, which leaves out what is none",
                              specs::to_utf8(name), 1 + std::ranges::count(text.substr(0, at), '\n')));
}

// What stackx writes, and is no result.
void refuse_other_documents(const specs::Node& document) {
  if (const auto kind = document.kind(); kind.starts_with("stackx/"))
    document.fail(fmt::format("is {}, which holds no results; expected what `stackx export` or another tool wrote", kind));
}

[[noreturn]] void fail_unknown(const std::string& name) {
  throw bad_input(
      fmt::format("{}: no known format; known are {} (name one with --format for the "
                  "reason why it is not read)",
                  specs::to_utf8(name), known_names()));
}

bool is_json(std::string_view text) {
  text = specs::trim(text.substr(0, 4096)).text;
  return text.starts_with('{');  // every JSON format here is an object
}

Imported import_json(std::string_view text, const std::string& name, const Format* wanted,
                     const Origin& origin) {
  const auto document = parse_json(text, name);
  const auto read = [&](const Format& format) {
    check_origin(origin, name);
    return format.read_json(document, origin);
  };
  if (wanted) return read(*wanted);
  for (const auto& format : table)
    if (format.matches_json && format.matches_json(document)) return read(format);
  refuse_other_documents(document);
  fail_unknown(name);
}

}  // namespace

std::span<const Format> formats() { return table; }

Imported import_text(std::string_view text, const std::string& name, const std::string& format,
                     const Origin& origin) {
  const Format* wanted = named(format);
  if (!wanted) refuse_documents(text, name);
  if (wanted ? wanted->read_json != nullptr : is_json(text))
    return import_json(text, name, wanted, origin);
  for (const auto& known : table)
    if (known.read_text && (wanted ? wanted == &known : known.matches_text(text))) {
      check_origin(origin, name);  // what is no result needs none
      return known.read_text(text, name, origin);
    }
  fail_unknown(name);
}

Imported import_tree(const Tree& tree, const std::string& format, const Origin& origin) {
  const Format* wanted = named(format);
  if (wanted && !wanted->read_tree)
    throw bad_input(fmt::format("{}: is a directory; {} is read from files, name them", tree.name(),
                                wanted->name));
  for (const auto& known : table)
    if (known.read_tree && (wanted ? wanted == &known : known.matches_tree(tree))) {
      check_origin(origin, tree.name());
      return known.read_tree(tree, origin);
    }
  fail_unknown(tree.name());
}

Imported import_path(const std::filesystem::path& path, const std::string& format,
                     const Origin& origin) {
  if (std::filesystem::is_directory(path)) return import_tree(DirectoryTree(path), format, origin);
  return import_text(specs::read_text_file(path, "a result file"), path.string(), format, origin);
}

}  // namespace stackx::importers
