// Stands in for libFuzzer where there is no clang: runs a fuzz target on every seed of a corpus
// directory, then on seeded mutations of the seeds. On a crash or a broken invariant it prints the
// input, ready to become a new seed.
//
//   replay_<parser> CORPUS_DIRECTORY [MUTATIONS] [SEED]

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

std::string piece(Random& random, const std::string& text) {
  if (text.empty()) return "";
  const std::size_t begin = random.below(text.size());
  return text.substr(begin, 1 + random.below(std::min<std::size_t>(8, text.size() - begin)));
}

// Bytes changed, removed, doubled, and pieces of other seeds inserted.
std::string mutated(Random& random, const std::vector<std::string>& seeds) {
  std::string text = seeds[random.below(seeds.size())];
  for (std::uint64_t edits = 1 + random.below(6); edits > 0; --edits) {
    const std::size_t at = random.below(text.size() + 1);
    switch (random.below(5)) {
      case 0:
        text.insert(at, 1, static_cast<char>(random.below(256)));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 2:
        text.erase(at, 1 + random.below(4));
        break;
      case 3:
        text.insert(at, piece(random, seeds[random.below(seeds.size())]));
        break;
      default:
        text.insert(at, piece(random, text));
    }
  }
  return text;
}

void run(const std::string& input) {
  current = &input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  current = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY [MUTATIONS] [SEED]\n", argv[0]), 2;
  const std::uint64_t mutations = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20000;
  Random random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  const std::vector<std::string> seeds = read_corpus(argv[1]);
  if (seeds.empty()) return std::fprintf(stderr, "%s: no seeds there\n", argv[1]), 2;
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, report);
  for (const std::string& seed : seeds) run(seed);
  for (std::uint64_t i = 0; i < mutations; ++i) run(mutated(random, seeds));
  std::printf("%zu seeds, %llu mutations\n", seeds.size(),
              static_cast<unsigned long long>(mutations));
}
