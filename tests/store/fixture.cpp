#include "tests/store/fixture.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace stackx::test {

namespace fs = std::filesystem;

Directory::Directory() {
  std::string name = (fs::temp_directory_path() / "stackx-test-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
  path_ = name;
}

Directory::~Directory() {
  std::error_code ignored;
  fs::permissions(path_, fs::perms::owner_all, ignored);
  fs::remove_all(path_, ignored);
}

specs::Host host(const std::string& microarchitecture, int cores) {
  specs::Host host;
  host.hostname = "bench-1";
  host.cpu.model = "Intel(R) Xeon(R) Platinum 8480C";
  host.cpu.vendor = "intel";
  host.cpu.microarchitecture = microarchitecture;
  host.cpu.family = 6;
  host.cpu.model_number = 143;
  host.cpu.isa = {"avx2", "avx512f", "fma"};
  host.cpu.packages = host.cpu.numa_nodes = 1;
  host.cpu.cores = host.cpu.threads = cores;
  host.cpu.caches = {{1, "data", 49152, cores}, {3, "unified", 110100480, 1}};
  host.memory_bytes = 16ULL << 30;
  host.gpus = {{"Tesla V100-SXM2-16GB", "GPU-1234", "0000:3b:00.0", "7.0", 16ULL << 30, {}}};
  host.os = "debian";
  host.os_version = "12";
  host.kernel = "6.1.0-18-amd64";
  return host;
}

specs::Inspection inspection(std::uint64_t number, const std::string& campaign) {
  specs::Random random(number);
  specs::Inspection i;
  i.campaign = campaign;
  i.round = number / 4;
  i.position = number % 4;
  i.arm = fmt::format("arm-{}", number % 4);
  i.sentinel = number % 4 == 3;
  i.stack.components = {{"openblas", fmt::format("0.3.{}", 20 + number % 4)},
                        {"cpu", "sapphire-rapids"},
                        {"python", "3.11"}};
  i.loaded = {{"openblas", i.stack.components["openblas"]}};
  i.workload = {"matmul", {{"m", "512"}, {"n", "512"}, {"k", "512"}, {"dtype", "float32"}}};
  i.parameters = i.workload.params;
  i.parameters["mini_batch"] = fmt::format("{}", 1 + random.below(3));
  i.host = host();
  i.load_1m = static_cast<double>(random.below(300)) / 100;
  i.device = i.host.fingerprint();
  i.runner = "local (bubblewrap 0.8.0)";
  i.phases = {{"build", 1'700'000'000'000'000'000, 1000},
              {"measure", 1'700'000'000'000'001'000, 123456}};
  for (int s = 0; s < 50; ++s)
    i.samples_ns.push_back(5'000'000 + static_cast<std::int64_t>(random.below(200'000)));
  i.work = {2.0 * 512 * 512 * 512, 3.0 * 512 * 512 * 4, 1};
  i.check = specs::Check{"dot products in float64", 1.5e-7, 2e-5, true};
  i.usage = {0.25, 0.125, 64 << 20, 12, 0, 3, 7};
  i.exit_code = 0;
  if (number % 7 == 6) {
    i.outcome = specs::Outcome::crashed;
    i.reason = "ended by signal 11 (Segmentation fault), \"quoted\", naïve";
    i.exit_code.reset();
    i.samples_ns.clear();
    i.check.reset();
  }
  i.stdout_tail = "{\"name\":\"matmul\"}\n";
  i.artifacts = {{"scipy_openblas64-0.3.30.whl", std::string(64, 'a')}};
  i.stackx_version = "0.1.0";
  i.finished = fmt::format("2025-06-01T12:{:02}:{:02}Z", number / 60 % 60, number % 60);
  specs::seal(i);
  return i;
}

specs::Plan plan(std::uint64_t rounds, std::size_t arms) {
  specs::Plan plan;
  plan.project = "blas-cpu";
  plan.created = "2025-06-01T12:00:00Z";
  plan.seed = 42;
  for (std::size_t a = 0; a < arms; ++a) {
    const specs::Inspection of_arm = inspection(a);
    plan.arms.push_back({fmt::format("arm-{}", a), of_arm.stack, of_arm.workload, false});
  }
  plan.campaign.rounds = rounds;
  specs::seal(plan);
  return plan;
}

std::vector<std::string> ids(const store::Store& store, const std::string& campaign) {
  std::vector<std::string> result;
  store.documents(campaign, [&](const std::string& text) {
    const auto document = nlohmann::json::parse(text);
    if (document.at("$schema") == "stackx/inspection/1") result.push_back(document.at("id"));
  });
  return result;
}

std::vector<std::string> dump(const fs::path& database) {
  SQLite::Database db(database.string(), SQLite::OPEN_READONLY);
  std::vector<std::string> names, rows;
  for (SQLite::Statement tables(
           db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
       tables.executeStep();)
    names.push_back(tables.getColumn(0).getString());
  for (const std::string& name : names) {
    std::vector<std::string> of_table;
    for (SQLite::Statement all(db, "SELECT * FROM " + name); all.executeStep();) {
      std::string row = name;
      for (int c = 0; c < all.getColumnCount(); ++c)
        row += "|" + (all.isColumnNull(c) ? "NULL" : all.getColumn(c).getString());
      of_table.push_back(row);
    }
    std::sort(of_table.begin(), of_table.end());
    rows.insert(rows.end(), of_table.begin(), of_table.end());
  }
  return rows;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace stackx::test
