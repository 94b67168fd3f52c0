#include "advisor/check/nearest/proven.hpp"

#include <algorithm>
#include <utility>

#include "advisor/check/beside.hpp"
#include "advisor/check/nearest/torch_index.hpp"
#include "advisor/check/unbrought.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

std::vector<specs::PlacedDependency> asked_by(const Nearest& nearest) {
  std::vector<specs::PlacedDependency> asked;
  for (const auto& text : nearest.install) asked.push_back(specs::read_dependency(text, "the nearest"));
  return asked;
}

// "protobuf<4" where an installer would take a newer one than the release works with.
void add_bounds_to(Nearest& nearest, const Knowledge& knowledge, const Question& question) {
  auto line = question;
  line.asked = asked_by(nearest);
  for (const auto& [package, version, other, range] : unbound_beside(knowledge, line, nearest.stack)) {
    const auto there = std::ranges::find_if(line.asked, [&](const auto& placed) { return knowledge.real_name(placed.dependency.name) == other; });
    if (there == line.asked.end()) {
      nearest.install.push_back(other + range);
      continue;
    }
    auto& dependency = there->dependency;
    dependency.versions = specs::range_or_any(dependency.versions.is_any() ? range : dependency.versions.text() + "," + range);
    nearest.install[static_cast<std::size_t>(there - line.asked.begin())] = dependency.text();
  }
}

void complete(const Knowledge& knowledge, const Question& question, Nearest& nearest) {
  if (nearest.install.empty()) return;  // another Python alone
  add_bounds_to(nearest, knowledge, question);
  for (const auto& one : unbrought(knowledge, asked_by(nearest), nearest.stack)) nearest.install.push_back(one.name + "==" + one.version);
  for (const auto& placed : asked_by(nearest)) {
    const auto found = nearest.stack.components.find(knowledge.real_name(placed.dependency.name));
    if (found == nearest.stack.components.end()) continue;
    if (auto beside = knowledge.compiled_beside(found->first, found->second); !beside.empty())
      nearest.compiled[placed.dependency.name] = std::move(beside);
  }
}

// The question that the line asks, as any installer would meet it.
Question question_of_line(const Question& question, const Nearest& nearest) {
  auto line = question;
  line.any_build.clear();
  line.known_only = false;
  line.keep = {};
  line.in_place_of.clear();  // of what the line installs the answer is one
  if (nearest.install.empty()) return line;  // another Python or driver: what is asked for stays, and where it comes from
  line.pytorch.reset();
  line.asked = asked_by(nearest);
  return line;
}

// On the Python that is proposed, which is told beside the line.
bool runs(Question line, const Nearest& nearest, const Ask& ask) {
  const auto python = nearest.stack.components.find("python");
  if (line.python.empty() && python != nearest.stack.components.end()) line.python = specs::minor_release(python->second);
  const auto answer = ask(line).answer;
  const bool jetson = line.gpu && line.gpu->jetson;  // what has code for GPUs like its own need not run on it
  return answer == Answer::yes || (answer == Answer::unknown && !jetson);
}

bool runs_with_an_index(const Knowledge& knowledge, const Question& line, const Ask& ask, Nearest& nearest) {
  const auto torch = nearest.stack.components.find("torch");
  const bool of_an_index = torch != nearest.stack.components.end() && specs::is_local(torch->second);
  for (const auto& label : of_an_index ? std::vector{specs::local_label(torch->second)} : labels_of_torch(knowledge, line, nearest.stack)) {
    auto beside = line;
    beside.pytorch = PyTorchIndex{{label}};
    if (!runs(std::move(beside), nearest, ask)) continue;
    name_index(label, nearest);
    nearest.changes.push_back(beside_the_usual(label));
    return true;
  }
  return false;
}

// The indexes that the question names are named again.
bool runs_with_its_indexes(const Question& question, Question line, const Ask& ask, Nearest& nearest) {
  line.pytorch = question.pytorch;
  if (!runs(std::move(line), nearest, ask)) return false;
  for (const auto& label : question.pytorch->all_labels()) name_index(label, nearest);
  return true;
}

}  // namespace

bool prove(const Knowledge& knowledge, const Question& question, const Ask& ask, Nearest& nearest) {
  complete(knowledge, question, nearest);
  const auto line = question_of_line(question, nearest);
  if (runs(line, nearest, ask)) return true;
  if (nearest.install.empty()) return false;
  if (question.pytorch) return runs_with_its_indexes(question, line, ask, nearest);
  return runs_with_an_index(knowledge, line, ask, nearest);
}

}  // namespace stackx::advisor
