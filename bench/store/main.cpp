// bench-store: makes synthetic stores and times what goes into them; bench/store/run calls it.
#include <fmt/core.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <thread>

#include "bare.hpp"
#include "specs/error.hpp"
#include "store/store.hpp"
#include "synthetic.hpp"

namespace stackx::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void report(const char* what, std::uint64_t documents, double seconds) {
  fmt::print("{{\"what\": \"{}\", \"documents\": {}, \"seconds\": {:.3f}, \"per_second\": {:.0f}}}\n",
             what, documents, seconds, static_cast<double>(documents) / seconds);
}

void ingest(const std::string& file, const std::string& db) {
  std::ifstream in(file);
  auto store = store::Store::open(db);
  const double start = now();
  const auto intake =
      store.take_in([&](std::string& line) { return static_cast<bool>(std::getline(in, line)); }, file);
  report("ingest", intake.inserted, now() - start);
  if (!intake.reasons.empty())
    throw broken_environment(fmt::format("{} refused: {}", intake.refused, intake.reasons[0]));
}

// Documents made and taken in at once: a file of 10^7 would be 70 GB.
void fill(const Size& size, std::uint64_t seed, const std::string& db) {
  int ends[2];
  if (::pipe(ends) != 0) throw broken_environment("pipe failed");
  std::thread writer([&] {
    FILE* out = ::fdopen(ends[1], "w");
    generate(size, seed, [&](const std::string& line) {
      std::fwrite(line.data(), 1, line.size(), out);
      std::fputc('\n', out);
    });
    std::fclose(out);
  });
  FILE* in = ::fdopen(ends[0], "r");
  auto store = store::Store::open(db);
  const double start = now();
  char* buffer = nullptr;
  std::size_t capacity = 0;
  const auto intake = store.take_in(
      [&](std::string& line) {
        const ssize_t n = ::getline(&buffer, &capacity, in);
        if (n <= 0) return false;
        line.assign(buffer, static_cast<std::size_t>(n - 1));
        return true;
      },
      "synthetic");
  writer.join();
  std::free(buffer);
  std::fclose(in);
  report("fill", intake.inserted, now() - start);
}

}  // namespace
}  // namespace stackx::bench

int main(int argc, char** argv) {
  using namespace stackx;
  CLI::App app("Synthetic stores, and the time that documents take to get into them");
  std::uint64_t inspections = 100'000, seed = 1;
  std::string file, db;
  auto* generate = app.add_subcommand("generate", "Documents, one a line, to stdout");
  generate->add_option("inspections", inspections)->required();
  generate->add_option("--seed", seed);
  auto* fill = app.add_subcommand("fill", "A store of generated documents");
  fill->add_option("inspections", inspections)->required();
  fill->add_option("db", db)->required();
  fill->add_option("--seed", seed);
  bool panel = false;
  fill->add_flag("--one-panel", panel, "All of 16 stacks of one workload on one machine");
  auto* ingest = app.add_subcommand("ingest", "Take in a file of documents");
  auto* parsed = app.add_subcommand("parsed", "Parse each line, insert, in one bare loop");
  for (auto* command : {ingest, parsed}) {
    command->add_option("file", file)->required();
    command->add_option("db", db)->required();
  }
  auto* rows = app.add_subcommand("rows", "Insert the rows of a store, ready in memory, into a new one");
  rows->add_option("from", file)->required();
  rows->add_option("db", db)->required();
  auto* size = app.add_subcommand("size", "Bytes an inspection, beyond those of the samples");
  size->add_option("db", db)->required();
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  try {
    if (*generate)
      bench::generate(bench::size_of(inspections), seed,
                      [](const std::string& line) { std::cout << line << '\n'; });
    if (*fill) bench::fill(panel ? bench::one_panel(inspections) : bench::size_of(inspections), seed, db);
    if (*ingest) bench::ingest(file, db);
    if (*parsed) bench::insert_parsed(file, db);
    if (*rows) bench::insert_rows(file, db);
    if (*size) bench::print_size(db);
  } catch (const Error& error) {
    fmt::print(stderr, "bench-store: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
