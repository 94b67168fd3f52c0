#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/published/near_workload.hpp"
#include "analysis/published/ranking.hpp"
#include "analysis/published/stack.hpp"
#include "specs/format/json.hpp"
#include "specs/hardware/name.hpp"
#include "specs/result/evidence.hpp"
#include "tests/analysis/ask_oracle.hpp"

using namespace stackx;
using namespace stackx::analysis;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const fs::path data = STACKX_SOURCE_DIR "/specs/data";

const specs::Accelerators& accelerators() {
  static const auto all = specs::load_accelerators(data);
  return all;
}

const std::vector<specs::Published>& evidence() {
  static const auto rows = [] {
    std::vector<specs::Published> all;
    for (const auto& entry : fs::recursive_directory_iterator(data / "evidence"))
      if (entry.is_regular_file()) for (auto& row : specs::load_evidence(entry.path()).rows) all.push_back(std::move(row));
    return all;
  }();
  return rows;
}

std::vector<specs::Published> on(const std::string& hardware) {
  std::vector<specs::Published> rows;
  for (const auto& row : evidence())
    if (specs::names_hardware(hardware, row.hardware)) rows.push_back(row);
  return rows;
}

PublishedRanking ranking_of(const std::string& hardware, const std::string& workload) {
  return rank_published(on(hardware), specs::parse_workload(workload), accelerators());
}

std::string component(const PublishedRow& row, const std::string& name) {
  const auto found = row.stack.components.find(name);
  return found == row.stack.components.end() ? "" : found->second;
}

// Made-up results of a matmul on a made-up device.
specs::Published made_up(const std::string& cuda, int size, double gflops,
                         const std::string& more = "") {
  specs::Published p;
  p.source = {"https://example.org/made-up", "made up", "", "", "2026-11-20", "", "test"};
  p.hardware = "Made Up 1";
  p.devices = 1;
  const std::string text = std::to_string(size);
  p.workload = specs::parse_workload("matmul:m=" + text + ",n=" + text + ",k=" + text +
                                     ",dtype=float32" + more);
  if (!cuda.empty()) p.stack.components = {{"cuda", cuda}, {"os", "some Linux"}};
  p.metric = "rate_gflops";
  p.value = gflops;
  specs::seal(p);
  return p;
}

PublishedRanking rank_made_up(const std::vector<specs::Published>& rows,
                              const std::string& workload = "matmul") {
  return rank_published(rows, specs::parse_workload(workload), accelerators());
}

}  // namespace

TEST_CASE("published components become those of the catalogs", "[published_ranking]") {
  const auto stack = published_stack({{"nvidia_driver", "418.67"},
                                      {"pytorch", "1.1.0"},
                                      {"container", "pytorch:19.05-py3"},
                                      {"cuda", "10.1.163"},
                                      {"framework", "PyTorch NVIDIA Release 19.05"},
                                      {"linux_kernel", "4.15"},
                                      {"os", "Ubuntu 18.04"}});
  CHECK(stack.stack.components == std::map<std::string, std::string>{{"cuda", "10.1.163"},
                                                                     {"driver", "418.67"},
                                                                     {"ngc", "pytorch-19.05"},
                                                                     {"torch", "1.1.0"}});
  CHECK(stack.besides.at("os") == "Ubuntu 18.04");
  CHECK(stack.besides.at("framework") == "PyTorch NVIDIA Release 19.05");
  CHECK(stack.besides.contains("linux_kernel"));

  const auto framework = [](const std::string& sentence) {
    return published_stack({{"framework", sentence}}).stack.components;
  };
  using Components = std::map<std::string, std::string>;
  CHECK(framework("TensorFlow v1.12.0") == Components{{"tensorflow", "1.12.0"}});
  CHECK(framework("PyTorch v1.0.1 and PaddlePaddle") == Components{{"torch", "1.0.1"}});
  CHECK(framework("Moxing v1.13.0 + TensorFlow v1.13.1") == Components{{"tensorflow", "1.13.1"}});
  CHECK(framework("custom MXNet 1.3.1") == Components{{"mxnet", "1.3.1"}});
  CHECK(framework("pytorch") == Components{{"framework", "pytorch"}});
  CHECK(framework("Hailo SDK") == Components{{"framework", "Hailo SDK"}});
  CHECK(ngc_version("tensorflow:20.03-tf1-py3") == "tensorflow-20.03-tf1");
}

