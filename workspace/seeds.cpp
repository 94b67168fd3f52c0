#include "workspace/seeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <optional>

#include "specs/error.hpp"
#include "specs/result/evidence.hpp"

namespace stackx::workspace {
namespace {

namespace fs = std::filesystem;

struct Seed {
  fs::path file;
  std::string name;
  std::uint64_t bytes = 0;
};

std::vector<Seed> seeds_of(const fs::path& directory) {
  std::vector<Seed> seeds;
  std::error_code error;
  if (!fs::exists(directory, error)) return seeds;  // somebody's own data without evidence
  for (const auto& entry : fs::directory_iterator(directory, error))
    if (entry.path().extension() == ".json")
      seeds.push_back({entry.path(), entry.path().stem().string(), entry.file_size()});
  if (error)
    throw broken_environment(
        fmt::format("{}: cannot be read ({}); it holds the evidence that comes with stackx: "
                    "install it again, or set STACKX_DATA to where it is",
                    directory.string(), error.message()));
  std::ranges::sort(seeds, {}, &Seed::name);
  return seeds;
}

std::vector<Seed> missing_seeds(const store::Store& store, std::vector<Seed> seeds) {
  std::erase_if(seeds, [&](const Seed& seed) { return store.has_seed(seed.name, seed.bytes); });
  return seeds;
}

// While the store writes one file, those after it are read.
std::size_t take_in(store::Store& store, const std::vector<Seed>& seeds) {
  std::vector<std::promise<specs::Evidence>> read(seeds.size());
  const auto reader = std::async(std::launch::async, [&] {
    for (std::size_t i = 0; i < seeds.size(); ++i) try {
        read[i].set_value(specs::load_evidence(seeds[i].file));
      } catch (...) {
        read[i].set_exception(std::current_exception());
      }
  });
  std::size_t rows = 0;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const specs::Evidence evidence = read[i].get_future().get();
    store.take_in_seed(seeds[i].name, seeds[i].bytes, evidence.rows);
    rows += evidence.rows.size();
  }
  return rows;
}

store::Store open_and_take_in(const fs::path& file, const std::vector<Seed>& seeds) {
  auto store = store::Store::open(file);
  const auto missing = missing_seeds(store, seeds);
  if (missing.empty()) return store;
  const std::size_t rows = take_in(store, missing);
  fmt::print(stderr,
             "stackx: {}: took in {} published results that come with stackx (once; `stackx query "
             "sources` lists where they are from)\n",
             file.string(), rows);
  return store;
}

// The store as it is, if it can be read.
std::optional<store::Store> open_existing(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  try {
    return store::Store::open(file, store::Mode::read_only);
  } catch (const Error&) {
    return std::nullopt;  // older schema or damaged: opening it for writing settles or says it
  }
}

}  // namespace

store::Store open_with_seeds(const Context& context) {
  const fs::path file = store::default_path(context.db);
  const auto seeds = seeds_of(context.data_directory() / "evidence");
  auto existing = open_existing(file);
  if (!existing) return open_and_take_in(file, seeds);
  if (missing_seeds(*existing, seeds).empty()) return std::move(*existing);
  try {
    return open_and_take_in(file, seeds);
  } catch (const Error& error) {
    fmt::print(stderr,
               "stackx: {}: the published results that come with stackx cannot be added ({}); what "
               "is in the store is answered from\n",
               file.string(), error.what());
    return std::move(*existing);
  }
}

store::Questions open_questions(const Context& context) {
  open_with_seeds(context);
  const auto file = store::default_path(context.db);
  store::Questions questions(file);
  if (!questions.stale()) return questions;
  store::Store::open(file).finish_summaries();
  return store::Questions(file);
}

}  // namespace stackx::workspace
