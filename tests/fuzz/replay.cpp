// Stands in for libFuzzer where there is no clang: runs a fuzz target on every seed of a corpus
// directory, then on seeded mutations of the seeds (mutate.hpp). On a crash or a broken invariant it prints the
// input, ready to become a new seed; so it does on one that takes 10 seconds of processor time.
//
//   replay_<parser> CORPUS_DIRECTORY [MUTATIONS] [SEED]

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "specs/random.hpp"
#include "tests/cases.hpp"
#include "tests/fuzz/mutate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using stackx::specs::Random;

const std::string* volatile current =
    nullptr;  // a signal handler has no other way to know the input

extern "C" void report(int signal) {
  const auto print = [](const char* text, std::size_t size) {
    return write(STDERR_FILENO, text, size);
  };
  constexpr char head[] = "\nthe fuzz target failed on this input, between the lines:\n----\n";
  constexpr char tail[] = "\n----\n";
  if (current && print(head, sizeof head - 1) >= 0 && print(current->data(), current->size()) >= 0)
    (void)!print(tail, sizeof tail - 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<std::string> read_corpus(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);  // the order of a directory differs between machines
  std::vector<std::string> seeds;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return seeds;
}

void run(const std::string& input) {
  current = &input;
  constexpr itimerval limit{{}, {10, 0}};
  setitimer(ITIMER_VIRTUAL, &limit, nullptr);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  current = nullptr;
}

// On a stack of its own: documents that nest deeply may have used up the other.
void report_signals() {
  static char stack[64 << 10];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_handler = report;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGVTALRM}) sigaction(signal, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY [MUTATIONS] [SEED]\n", argv[0]), 2;
  const std::uint64_t mutations = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : stackx::test::cases(5'000, 20'000);
  Random random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  const std::vector<std::string> seeds = read_corpus(argv[1]);
  if (seeds.empty()) return std::fprintf(stderr, "%s: no seeds there\n", argv[1]), 2;
  report_signals();
  for (const std::string& seed : seeds) run(seed);
  for (std::uint64_t i = 0; i < mutations; ++i)
    run(stackx::fuzz::mutated(random, seeds[random.below(seeds.size())], seeds));
  std::printf("%zu seeds, %llu mutations\n", seeds.size(),
              static_cast<unsigned long long>(mutations));
}