TEST_CASE("distances between workloads", "[published_ranking]") {
  const auto workload = [](const char* text) { return specs::parse_workload(text); };
  const auto asked = workload("matmul:m=4096,n=4096,k=4096,dtype=float16");
  CHECK(octaves(asked, workload("matmul:m=4096,n=4096,k=4096,dtype=float16,ta=T")) == 0.0);
  CHECK(*octaves(asked, workload("matmul:m=8192,n=4096,k=4096,dtype=float16")) == Approx(1));
  CHECK(*octaves(asked, workload("matmul:m=1024,n=4096,k=4096,dtype=float16")) == Approx(2));
  CHECK(*octaves(asked, workload("matmul:m=8192,n=8192,k=2048,dtype=float16")) ==
        Approx(std::sqrt(3.0)));
  CHECK_FALSE(octaves(asked, workload("matmul:m=4096,n=4096,k=4096,dtype=float32")));
  CHECK_FALSE(octaves(asked, workload("matmul:m=4096,n=4096,dtype=float16")));
  CHECK_FALSE(octaves(asked, workload("conv2d:m=4096,n=4096,k=4096,dtype=float16")));
  CHECK(*octaves(workload("conv2d:pad_h=0"), workload("conv2d:pad_h=1")) == Approx(1));
  CHECK(nearness_text(asked, workload("matmul:dtype=float16,k=4096,m=4096,n=8192")) ==
        "nearest published shape m=4096, n=8192, k=4096: 1.0 octaves away, 2x the flop");
  CHECK(nearness_text(asked, asked) == "as asked");
  CHECK(asks_for_shape(asked));
  CHECK_FALSE(asks_for_shape(workload("matmul:dtype=float16")));
}

// The oracle reads the evidence files for itself and knows nothing of stackx's code.
TEST_CASE("stacks are compared over the shapes they share as an independent program compares them",
          "[published_ranking]") {
  using nlohmann::json;
  json request = {{"directory", (data / "evidence").string()}, {"cases", json::array()}};
  const std::vector<std::string> asked{"matmul:dtype=float16,mul=float16,suite=train",
                                       "matmul:dtype=float32,mul=float32,suite=train",
                                       "conv2d:dtype=float16,mul=float16,pass=fwd",
                                       "conv2d:dtype=float32,mul=float32,pass=fwd",
                                       "conv2d:dtype=float16,mul=float16,pass=bwd_inputs",
                                       "rnn:dtype=float16,mul=float16,pass=fwd",
                                       "rnn:dtype=float32,mul=float32,pass=bwd_params"};
  for (const auto& text : asked) {
    const auto workload = specs::parse_workload(text);
    request["cases"].push_back({{"pi", workload.pi},
                                {"hardware", "NVIDIA V100"},
                                {"params", workload.params},
                                {"key", "cuda"}});
  }
  const json answers = test::ask_oracle("oracle_published.py", request);
  if (answers.contains("missing")) {
    WARN(answers["missing"]);
    return;
  }
  std::size_t compared = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const json& answer = answers["answers"][i];
    const auto ranking = ranking_of("NVIDIA V100", asked[i]);
    CAPTURE(asked[i]);
    REQUIRE(ranking.groups.size() == 1);
    const PublishedGroup& group = ranking.groups.front();
    CHECK(group.rows.size() == answer["results"].size());
    const std::string best = component(group.rows.front(), "cuda");
    for (const PublishedRow& row : group.rows) {
      const std::string cuda = component(row, "cuda");
      CAPTURE(cuda, best);
      CHECK(row.documents.size() == answer["results"][cuda]);
      if (!group.smaller_is_better)
        CHECK(row.value <= answer["highest"][cuda].get<double>() * (1 + 1e-9));
      if (cuda == best) {
        CHECK_FALSE(row.over_shapes);
        continue;
      }
      const json& pair = answer["pairs"][cuda + "/" + best];
      REQUIRE(row.over_shapes);
      CHECK(row.over_shapes->shapes == pair["shapes"]);
      CHECK(row.over_shapes->ratio == Approx(pair["ratio"].get<double>()).epsilon(1e-9));
      CHECK(row.over_shapes->ratio <= 1);
      CHECK(row.over_shapes->better == pair["better"]);
      CHECK(row.over_shapes->worse == pair["worse"]);
      REQUIRE(row.over_shapes->interval);
      CHECK(row.over_shapes->interval->low == Approx(pair["interval"][0].get<double>()));
      CHECK(row.over_shapes->interval->high == Approx(pair["interval"][1].get<double>()));
      const bool slower = pair["interval"][1].get<double>() < 1 / 1.01;
      CHECK((row.rank > 1) == slower);
      ++compared;
    }
    // The best stack's number stands where it is fastest of what all have.
    if (!group.smaller_is_better)
      CHECK(group.rows.front().value == Approx(answer["highest"][best].get<double>()));
  }
  CHECK(compared == 12);
}

