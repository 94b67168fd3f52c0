// The reader, and the evidence that comes with stackx itself.
#include "specs/result/evidence.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "specs/format/json.hpp"
#include "specs/result/metric.hpp"

using namespace stackx::specs;
namespace fs = std::filesystem;

namespace {

const fs::path directory = STACKX_SOURCE_DIR "/specs/data/evidence";

Evidence shipped(const std::string& name) { return load_evidence(directory / (name + ".json")); }

// All families of a source.
std::vector<Published> rows_of(const std::string& source) {
  std::vector<Published> rows;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.path().filename() == source + ".json")
      for (Published& row : load_evidence(entry.path()).rows) rows.push_back(std::move(row));
  return rows;
}

std::vector<fs::path> all_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<Published> of_table_row(const std::string& mlperf_id) {
  std::vector<Published> result;
  for (const Published& row : rows_of("mlperf-training-v0.6"))
    if (row.details.contains("mlperf_id") && row.details.at("mlperf_id") == mlperf_id)
      result.push_back(row);
  return result;
}

// MLPerf's score: the mean of the runs without the fastest and the slowest.
double score(std::vector<double> runs) {
  std::ranges::sort(runs);
  return std::accumulate(runs.begin() + 1, runs.end() - 1, 0.0) / double(runs.size() - 2);
}

}  // namespace

TEST_CASE("a table's members and a row's cells make one published result") {
  const Evidence evidence = load_evidence(
      STACKX_SOURCE_DIR "/tests/specs/documents/evidence/good-two-tables.json");
  REQUIRE(evidence.rows.size() == 4);
  const Published& first = evidence.rows[0];
  CHECK(first.source.url == "https://example.org/a");
  CHECK(first.source.tool == "evidence:good-two-tables");
  CHECK(first.hardware == "NVIDIA V100");
  CHECK(first.devices == 1);
  CHECK(first.workload.text() == "matmul:dtype=float32,k=1760,m=1760,n=16");
  CHECK(first.stack.components ==
        std::map<std::string, std::string>{{"cuda", "9.0.103"}, {"cudnn", "7"}});
  CHECK(first.value == 0.045);
  CHECK_FALSE(evidence.rows[1].stack.components.contains("cudnn"));  // null: not stated
  const Published& third = evidence.rows[2];
  CHECK(third.hardware == "TPUv3");
  CHECK(third.runs == 5);
  CHECK(third.values.size() == 5);
  CHECK(third.details.at("id") == "0.6-1");
  CHECK(third.details.at("submitter") == "somebody");
  CHECK(evidence.rows[3].hardware == "");
  CHECK_FALSE(evidence.rows[3].runs);
  for (const Published& row : evidence.rows)  // sealed: each reads as a document of its own
    CHECK(published_from(Node::parse_text(canonical(to_json(row)), "row")).id == row.id);
}

