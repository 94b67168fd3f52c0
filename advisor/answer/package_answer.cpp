#include "advisor/answer/package_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "advisor/answer/expectation.hpp"
#include "advisor/answer/limits.hpp"
#include "advisor/candidate/newest_candidate.hpp"
#include "advisor/check/world/python_world.hpp"
#include "advisor/facts/cuda_drivers.hpp"
#include "advisor/recipes/install_line.hpp"
#include "analysis/text/words.hpp"
#include "specs/catalog/driver.hpp"
#include "specs/python/conda_environment.hpp"
#include "specs/version/version_text.hpp"
#include "workspace/asked/project.hpp"

namespace stackx::advisor {
namespace {

struct Displaced {
  Candidate by;
  Rival rival;
  std::string why;
};

std::string why_displaced(const Candidate& newest, const Candidate& faster, const Rival& rival) {
  const auto& source = rival.row->sources.front();
  const auto where = source.title.empty() ? source.url : source.title;
  const auto& over = rival.over;
  if (over.interval)
    return fmt::format("it was x{:.2f} [{:.2f}, {:.2f}] as fast as the newest, {}, over {} ({}).", over.ratio,
                       over.interval->low, over.interval->high, newest.name(), analysis::counted(over.shapes, "shape"),
                       where);
  return fmt::format("{} was slower than {} there, x{:.2f}, single numbers ({}).", newest.text(), faster.text(),
                     1 / over.ratio, where);
}

// The first of the rivals that is valid here.
std::optional<Displaced> first_valid(const Grounds& from, const Candidate& newest, const Rivals& rivals) {
  constexpr std::size_t most_tried = 3;
  const auto& wish = *from.known.wish;
  for (std::size_t i = 0; i < std::min(most_tried, rivals.faster.size()); ++i) {
    const auto& rival = rivals.faster[i];
    const auto& components = rival.row->stack.components;
    auto other = wish;
    other.exactly = specs::public_version(components.at(wish.root));
    if (const auto cuda = components.find("cuda"); cuda != components.end() && other.cuda.empty())
      other.cuda = specs::minor_release(cuda->second);
    if (auto faster = newest_candidate(from.knowledge, other))
      return Displaced{*faster, rival, why_displaced(newest, *faster, rival)};
  }
  return std::nullopt;
}

// By one source's numbers for both: on the hardware; where nobody published the newest there, on other models of the
// architecture. What was reached on those is not to be expected here.
void displace(const Grounds& from, Candidate& candidate, std::optional<Rival>& by, Advice& answer) {
  const auto& known = from.known;
  const auto here = rivals_of(known.published, candidate.package, candidate.version, candidate.cuda);
  if (here.own) {
    if (auto displaced = first_valid(from, candidate, here))
      candidate = std::move(displaced->by), by = displaced->rival, answer.why = displaced->why;
    return;
  }
  if (!known.accelerator || !known.accelerators) return;
  const auto alike = on_like_hardware(known.family, *known.accelerator, *known.accelerators);
  const auto ranking =
      analysis::rank_published(alike, kind_of_work(known.selection.asked), *known.accelerators, known.published.delta);
  if (auto displaced =
          first_valid(from, candidate, rivals_of(ranking, candidate.package, candidate.version, candidate.cuda))) {
    candidate = std::move(displaced->by);
    answer.why = fmt::format("on {}, of the same architecture, {}", displaced->rival.group->hardware, displaced->why);
  }
}

// What runs with other drivers than the one that is there.
std::vector<DriverRow> by_other_drivers(const Grounds& from) {
  auto wish = *from.known.wish;
  if (wish.question.driver.empty()) return {};
  wish.question.driver.clear();
  const auto newest = newest_candidate(from.knowledge, wish);
  return newest ? driver_rows(from.knowledge, wish, *newest, 3) : std::vector<DriverRow>{};
}

// A note of check's as a sentence: "No release of ..."; names of packages stay as they are.
std::string sentence(std::string note, const Knowledge& knowledge) {
  if (!knowledge.package(note.substr(0, note.find(' '))))
    note.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(note.front())));
  return note + ".";
}

