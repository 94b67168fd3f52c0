// Twenty models of hardware and every workload family: each pair has an answer that holds, or is told what is missing (half
// of the pairs with every change).
#include <catch2/catch.hpp>

#include <future>
#include <mutex>

#include "advisor/answer/advice.hpp"
#include "advisor/check/asked.hpp"
#include "tests/cases.hpp"
#include "tests/specs/files.hpp"
#include "workspace/seeds.hpp"

namespace stackx::advisor {
namespace every_pair_tests {

const std::vector<std::string> models{"k80",  "m60",  "p100",  "v100",     "t4",       "a10",   "a100",   "a30",       "l4",     "l40s",
                                      "h100", "h200", "b200",  "rtx-3090", "rtx-4090", "rtx-5090", "mi250x", "mi300x", "zen4", "skylake-avx512"};

// Families that are sought in the same catalogs and run with the same packages have the same candidate: of these, one is
// asked in full, unless all are wanted.
std::vector<std::string> families_of(const specs::WorkloadFamilies& all) {
  std::vector<std::string> names;
  std::set<std::tuple<std::string, std::string, std::vector<std::string>, std::vector<std::string>>> kinds;
  for (const auto& family : all.all())
    if (kinds.insert({family.gpu, family.cpu, family.usual_gpu, family.usual_cpu}).second || test::cases(0, 1) == 1)
      names.push_back(family.name);
  return names;
}

struct Asked {
  std::string hw, family;
};

// What is wrong with the answer; "" if nothing.
std::string fault(const Asked& asked, const Knowledge& knowledge, const workspace::Context& context) {
  AdviceOptions options;
  options.selection.hw = asked.hw;
  options.selection.workload = asked.family;
  const auto known = hardware_advice(options, [&]() -> const Knowledge& { return knowledge; }, context);
  const auto advice = make_advice(known, knowledge, {options, not_known(known, 0.01), ""});
  if (!advice.found)
    return advice.line.starts_with((advice.unknown ? "Unknown what runs " : "No stack to run ") + asked.family + " on ") &&
                   advice.line.find(": ") != std::string::npos
               ? ""
               : "no answer, and the first line does not say why: " + advice.line;
  if (!advice.line.starts_with("Run ")) return "the first line is no answer: " + advice.line;
  if (!advice.candidate) return advice.chosen ? "" : "an answer without a stack";
  const auto& candidate = *advice.candidate;
  Question question = known.wish->question;
  for (const auto& one : advice.pinned->packages)
    question.asked.push_back(specs::read_dependency(
        one.name + (one.extras.empty() ? "" : "[" + *one.extras.begin() + "]") + "==" + one.version, "the answer"));
  if (const auto checked = check(knowledge, question); checked.answer != Answer::yes)
    return candidate.name() + " does not run there: " + checked.text;
  const bool evidence = advice.grade >= Grade::published;
  if (!evidence && candidate.released < "2023-11") return candidate.name() + " is older than three years";
  return "";
}

TEST_CASE("every pair of hardware and workload has an answer that holds, or is told what is missing") {
  const tests::Files files;
  workspace::Context context;
  context.db = (files.path() / "store.db").string();
  context.executable_directory = std::filesystem::path(STACKX_SOURCE_DIR) / "build";
  const auto families = specs::WorkloadFamilies::load(context.data_directory());
  workspace::open_with_seeds(context);
  std::vector<Asked> pairs;
  const auto asked = families_of(families);
  // Every model and every family with half of the others, as on a chess board, unless all are wanted.
  for (std::size_t i = 0; i < models.size(); ++i)
    for (std::size_t j = 0; j < asked.size(); ++j)
      if ((i + j) % test::cases(2, 1) == 0) pairs.push_back({models[i], asked[j]});
  std::vector<std::string> faults;
  std::mutex mutex;
  const auto half = [&](std::size_t first) {
    const auto knowledge = load_knowledge(context, {});
    for (std::size_t i = first; i < pairs.size(); i += 2)
      if (auto found = fault(pairs[i], knowledge, context); !found.empty()) {
        const std::lock_guard lock(mutex);
        faults.push_back(pairs[i].hw + ", " + pairs[i].family + ": " + found);
      }
  };
  auto other = std::async(std::launch::async, half, 1);
  half(0);
  other.get();
  for (const auto& one : faults) UNSCOPED_INFO(one);
  CHECK(faults.empty());
}

}  // namespace every_pair_tests
}  // namespace stackx::advisor