TEST_CASE("the evidence that comes with stackx is read, each row once and with its source") {
  std::set<std::string> ids;
  std::size_t rows = 0;
  std::uintmax_t bytes = 0;
  for (const fs::path& file : all_files()) {
    CAPTURE(file.filename().string());
    const Evidence evidence = load_evidence(file);
    CHECK_FALSE(evidence.rows.empty());
    CHECK_FALSE(evidence.notes.empty());
    std::set<Source> used;
    for (const Published& row : evidence.rows) {
      ids.insert(row.id);
      Source source = row.source;
      source.tool = "";
      used.insert(source);
      REQUIRE_FALSE(row.hardware.empty());
      REQUIRE(row.workload.pi == file.parent_path().filename().string());
    }
    rows += evidence.rows.size();
    bytes += fs::file_size(file);
    CHECK(used == std::set<Source>(evidence.sources.begin(), evidence.sources.end()));
  }
  CHECK(ids.size() == rows);
  CHECK(rows == 66'844);
  CHECK(bytes < 6'000'000);
}

TEST_CASE("what stackx measured itself stands in a file of its source, a row a file and a cell") {
  std::size_t own = 0;
  for (const fs::path& file : all_files())
    for (const Published& row : load_evidence(file).rows) {
      if (!measured_with_stackx(row.source)) continue;
      ++own;
      CHECK(fs::is_regular_file(fs::path(STACKX_SOURCE_DIR) / row.source.url.substr(std::string_view("stackx://").size())));
      CHECK(row.runs.has_value());
      CHECK(row.values.size() == (*row.runs > 1 ? *row.runs : 0));
    }
  CHECK(own == 40);
}

TEST_CASE("rows that are visited in portions are those of the whole, and a bad one says where it is") {
  const Node node = Node::parse_file(directory / "train_timm" / "timm-benchmarks.json");
  std::vector<std::string> whole, portions;
  for (const Published& row : parse_evidence(node).rows) whole.push_back(row.id);
  std::size_t most = 0;
  visit_evidence(node, [&](std::vector<Published>&& rows) {
    most = std::max(most, rows.size());
    for (const Published& row : rows) portions.push_back(row.id);
  });
  CHECK(portions == whole);
  CHECK(most < whole.size());
}

TEST_CASE("DeepBench on the V100: its times, and their rates as the sheets state them") {
  const Evidence evidence = shipped("matmul/deepbench");
  const auto found = std::ranges::find_if(evidence.rows, [](const Published& row) {
    return row.hardware == "NVIDIA V100" && row.stack.components.at("cuda") == "9.0.103" &&
           Workload{"matmul", {{"m", "1760"}, {"n", "7000"}, {"k", "1760"}, {"ta", "N"},
                               {"tb", "N"}, {"dtype", "float32"}}}.matches(row.workload);
  });
  REQUIRE(found != evidence.rows.end());
  CHECK(found->value == 3.112);
  const auto rate = rate_of(*find_metric(found->metric), found->value, found->workload);
  REQUIRE(rate);
  CHECK(rate->value == Approx(2.0 * 1760 * 1760 * 7000 / 3.112e6));
  std::size_t v100 = 0;
  for (const Published& row : evidence.rows) {
    v100 += row.hardware.find("V100") != std::string::npos;
    const auto of = rate_of(*find_metric(row.metric), row.value, row.workload);
    REQUIRE(of);
    REQUIRE(of->value > 1e-4);
    REQUIRE(of->value < 2e5);  // no card of these sheets does 200 TFLOP/s
  }
  CHECK(v100 > 500);
}

TEST_CASE("the MLPerf v0.6 table is whole, and its scores are those of its runs") {
  const auto table = rows_of("mlperf-training-v0.6");
  std::set<std::string> ids;
  std::size_t cells = 0;
  for (const Published& row : table) {
    CHECK(row.metric == "minutes_to_train");
    if (!row.details.contains("mlperf_id")) continue;
    ids.insert(row.details.at("mlperf_id"));
    ++cells;
    if (row.values.empty()) {
      CHECK(row.details.at("mlperf_id") == "0.6-11");  // its logs could not be read
      continue;
    }
    CAPTURE(row.details.at("mlperf_id"), row.workload.text());
    CHECK(row.value == Approx(score(row.values)).margin(0.011));  // both to two decimals
    CHECK(row.min == *std::ranges::min_element(row.values));
    CHECK(row.max == *std::ranges::max_element(row.values));
    CHECK(row.runs == row.values.size());
  }
  CHECK(ids.size() == 29);
  for (int i = 1; i <= 29; ++i) CHECK(ids.contains("0.6-" + std::to_string(i)));
  CHECK(cells == 59);
}

TEST_CASE("NVIDIA's DGX-1 in the MLPerf v0.6 table, with the stack of its container") {
  std::map<std::string, double> minutes;
  for (const Published& row : of_table_row("0.6-9")) {
    minutes[row.workload.pi] = row.value;
    CHECK(row.hardware == "Tesla V100-SXM2-16GB");
    CHECK(row.devices == 8);
    CHECK(row.stack.components.at("cuda") == "10.1.163");
    CHECK(row.stack.components.at("container") == "pytorch:19.05");
    CHECK(row.stack.components.at("pytorch") == "1.1.0a0+828a6a3");
    CHECK(row.details.at("container_components").find("rel_19-05") != std::string::npos);
  }
  CHECK(minutes == std::map<std::string, double>{{"train_ssd", 22.36},
                                                 {"train_maskrcnn", 207.48},
                                                 {"train_gnmt", 20.55},
                                                 {"train_transformer", 20.34}});
}

TEST_CASE("rows of a container know its components") {
  std::size_t resolved = 0;
  for (const Published& row : rows_of("nvidia-deeplearningexamples-resnet50")) {
    if (!row.stack.components.contains("container")) continue;
    ++resolved;
    CAPTURE(row.stack.components.at("container"));
    for (const char* component : {"cuda", "cudnn", "nccl"})
      if (row.stack.components.at("container") != "mxnet:22.10-py3")  // not read for that month
        CHECK(row.stack.components.contains(component));
    CHECK(row.details.at("container_components").find("<https://") != std::string::npos);
  }
  CHECK(resolved > 500);
}