// ", CUDA 12.6 instead of 13.0" where it is not the CUDA that is to be kept.
std::string cuda_instead(const Grounds& from, const std::string& root, const Nearest& nearest) {
  const auto& kept = from.options.have.cuda;
  if (kept.empty()) return "";
  Checked checked;
  checked.stack = nearest.stack;
  const auto cuda = specs::minor_release(as_it_is(from.knowledge, from.known.wish->question, root, std::move(checked)).cuda);
  const bool same = cuda == specs::minor_release(kept) || specs::major_release(cuda) == kept;
  return cuda.empty() || same ? "" : fmt::format(", CUDA {} instead of {}", cuda, kept);
}

// What is said to be kept excludes itself, or is not there at all, whatever is to run.
std::string cuda_failure(const Grounds& from) {
  const auto& have = from.options.have;
  const auto& gpu = from.known.wish->question.gpu;
  if (have.cuda.empty() || !gpu || gpu->vendor != "nvidia") return "";
  const auto& drivers = from.knowledge.drivers();
  if (auto none = no_such_cuda(drivers, have.cuda); !none.empty()) return none;
  const auto least = drivers.least(have.cuda.contains('.') ? have.cuda : have.cuda + ".1", specs::GpuBuild::Reach::cubin);
  if (have.driver.empty() || !least || !specs::is_newer(*least, specs::newest_of_branch(have.driver))) return "";
  return fmt::format("CUDA {} needs driver {} or newer; {} is older", have.cuda, *least, have.driver);
}

// No release runs there: why, and what would.
void say_none(const Grounds& from, Advice& answer) {
  auto question = from.known.wish->question;
  const auto& root = from.known.wish->root;
  const bool asked = std::ranges::any_of(
      question.asked, [&](const auto& placed) { return from.knowledge.real_name(placed.dependency.name) == root; });
  if (!asked) question.asked.push_back({*specs::parse_dependency(root), "advice"});
  const auto checked = check(from.knowledge, question);
  add_misspelt(checked, answer);
  if (question.gpu && !is_known_vendor(*question.gpu)) {
    answer.line = from.nothing(fmt::format("stackx knows builds of {} for the GPUs of NVIDIA, AMD and Intel, for TPUs, Trainium, Inferentia and Gaudi only", root));
    return;
  }
  const auto& have = from.options.have;
  const auto says = [&](const std::string& kept) { return !kept.empty() && checked.text.contains(kept); };
  const auto of_cuda = cuda_failure(from);
  const bool said = !of_cuda.empty() || says(have.driver) || says(have.cuda) || says(have.python) || says(have.glibc);
  const bool none_known = checked.answer == Answer::yes;
  const auto text = !of_cuda.empty() ? of_cuda : none_known ? fmt::format("no release of {} is known to run there", root) : checked.text;
  const auto with = said && (!none_known || !of_cuda.empty()) ? "" : from.kept();
  answer.unknown = checked.answer == Answer::unknown;
  answer.line = answer.unknown ? from.not_known(text, with) : from.nothing(text, with);
  answer.by_driver = by_other_drivers(from);
  if (!answer.by_driver.empty()) return;
  add_nearest(checked, answer, [&](const Nearest& one) { return cuda_instead(from, root, one); });
  if (checked.nearest.empty())
    for (const auto& note : checked.notes)
      if (!note.starts_with("--")) answer.cautions.push_back(sentence(note, from.knowledge));  // else an option of `check`
}

// Where newer builds for this accelerator may be; of a build beside the package's own releases only where one of these is newer.
void add_elsewhere(const Grounds& from, const Candidate& candidate, Advice& answer) {
  const auto& gpu = from.known.wish->question.gpu;
  if (!gpu) return;
  const auto place = from.knowledge.elsewhere(candidate.package, places_of(*gpu));
  const auto& newest = from.knowledge.package(candidate.package)->releases.back().version.text();
  if (!place.empty() && (!specs::is_local(candidate.version) || specs::is_newer(newest, candidate.version)))
    answer.remarks.push_back(sentence(place, from.knowledge));
}