TEST_CASE("matmul on V100: three DeepBench stacks per type, with their share of the peak",
          "[published_ranking]") {
  const auto ranking = ranking_of("v100", "matmul");
  CHECK(ranking.results == 1128);
  CHECK(ranking.without_stack == 2);
  const PublishedGroup& half = ranking.groups.front();
  CHECK(half.params.at("dtype") == "float16");
  CHECK(half.rows.size() == 3);
  CHECK(half.shapes == 160);
  const PublishedRow& best = half.rows.front();
  CHECK(component(best, "cuda") == "10.1.243");
  CHECK(component(best, "driver") == "418.67");
  REQUIRE(best.peak);
  CHECK(best.peak->peak.rate == 125'000);
  CHECK(best.peak->peak.unit == "float16_tensor");
  CHECK(best.peak->share == Approx(best.value / 125'000));
  CHECK(best.peak->models > 1);
  REQUIRE(best.shown.size() == 1);
  // 2 * 4096 * 7000 * 4096 operations in 2.092 ms
  CHECK(best.value == Approx(2.0 * 4096 * 7000 * 4096 / 2.092e6));
  CHECK(best.shown.front().value == 2.092);
  CHECK(best.sources.front().url.starts_with("https://github.com/baidu-research/DeepBench/"));
  CHECK(spread_text(best.shown.front()) == "single published number");
}

TEST_CASE("products in float32 that exceed its peak are held against that of TF32",
          "[published_ranking]") {
  const auto of = [](double gflops, const char* hardware) {
    specs::Published p = made_up("11.0", 8192, gflops);
    p.hardware = hardware;
    return *rank_made_up({p}).groups.front().rows.front().peak;
  };
  CHECK(of(19'000, "A100 SXM4 80GB").peak.unit == "float32");
  CHECK(of(116'000, "A100 SXM4 80GB").peak.unit == "tensorfloat32");
  CHECK(of(116'000, "A100 SXM4 80GB").share == Approx(116.0 / 156));
  CHECK(of(20'000, "Tesla V100-SXM2-16GB").peak.unit == "float32");  // has no TF32
}

TEST_CASE("of an unstated number of devices no share is known, but that there was more than one", "[published_ranking]") {
  const auto of = [](double gflops) {
    specs::Published p = made_up("11.0", 8192, gflops);
    p.hardware = "Tesla V100-SXM2-16GB";
    p.devices.reset();
    return rank_made_up({p});
  };
  CHECK_FALSE(of(14'000).groups.front().rows.front().peak);
  const auto above = of(2e20);
  CHECK_THAT(above.groups.front().rows.front().peak->remark, Catch::Contains("above the stated peak of one"));
  CHECK_THAT(table(above, {3, 3, false}), Catch::Contains("float32 of v100-sxm2-16gb. More than 100%"));  // of one
}

TEST_CASE("what cannot be compared stands in groups of its own", "[published_ranking]") {
  std::vector<specs::Published> rows{made_up("10.0", 512, 100), made_up("10.1", 512, 110)};
  rows.push_back(made_up("10.1", 512, 900));
  rows.back().devices = 8;
  rows.push_back(made_up("10.1", 512, 120));
  rows.back().hardware = "Made Up 2";
  rows.push_back(made_up("10.1", 512, 130, ",pass=fwd"));
  rows.push_back(made_up("11.0", 1024, 500));  // shares no shape
  rows.push_back(made_up("", 512, 999));
  const auto ranking = rank_made_up(rows);
  CHECK(ranking.groups.size() == 5);
  CHECK(ranking.results == 6);
  CHECK(ranking.without_stack == 1);
  REQUIRE(ranking.unnamed.size() == 1);
  CHECK(ranking.unnamed.front().value == 999);
  CHECK_THAT(table(ranking, {}), Contains("Of a stack that the source does not name (1 result)"));
  REQUIRE(ranking.groups.front().rows.size() == 2);  // the one that ranks stands first
  CHECK(component(ranking.groups.front().rows[0], "cuda") == "10.1");
  CHECK(ranking.groups.front().rows[1].rank == 2);
  CHECK(ranking.groups.front().rows[1].by_numbers);
  CHECK(*ranking.groups.front().rows[1].versus_best == Approx(100.0 / 110));
  CHECK_FALSE(ranking.groups.front().rows[1].over_shapes->interval);
}

TEST_CASE("ties: a rank is shared unless the interval over shapes lies below the band",
          "[published_ranking]") {
  const auto ranks = [](double slower_by, int shapes) {
    std::vector<specs::Published> rows;
    for (int i = 0; i < shapes; ++i) {
      rows.push_back(made_up("1.0", 64 << i, 100 + i));
      rows.push_back(made_up("2.0", 64 << i, (100 + i) * slower_by));
    }
    const auto group = rank_made_up(rows).groups.front();
    CHECK(component(group.rows.front(), "cuda") == "1.0");
    return group.rows.back().rank;
  };
  CHECK(ranks(0.995, 8) == 1);
  CHECK(ranks(0.98, 8) == 2);
  CHECK(ranks(0.995, 3) == 1);
  CHECK(ranks(0.98, 3) == 2);
  // Half of the shapes against it and half for it: no order is shown.
  std::vector<specs::Published> rows;
  for (int i = 0; i < 8; ++i) {
    rows.push_back(made_up("1.0", 64 << i, 100));
    rows.push_back(made_up("2.0", 64 << i, i % 2 ? 80 : 120));
  }
  const auto group = rank_made_up(rows).groups.front();
  CHECK(group.rows[0].rank == 1);
  CHECK(group.rows[1].rank == 1);
}

TEST_CASE("the order does not depend on the order of the results, nor on the scale of a shape",
          "[published_ranking]") {
  std::vector<specs::Published> rows;
  const double speed[] = {1.0, 1.3, 0.8, 1.1};
  for (int stack = 0; stack < 4; ++stack)
    for (int i = stack; i < 7 + stack; ++i)  // only some shapes are shared
      rows.push_back(
          made_up(std::to_string(stack) + ".0", 64 << i, speed[stack] * std::pow(7.0, i)));
  std::vector<std::string> expected{"1.0", "3.0", "0.0", "2.0"};
  for (int turn = 0; turn < 5; ++turn) {
    std::rotate(rows.begin(), rows.begin() + 5, rows.end());
    const auto group = rank_made_up(rows).groups.front();
    std::vector<std::string> order;
    for (const auto& row : group.rows) order.push_back(component(row, "cuda"));
    CHECK(order == expected);
    CHECK(group.elsewhere.empty());
  }
}

TEST_CASE("a shape: as asked where there is one, else the nearest, which is named",
          "[published_ranking]") {
  std::vector<specs::Published> rows;
  for (const int size : {512, 1024, 4096})
    for (const char* cuda : {"1.0", "2.0"})
      rows.push_back(made_up(
          cuda, size, size * (cuda[0] == '1' && size > 1000 ? 2 : 1) * (cuda[0] == '2' ? 1.1 : 1)));
  const auto asked = [&](const std::string& size) {
    return rank_made_up(rows, "matmul:m=" + size + ",n=" + size + ",k=" + size).groups.front();
  };
  CHECK(asked("1024").octaves == 0.0);
  CHECK(asked("1024").nearness == "as asked");
  CHECK(component(asked("1024").rows.front(), "cuda") == "1.0");
  CHECK(component(asked("512").rows.front(), "cuda") == "2.0");
  const auto near = asked("3000");
  CHECK(near.shape.params.at("m") == "4096");
  CHECK(*near.octaves == Approx(std::sqrt(3.0) * std::log2(4096.0 / 3000)));
  CHECK_THAT(near.nearness, Contains("m=4096, n=4096, k=4096: 0.8 octaves away, 2.5x the flop"));
  CHECK(rank_made_up(rows, "matmul:m=1024,dtype=float64").groups.empty());
  CHECK(rank_made_up(rows, "matmul:batch=4").without_shape == rows.size());
}

TEST_CASE("minutes are ranked by being few", "[published_ranking]") {
  const auto ranking = ranking_of("v100", "train_ssd:suite=mlperf-v0.6");
  for (const auto& group : ranking.groups) {
    CHECK(group.unit == "min");
    CHECK(group.smaller_is_better);
    for (std::size_t i = 1; i < group.rows.size(); ++i)
      CHECK(group.rows[i].value >= group.rows[i - 1].value);
  }
  const auto eight =
      std::ranges::find(ranking.groups, std::optional<std::uint64_t>(8), &PublishedGroup::devices);
  REQUIRE(eight != ranking.groups.end());
  CHECK(eight->rows.front().value == 22.36);
  CHECK(component(eight->rows.front(), "ngc") == "pytorch-19.05");
  CHECK(spread_text(eight->rows.front().shown.front()) == "5 runs, trimmed mean, 22.29 to 22.46");
}

TEST_CASE("rates of items are taken at the best published batch", "[published_ranking]") {
  std::vector<specs::Published> rows;
  const auto add = [&](const char* cuda, const char* batch, double rate) {
    specs::Published p = made_up(cuda, 1, rate);
    p.workload = specs::parse_workload(std::string("train_x:precision=fp16,batch=") + batch);
    p.metric = "images_per_s";
    specs::seal(p);
    rows.push_back(p);
  };
  add("1.0", "32", 100);
  add("1.0", "64", 150);
  add("2.0", "128", 140);
  const auto group = rank_made_up(rows, "train_x").groups.front();
  REQUIRE(group.rows.size() == 2);
  CHECK(group.rows[0].value == 150);
  CHECK(group.rows[0].shown.front().workload.params.at("batch") == "64");
  CHECK(group.rows[0].documents.size() == 2);
  // Asked for, it is a shape like any other.
  const auto small = rank_made_up(rows, "train_x:batch=32").groups;
  CHECK(small.front().rows.front().value == 100);
}

TEST_CASE("what was measured with stackx comes first, and has an interval over its processes", "[published_ranking]") {
  const auto ranking = ranking_of("h200", "matmul:dtype=bfloat16");
  const auto& first = ranking.groups.front();
  const auto rounds = std::ranges::find_if(first.rows, [](const auto& row) { return row.interval.has_value(); });
  REQUIRE(rounds != first.rows.end());
  CHECK(component(*rounds, "cublas") == "13.1.0.3");
  CHECK(rounds->value == Approx(655990));  // GFLOP/s; the document has TFLOP/s
  CHECK(rounds->interval->low == Approx(654520));
  CHECK(rounds->interval->high == Approx(674950));
  CHECK(std::ranges::all_of(first.rows, &PublishedRow::own));
  CHECK(std::ranges::count_if(first.rows, [](const auto& row) { return row.interval.has_value(); }) == 1);  // the others ran once
  REQUIRE(ranking.groups.size() > 1);
  for (const auto& row : ranking.groups[1].rows) {
    CHECK_FALSE(row.own);
    CHECK_FALSE(row.interval);
  }
  CHECK(shape_text(first) == "m=n=k=8192");
}

TEST_CASE("a memory's rate has a share of its peak, a transfer's has none", "[published_ranking]") {
  const auto ranking = ranking_of("h200", "memory_bandwidth");
  REQUIRE(ranking.groups.size() == 1);
  const auto& row = ranking.groups[0].rows.at(0);
  REQUIRE(row.peak);
  CHECK(row.peak->peak.rate == 4800);
  CHECK(row.peak->share == Approx(row.value / 4800));
  CHECK_THAT(table(ranking, {}), Catch::Contains("Peak: 4800 GB/s memory of"));
  const auto json = to_json(ranking);
  const auto& peak = json["groups"][0]["rows"][0]["peak"];
  CHECK(peak["gb_s"] == 4800);
  CHECK_FALSE(peak.contains("gflop_s"));
  for (const auto& group : ranking_of("h200", "transfer").groups)
    for (const auto& one : group.rows) CHECK_FALSE(one.peak);
}

TEST_CASE("where products of a group are written in several types, the table says which", "[published_ranking]") {
  const auto first_table = [](const std::string& dtype) {
    auto ranking = ranking_of("h200", "matmul:dtype=" + dtype);
    ranking.groups.resize(1);
    return table(ranking, {});
  };
  const auto bfloat = first_table("bfloat16");
  CHECK_THAT(bfloat, Catch::Contains("of peak  result") && Catch::Contains("66.3%  float32 ") && Catch::Contains("68.1%  bfloat16"));
  CHECK_THAT(first_table("float16"), !Catch::Contains("result    "));  // all in float16
}

TEST_CASE("products asked for in one type are answered by those that were written in it", "[published_ranking]") {
  const auto stacks = [](const std::string& hardware, const std::string& workload) {
    std::set<std::string> programs;
    for (const auto& group : ranking_of(hardware, workload).groups) {
      CHECK_FALSE(group.params.contains("result"));
      for (const auto& row : group.rows)
        for (const char* name : {"torch", "jax", "cublas"})
          if (row.stack.components.contains(name)) {
            programs.insert(name);
            break;
          }
    }
    return programs;
  };
  using Programs = std::set<std::string>;
  const std::string half = "matmul:m=8192,n=8192,k=8192,dtype=bfloat16";
  CHECK(stacks("h200", half) == Programs{"torch", "jax", "cublas"});
  CHECK(stacks("h200", half + ",result=same") == Programs{"torch", "jax"});  // cuBLAS wrote float32
  CHECK(stacks("h200", half + ",result=bfloat16") == Programs{"torch", "jax"});
  CHECK(stacks("h200", half + ",result=float32") == Programs{"cublas"});
  CHECK(stacks("h200", half + ",result=usual") == Programs{"torch", "jax", "cublas"});  // each its own
  CHECK(stacks("h200", half + ",result=float64").empty());
  CHECK(stacks("h200", "matmul:dtype=tf32,result=same") == Programs{"cublas"});
  const auto deepbench = [](const std::string& workload) {  // which does not say
    std::size_t rows = 0;
    for (const auto& group : ranking_of("v100", workload).groups)
      for (const auto& row : group.rows)
        for (const auto& source : row.sources) rows += source.url.contains("DeepBench") ? 1 : 0;
    return rows;
  };
  CHECK(deepbench("matmul:dtype=float16") > 0);
  CHECK(deepbench("matmul:dtype=float16,result=same") == 0);
}

TEST_CASE("every row leads to its documents and their addresses", "[published_ranking]") {
  const auto ranking = ranking_of("v100", "matmul");
  const auto json = to_json(ranking);
  std::map<std::string, const specs::Published*> by_id;
  for (const auto& row : evidence()) by_id[row.id] = &row;
  std::size_t rows = 0;
  for (const auto& group : json["groups"])
    for (const auto& row : group["rows"]) {
      ++rows;
      CHECK(row["evidence"] == "published");
      CHECK(row["rate"]["ci95"].is_null());
      REQUIRE(row["documents"].size() == row["results"]);
      for (const std::string id : row["documents"]) {
        REQUIRE(by_id.contains(id));
        CHECK(by_id[id]->hardware == row["hardware"]);
      }
      for (const auto& source : row["sources"]) CHECK(source["url"].get<std::string>() != "");
      const auto& shown = *by_id.at(row["shown"][0]["document"]);
      CHECK(shown.value == row["shown"][0]["value"]);
    }
  CHECK(rows == 9);
  const std::string text = table(ranking, {}), why = explain(ranking, {});
  CHECK_THAT(text, Contains("cuda 10.1.243, cudnn 7.6.2.24, driver 418.67"));
  CHECK_THAT(text, Contains("over runs") && Contains("Not shown: 164 results in 2 groups"));
  CHECK_THAT(why, Contains("https://github.com/baidu-research/DeepBench/") &&
                      Contains("elapsed_ms 2.092, single published number") &&
                      Contains("rests on 160 documents"));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (!line.contains("http")) CHECK(line.size() <= 130);  // bytes; 118 characters
    begin = end + 1;
  }
}

TEST_CASE("whatever is asked of whatever hardware, the numbers add up", "[published_ranking]") {
  std::map<std::pair<std::string, std::string>, std::vector<specs::Published>> families;
  for (const auto& row : evidence()) families[{row.hardware, row.workload.pi}].push_back(row);
  CHECK(families.size() > 300);
  std::size_t rows = 0;
  for (const auto& [key, published] : families) {
    CAPTURE(key.first, key.second, published.size());
    std::vector<std::string> asked{key.second};
    if (key.second == "matmul") asked.push_back("matmul:m=1000,n=1000,k=1000");
    for (const auto& workload : asked) {
      const auto ranking =
          rank_published(published, specs::parse_workload(workload), accelerators());
      REQUIRE(ranking.results + ranking.without_stack + ranking.without_shape == published.size());
      std::set<std::string> documents;
      std::size_t in_rows = 0;
      for (const auto& group : ranking.groups) {
        std::size_t last = 1;
        REQUIRE(group.rows.size() >= 1);
        CHECK(group.rows.front().rank == 1);
        for (const auto& row : group.rows) {
          CHECK(row.rank >= last);
          CHECK((std::isfinite(row.value) && row.value > 0));
          CHECK_FALSE(row.stack.components.empty());
          CHECK((!row.peak || row.peak->share > 0));
          CHECK_FALSE(row.shown.empty());
          for (const auto& id : row.documents) CHECK(documents.insert(id).second);
          in_rows += row.documents.size();
          last = row.rank;
          ++rows;
        }
      }
      CHECK(in_rows <= ranking.results);
      if (!ranking.groups.empty()) CHECK_FALSE(explain(ranking, {0, 0, false}).empty());
      const std::string text = table(ranking, {0, 0, false});
      for (const char* bad : {"nan%", " nan", "inf%", "×nan"}) CHECK_FALSE(text.contains(bad));
      CHECK(ranking.unnamed.size() <= ranking.without_stack);
      CHECK(ranking.unnamed.empty() == (ranking.without_stack == 0));
    }
  }
  CHECK(rows > 1000);
}

namespace {

template <typename Work>
auto within_time(Work work) {
  const auto begin = std::clock();  // of this process: others load the machine
  auto result = work();
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 20);  // else a minute or more
  return result;
}

std::vector<specs::Published> made_up(int count, int first_size, int step) {
  std::vector<specs::Published> rows;
  for (int i = 0; i < count; ++i) rows.push_back(made_up(std::to_string(i), first_size + i * step, 100 + i));
  return rows;
}

}  // namespace

TEST_CASE("as many groups as results", "[published_ranking]") {
  const auto rows = made_up(40'000, 1, 1);
  const auto ranking = within_time([&] { return rank_made_up(rows); });
  CHECK(ranking.groups.size() == rows.size());
  CHECK(ranking.notes.empty());
}

TEST_CASE("a shape is sought in a group of as many shapes as results", "[published_ranking]") {
  std::vector<specs::Published> rows;
  for (int i = 0; i < 40'000; ++i) rows.push_back(made_up(std::to_string(i % 1000), i < 1000 ? 7 : i, 100 + i));
  const auto ranking = within_time([&] { return rank_made_up(rows, "matmul:m=30000"); });
  REQUIRE(ranking.groups.size() == 1);
  CHECK(ranking.groups.front().shape.params.at("m") == "30000");
  CHECK(ranking.groups.front().rows.size() == 1);
  CHECK(ranking.groups.front().elsewhere.size() == 999);
}

TEST_CASE("of more stacks than can be ranked the results are left out, and that is said", "[published_ranking]") {
  auto rows = made_up(1000, 512, 0);
  const auto all = within_time([&] { return rank_made_up(rows); });
  REQUIRE(all.groups.size() == 1);
  CHECK(all.groups.front().rows.size() == 1000);
  CHECK(component(all.groups.front().rows.front(), "cuda") == "999");
  CHECK(all.notes.empty());

  rows = made_up(20'000, 512, 0);
  rows.push_back(made_up("10.0", 1024, 5));  // stands by itself
  const auto ranking = within_time([&] { return rank_made_up(rows); });
  CHECK(ranking.groups.size() == 1);
  CHECK(ranking.results == 1);
  CHECK(ranking.of_too_many == 20'000);
  REQUIRE(ranking.notes.size() == 1);
  CHECK_THAT(ranking.notes.front(), Contains("20000 published results") && Contains("Made Up 1") &&
                                        Contains("more than 1000 are not ranked"));
  CHECK_THAT(table(ranking, {}), Contains("20000 published results"));
  CHECK(to_json(ranking).at("notes") == ranking.notes);
}
