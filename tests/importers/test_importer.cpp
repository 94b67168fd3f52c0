#include "importers/importer.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "importers/collector.hpp"
#include "tests/importers/fixture.hpp"

using namespace stackx::importers;

namespace {

const std::string hyperfine = R"({"results": [{"command": "true", "times": [0.5]}]})";

}  // namespace

TEST_CASE("what the user adds stands where the file says nothing") {
  auto from = origin();
  from.hardware = "Tesla V100";
  from.stack.components = {{"cuda", "11.8"}};
  const auto published = only(import_text(hyperfine, "file", "auto", from));
  CHECK(published.hardware == "Tesla V100");
  CHECK(published.stack.components.at("cuda") == "11.8");
  CHECK(published.source.url == "https://example.org/results");
  CHECK(published.source.revision == "0123abc");
  CHECK(published.source.date == "2021-05-20");
  CHECK(published.source.tool == "hyperfine");
  CHECK(published.id.size() == 64);
  const auto stated = only(import_text(
      R"({"version": "1.0", "metadata": {"cpu_model_name": "Xeon", "python_version": "3.8.5"},
          "benchmarks": [{"runs": [{"values": [1]}]}]})", "file", "auto", [] {
        auto from = origin();
        from.hardware = "Tesla V100";
        from.stack.components = {{"python", "3.9"}, {"numpy", "1.20"}};
        return from;
      }()));
  CHECK(stated.hardware == "Xeon");  // the file's own win
  CHECK(stated.stack.components ==
        std::map<std::string, std::string>{{"numpy", "1.20"}, {"python", "3.8.5"}});
}

TEST_CASE("a file that does not say where it was published needs --source") {
  const auto message = refusal([&] { import_text(hyperfine, "file", "auto", {}); });
  CHECK(has(message, "--source URL"));
  CHECK(has(message, "file: "));
}

TEST_CASE("the same file gives the same ids") {
  CHECK(read(hyperfine).results[0].id == read(hyperfine).results[0].id);
  auto other = origin();
  other.source.revision = "4567def";
  CHECK(import_text(hyperfine, "file", "auto", other).results[0].id != read(hyperfine).results[0].id);
}

TEST_CASE("what no format knows is refused with the list of them") {
  for (const char* text : {"", "hello", "{}", "[]", "{\"results\": []}", "a,b\n1,2\n"}) {
    const auto message = refused(text);
    CHECK(has(message, "no known format"));
    CHECK(has(message, "google-benchmark"));
  }
  CHECK(has(refused(hyperfine, "hyperfin"), "did you mean \"hyperfine\""));
  CHECK(has(refused(hyperfine, "pyperf"), "version"));
  CHECK(has(refusal([] { import_tree(MemoryTree("d", {{"a", "b"}}), "auto", origin()); }), "no known format"));
  CHECK(has(refusal([] { import_tree(MemoryTree("d", {{"a", "b"}}), "pyperf", origin()); }), "is a directory"));
  for (const char* format : {"auto", "thoth", "mlperf-training", "mlperf-loadgen", "asv"})
    refusal([&] { import_tree(MemoryTree("d\xff", {{"", ""}, {"/", "b"}, {"\xff/results", "c"}}), format, origin()); });
}

TEST_CASE("every cut of a document is refused or gives sound results") {
  const std::string whole = R"({"context": {"num_cpus": 4}, "benchmarks": [{"name": "a", "real_time": 1,
      "time_unit": "ns"}, {"name": "b", "real_time": 2, "time_unit": "ns"}]})";
  for (std::size_t size = 0; size < whole.size(); ++size) refused(whole.substr(0, size));
  CHECK(read(whole).results.size() == 2);
}

TEST_CASE("a hostile document does not get through") {
  const std::string long_text(20'000'000, 'x');
  const auto published = only(read(R"({"results": [{"command": ")" + long_text + R"(", "times": [0.5]}]})"));
  CHECK(published.workload.params.at("command").size() < 1'100);
  std::string deep = R"({"results": )" + std::string(100'000, '[');
  CHECK(has(refused(deep), "file"));
  std::string many = R"({"results": [{"command": "a", "times": [0.5], "parameters": {)";
  for (int i = 0; i < 100'000; ++i) many += (i ? ",\"" : "\"") + std::to_string(i) + "\": \"1\"";
  CHECK(only(read(many + "}}]}")).workload.params.size() == 100'001);
  const auto sql = only(read(R"({"results": [{"command": "'; DROP TABLE sources; --", "times": [0.5]}]})"));
  CHECK(sql.workload.params.at("command") == "';%20DROP%20TABLE%20sources;%20--");
  CHECK(has(refused("{\"results\": [{\"command\": \"\xff\", \"times\": [1]}]}"), "UTF-8"));
}

TEST_CASE("a path may be a file or a directory") {
  const auto directory = std::filesystem::temp_directory_path() /
                         ("stackx-importer-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory / "results" / "0");
  std::filesystem::create_directories(directory / ".git");
  std::ofstream(directory / ".git" / "x") << "hidden";
  std::ofstream(directory / "results" / "0" / "result")
      << R"({"exit_code": 0, "stdout": {"name": "PiImport", "@result": {"elapsed": 1}}})";
  std::ofstream(directory / "h.json") << "\xef\xbb\xbf" << hyperfine;
  CHECK(import_path(directory / "h.json", "auto", origin()).results.size() == 1);
  const auto tree = import_path(directory, "auto", origin());
  CHECK(tree.results.size() == 1);
  CHECK(DirectoryTree(directory).files() ==
        std::vector<std::string>{"h.json", "results/0/result"});
  CHECK(has(refusal([&] { import_path(directory / "none", "auto", origin()); }), "no such file"));
  std::filesystem::remove_all(directory);
}

TEST_CASE("summaries of runs") {
  stackx::specs::Published one;
  summarise(one, {4, 1, 3, 2, 100}, "trimmed_mean");
  CHECK(one.value == 3);
  CHECK(one.runs == 5);
  CHECK(one.values.front() == 4);  // in their order
  summarise(one, {1e308, 1e308}, "mean");
  CHECK(one.value == 1e308);
  summarise(one, {7}, "median");
  CHECK(one.statistic == "single");
  summarise(one, {1, 2, 3, 10}, "median");
  CHECK(one.value == 2.5);
}