// As check says it of that release: compiled, or a ready wheel downloaded.
std::string how_it_is_built(const Candidate& candidate, const PinnedPackage& one) {
  const auto about_it = fmt::format("{} {} is ", one.name, one.version);
  for (const auto& note : candidate.checked.notes)
    if (note.starts_with(about_it) && note.find("downloads a ready wheel, ") != note.npos) return note + ".";
  return fmt::format("{} comes as source: it is compiled beside the torch that is there, with the compiler of its CUDA or ROCm.", one.name);
}

void take(const Candidate& candidate, Advice& answer) {
  answer.found = true;
  answer.candidate = candidate;
  answer.pinned = candidate.pinned;
  answer.run = candidate.text();
  answer.install = install_line(candidate.pinned);
  for (const auto& one : candidate.pinned.packages)
    if (one.compiled())
      answer.cautions.push_back(how_it_is_built(candidate, one));
}

// What somebody typed beside the framework and no catalog has: the install line has it as it was typed. Of others alone it is said
// that no facts compare them.
void add_not_known(const Grounds& from, Advice& answer) {
  const auto& wish = *from.known.wish;
  const auto is_root = [&](const auto& placed) { return from.knowledge.real_name(placed.dependency.name) == wish.root; };
  if (std::ranges::none_of(wish.question.asked, is_root)) return;
  for (const auto& placed : wish.question.asked)
    if (const auto name = from.knowledge.real_name(placed.dependency.name); !is_given(name) && !from.knowledge.package(name))
      answer.cautions.push_back(fmt::format("{} is not judged: no catalog here has it.", name));
}

// conda's builds for a CUDA take it from a package beside them, an index's bring their own.
std::string cuda_of_conda(const Grounds& from, const Candidate& candidate) {
  const auto asked = specs::read_conda_environment(from.options.project).cuda;
  if (asked.empty() || candidate.cuda.empty()) return "";
  if (specs::minor_release(candidate.cuda) == asked) return fmt::format(" Its CUDA {} is that of the build.", asked);
  return fmt::format(" conda's CUDA {} is not what this build has: it brings CUDA {}.", asked, candidate.cuda);
}

}  // namespace

void answer_packages(const Grounds& from, Advice& answer) {
  const auto& known = from.known;
  if (!known.candidate) return say_none(from, answer);
  auto candidate = *known.candidate;
  std::optional<Rival> by;
  if (from.options.type != RecommendationType::latest) displace(from, candidate, by, answer);
  take(candidate, answer);
  add_misspelt(candidate.checked, answer);
  if (workspace::is_of_words(from.options.project)) add_not_known(from, answer);
  expect_of(from, candidate, by ? &*by : nullptr, answer);
  if (answer.why.empty())
    answer.why = fmt::format("the newest stack valid on {}{}; no result shows {} to be {}{}.", from.hardware(),
                             from.restriction(), from.restriction().empty() ? "an older one" : "another", from.better(),
                             answer.grade < Grade::published ? odds_of_newest(from) : "");
  if (const auto plain = plain_install_brings(from.knowledge, *known.wish, candidate); !plain.empty())
    answer.cautions.push_back(plain);
  for (const auto& [name, libraries] : candidate.pinned.system)
    answer.cautions.push_back(fmt::format("{} loads {} of the system, which pip does not bring.", name, in_words(libraries)));
  if (specs::is_conda_environment(from.options.project))
    answer.remarks.push_back(fmt::format("What {} has of conda is taken for what the package index calls so.{}",
                                         from.options.project.filename().string(), cuda_of_conda(from, candidate)));
  if (!candidate.unused.empty()) answer.cautions.push_back(candidate.unused_text());
  if (!candidate.unsure.empty())
    answer.remarks.push_back(fmt::format("{} {} may exist, unseen.", candidate.package, candidate.unsure.front()));
  add_elsewhere(from, candidate, answer);
  const bool newest = candidate.version == known.candidate->version;
  answer.by_driver = newest ? known.by_driver : driver_rows(from.knowledge, *known.wish, candidate, 3);
  add_limits(from, candidate, answer);
  // Where a table has CUDA and cuDNN, they are not said twice.
  answer.line = fmt::format("Run {} on {}{}.", answer.limits.empty() ? candidate.text() : candidate.with_others(),
                            pythons_text(candidate.pinned), from.driver_of(candidate));
  add_what_is_lost(from, candidate, answer);
}

}  // namespace stackx::advisor
