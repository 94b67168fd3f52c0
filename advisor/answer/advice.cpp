#include "advisor/answer/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "advisor/answer/wish.hpp"
#include "advisor/check/stack_check.hpp"
#include "advisor/check/python_world.hpp"
#include "advisor/recipes/install_line.hpp"
#include "advisor/recipes/stack_packages.hpp"
#include "analysis/published/peak_remark.hpp"
#include "analysis/published/upgrades.hpp"
#include "analysis/ranking/headline.hpp"
#include "analysis/ranking/stack_names.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"
#include "specs/version/version_text.hpp"
#include "workspace/words.hpp"

namespace stackx::advisor {
namespace {

using analysis::counted;
using analysis::Interval;

constexpr std::size_t most_evidence = 8;
constexpr std::size_t most_measured = 7;

// A sentence that goes on behind a colon.
std::string continued(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

// "SLOWER x0.52", "not told apart x0.999"; nothing of the best itself.
std::string versus_text(const analysis::Recommendation& row, double delta) {
  if (!row.versus_best) return "best";
  const auto& compared = *row.versus_best;
  if (compared.pairs == 0) return "no shared round";
  if (row.left_race) return fmt::format("left the race x{:.2f}", compared.ratio);
  if (analysis::looks_slower(row, delta)) return fmt::format("looks slower x{:.2f}", compared.ratio);
  if (compared.verdict == analysis::Verdict::unresolved) return fmt::format("not told apart x{:.2f}", compared.ratio);
  return fmt::format("{} x{:.2f}", to_string(compared.verdict), compared.ratio);
}

// "Python 3.10 to 3.14"
std::string pythons_text(const Pinned& pinned) {
  if (pinned.pythons.size() > 1) return fmt::format("Python {} to {}", pinned.pythons.back(), pinned.pythons.front());
  return pinned.python.empty() ? "" : "Python " + pinned.python;
}

bool newer(const std::string& a, const std::string& b) {
  const auto left = specs::Version::parse(specs::public_version(a), specs::Versioning::pep440);
  const auto right = specs::Version::parse(specs::public_version(b), specs::Versioning::pep440);
  return left && right && *left > *right;
}

class Making {
 public:
  Making(const HardwareAdvice& known, const Knowledge& knowledge, const AdviceRequest& request)
      : known_(known), knowledge_(knowledge), request_(request), options_(request.options), hw_(known.selection.hw),
        workload_(known.selection.asked.text()), wish_(known.wish) {}

  Advice run() {
    const bool of_measured = known_.chosen && known_.chosen->evidence.starts_with("measured");
    if (!options_.lock.empty() && wish_)
      from_lock();
    else if (of_measured)
      from_measured();
    else if (wish_)
      from_packages();
    else if (known_.chosen)
      from_catalogs();
    else
      nothing(known_.no_space.empty() ? "no stack that stackx knows runs " + workload_ + " there" : known_.no_space);
    add_evidence();
    add_remarks();
    return std::move(answer_);
  }

 private:
  // ---- what was measured
  void from_measured() {
    const auto headline = analysis::headline(known_.measured, hw_);
    const auto& first = known_.measured.recommendations.front();
    answer_.found = true;
    answer_.chosen = known_.chosen;
    answer_.line = headline.line;
    answer_.grade = known_.chosen->evidence == "measured" ? Grade::measured : Grade::measured_elsewhere;
    answer_.expected.push_back({"", first.median, known_.measured.unit, first.ci});
    answer_.run = analysis::components_text(known_.chosen->valid.stack.components);
    answer_.expect = fmt::format("{}", fmt::join(headline.context, " "));
    answer_.cautions = headline.cautions;
    answer_.why = headline.decided ? "measured against each other, round by round; the interval of the ratio excludes a tie."
                                   : "the first of those that were measured; none is shown to be faster.";
    add_measured();
    add_unmeasured();
    if (known_.space) pin_catalog_stack(known_.chosen->valid.stack);
  }

  void add_measured() {
    const auto& rows = known_.measured.recommendations;
    const analysis::StackNames names(known_.measured);
    answer_.measured_unit = known_.measured.unit;
    for (const auto& row : rows) {
      if (answer_.measured.size() == most_measured) break;
      const bool tie = std::ranges::count(rows, row.rank, &analysis::Recommendation::rank) > 1;
      answer_.measured.push_back({fmt::format("{}{}", tie ? "=" : "", row.rank), row.median, versus_text(row, known_.measured.delta),
                                  row.cv ? fmt::format("{:.1f}%", 100 * *row.cv) : "-", names.subject(row.stack), row.stack.short_id()});
    }
    if (rows.size() > answer_.measured.size())
      answer_.measured_rest = fmt::format("... {} more, down to {} {}: --explain", rows.size() - answer_.measured.size(),
                                          figure_text(std::ranges::min(rows, {}, &analysis::Recommendation::median).median),
                                          known_.measured.unit);
  }

  // Of the valid stacks, those that nobody measured, and a newer release of what was.
  void add_unmeasured() {
    if (!known_.chosen->valid.unknown.empty()) {
      answer_.cautions.push_back(fmt::format("The catalogs do not know {}: --format can write no recipe of it.",
                                             fmt::join(known_.chosen->valid.unknown, ", ")));
    } else if (known_.space) {
      const auto measured = known_.measured.recommendations.size() + known_.measured.failed.size();
      if (known_.space->count() > measured)
        answer_.cautions.push_back(fmt::format("{} of {} valid stacks are not measured.",
                                               workspace::grouped(known_.space->count() - measured),
                                               workspace::grouped(known_.space->count())));
    }
    if (!wish_) return;
    const auto own = known_.chosen->valid.stack.components.find(wish_->root);
    if (own == known_.chosen->valid.stack.components.end()) return;
    if (const auto& newest = known_.candidate; newest && newer(newest->version, own->second))
      answer_.cautions.push_back(fmt::format("{} is newer, valid here, and not measured.", newest->text()));
  }

  // ---- Python packages
  void from_packages() {
    auto candidate = known_.candidate;
    if (!candidate) return no_candidate();
    answer_.why = fmt::format("the newest stack valid on {}{}; no result shows {} to be faster.", hw_words(), restriction(),
                              restriction().empty() ? "an older one" : "another");
    if (options_.type != RecommendationType::latest) displace(*candidate);
    take(*candidate);
    add_misspelt(candidate->checked);
    expect_of(*candidate);
    if (answer_.grade < Grade::published) add_odds();
    if (const auto plain = plain_install_brings(knowledge_, *wish_, *candidate); !plain.empty()) answer_.cautions.push_back(plain);
    if (!candidate->unsure.empty() && answer_.limits.empty())
      answer_.remarks.push_back(fmt::format("{} {} may exist, unseen.", wish_->root, candidate->unsure.front()));
    answer_.by_driver = by_driver(knowledge_, *wish_, *candidate, 3);
    if (answer_.by_driver.size() < 2) answer_.by_driver.clear();
    add_limits(*candidate);
    add_what_is_lost(*candidate);
  }

  // "torhc is not known and not judged; did you mean torch": the install line has it as it was written.
  void add_misspelt(const Checked& checked) {
    for (const auto& note : checked.notes)
      if (note.contains("did you mean")) answer_.cautions.push_back(note + "?");
  }

  // One source has another version of it faster at the same shapes, that what is asked for allows.
  void displace(Candidate& candidate) {
    const auto rivals = rivals_of(known_.published, wish_->root, candidate.version, candidate.cuda);
    if (!rivals.own) {
      displace_by_like_hardware(candidate);
    } else if (const auto* rival = first_valid(candidate, rivals)) {
      displaced_by_ = rival->row, displaced_in_ = rival->group;
    }
  }

  // Nobody published it here: on other models of the architecture. What was reached there is not to be expected here.
  void displace_by_like_hardware(Candidate& candidate) {
    if (!known_.accelerator || !known_.accelerators) return;
    const auto alike = on_like_hardware(known_.family, *known_.accelerator, *known_.accelerators);
    const auto ranking = analysis::rank_published(alike, kind_of_work(known_.selection.asked), *known_.accelerators,
                                                  known_.published.delta);
    const auto rivals = rivals_of(ranking, wish_->root, candidate.version, candidate.cuda);
    if (const auto* rival = first_valid(candidate, rivals))
      answer_.why = fmt::format("on {}, of the same architecture, {}", rival->group->hardware, answer_.why);
  }

  // The rival that becomes the candidate; null: none of the first is valid here.
  const Rival* first_valid(Candidate& candidate, const Rivals& rivals) {
    constexpr std::size_t most_tried = 3;
    for (std::size_t i = 0; i < std::min(most_tried, rivals.faster.size()); ++i) {
      const auto& rival = rivals.faster[i];
      const auto& components = rival.row->stack.components;
      auto other = *wish_;
      other.exactly = specs::public_version(components.at(wish_->root));
      if (const auto cuda = components.find("cuda"); cuda != components.end() && other.cuda.empty())
        other.cuda = specs::minor_release(cuda->second);
      auto faster = newest_candidate(knowledge_, other);
      if (!faster) continue;
      answer_.why = why_displaced(candidate, *faster, rival);
      candidate = std::move(*faster);
      return &rival;
    }
    return nullptr;
  }

  static std::string why_displaced(const Candidate& newest, const Candidate& faster, const Rival& rival) {
    const auto& source = rival.row->sources.front();
    const auto where = source.title.empty() ? source.url : source.title;
    const auto& over = rival.over;
    if (over.interval)
      return fmt::format("it was x{:.2f} [{:.2f}, {:.2f}] as fast as the newest, {}, over {} ({}).", over.ratio,
                         over.interval->low, over.interval->high, newest.name(), counted(over.shapes, "shape"), where);
    return fmt::format("{} was slower than {} there, x{:.2f}, single numbers ({}).", newest.text(), faster.text(),
                       1 / over.ratio, where);
  }

  void take(const Candidate& candidate) {
    answer_.found = true;
    answer_.candidate = candidate;
    answer_.pinned = candidate.pinned;
    answer_.run = candidate.text();
    answer_.install = install_line(candidate.pinned);
    say_run(candidate, true);
  }

  // Where a table has CUDA and cuDNN, they are not said twice.
  void say_run(const Candidate& candidate, bool with_libraries) {
    answer_.line = fmt::format("Run {} on {}{}.", with_libraries ? candidate.text() : candidate.name(),
                               pythons_text(candidate.pinned), driver_words(candidate));
  }

  // ", driver >=525.60.13 (580 is the last branch for V100)"
  std::string driver_words(const Candidate& candidate) const {
    const auto& gpu = wish_->question.gpu;
    if (!gpu || gpu->vendor != "nvidia") return "";
    if (!wish_->question.driver.empty()) return ", driver " + wish_->question.driver;
    if (candidate.least_driver.empty()) return "";
    auto text = ", driver >=" + candidate.least_driver;
    if (const auto last = knowledge_.drivers().last_branch(gpu->compute_capability))
      text += fmt::format(" ({} is the last branch for {})", *last, hw_words());
    return text;
  }

  void expect_of(const Candidate& candidate) {
    const auto rivals = rivals_of(known_.published, wish_->root, candidate.version, candidate.cuda);
    const auto* own = displaced_by_ ? displaced_by_ : rivals.own;
    const auto* group = displaced_by_ ? displaced_in_ : rivals.group;
    if (own) {
      const auto row = evidence_row(*group, *own);
      answer_.grade = Grade::published;
      answer_.expected.push_back({row.kind, row.value, row.unit, std::nullopt});
      answer_.expect = fmt::format("Expect {}: PUBLISHED, a number of others ({}).", answer_.expected.front().text(),
                                   row.title.empty() ? row.url : row.title);
    } else if (!known_.predicted.rows.empty()) {
      answer_.grade = Grade::predicted;
      expect_predicted();
    } else {
      answer_.grade = Grade::newest;
      answer_.expect = fmt::format("Speed: UNKNOWN (NEWEST): no {} result for it on {}, and no prediction.",
                                   known_.selection.asked.pi, hw_words());
    }
  }

  void expect_predicted() {
    for (const auto& row : known_.predicted.rows) {
      const auto dtype = row.workload.params.find("dtype");
      const auto of = dtype == row.workload.params.end() ? "" : dtype->second;
      const double scale = row.prediction.rate >= 1000 ? 1000 : 1;
      if (std::ranges::find(answer_.expected, of, &Expected::of) != answer_.expected.end()) continue;
      answer_.expected.push_back({of, row.prediction.rate / scale,
                                  scale > 1 ? "TFLOP/s" : "GFLOP/s",
                                  Interval{row.prediction.low / scale, row.prediction.high / scale}});
      if (const auto above = analysis::peak_remark(row.share.value_or(0), row.workload); !above.empty())
        answer_.cautions.push_back(fmt::format("{} {} is above the stated peak: {}.", figure_text(row.prediction.rate / scale),
                                               scale > 1 ? "TFLOP/s" : "GFLOP/s", above));
    }
    std::vector<std::string> texts;
    for (const auto& one : answer_.expected) texts.push_back(one.text());
    answer_.expect = fmt::format("Expect {}: PREDICTED.", fmt::join(texts, ", "));
  }

  void no_candidate() {
    Question question = wish_->question;
    const bool asked = std::ranges::any_of(question.asked, [&](const auto& placed) {
      return knowledge_.real_name(placed.dependency.name) == wish_->root;
    });
    if (!asked) question.asked.push_back({*specs::parse_dependency(wish_->root), "advice"});
    const auto checked = check(knowledge_, question);
    add_misspelt(checked);
    if (question.gpu && question.gpu->vendor != "nvidia" && question.gpu->vendor != "amd")
      return nothing(fmt::format("stackx knows builds of {} for NVIDIA's and AMD's GPUs only", wish_->root));
    nothing(checked.answer == Answer::yes ? fmt::format("no release of {} is known to run there{}", wish_->root, kept())
                                           : checked.text + (says_what_is_kept(checked.text) ? "" : kept()));
    add_nearest(checked);
  }

  bool says_what_is_kept(const std::string& text) const {
    const auto& have = options_.have;
    return std::ranges::any_of(std::initializer_list<std::string>{have.driver, have.cuda, have.python, have.glibc},
                               [&](const auto& one) { return !one.empty() && text.contains(one); });
  }

  std::string kept() const {
    const auto& have = options_.have;
    return have.any() ? " with " + have.text() : "";
  }

  void add_nearest(const Checked& checked) {
    for (const auto& one : checked.nearest) {
      std::vector<std::string> changes;
      for (const auto& change : one.changes)
        changes.push_back(change.from.empty() ? fmt::format("{} {}", change.name, change.to)
                                              : fmt::format("{} {} instead of {}", change.name, change.to, change.from));
      answer_.cautions.push_back(fmt::format("The nearest that runs: {}.", fmt::join(changes, ", ")));
    }
  }

  // How often "the newest" was right where others measured several versions; on this kind of GPU, if enough did.
  void add_odds() {
    constexpr std::size_t few = 20;
    if (answer_.why.ends_with(".")) answer_.why.pop_back();
    const auto architecture = known_.accelerator ? known_.accelerator->architecture : "";
    auto odds = analysis::odds_of_newest(known_.upgrades, wish_->root, architecture);
    const bool here = odds.n >= few && !architecture.empty();
    if (!here) odds = analysis::odds_of_newest(known_.upgrades, wish_->root, "");
    if (odds.n >= few)
      answer_.why += fmt::format("; elsewhere{} the newest {} was within 3% of the best in {:.0f}% of {} workloads",
                                 here ? " on " + architecture : "", wish_->root, 100 * odds.within, workspace::grouped(odds.n));
    answer_.why += ".";
  }

  // "elsewhere a newer torch was x1.02 at the median, slower by more than 3% in 3% of 10,708 cases"
  std::string steps_words() const {
    const specs::Upgrade* most = nullptr;
    for (const auto& one : known_.upgrades)
      if (one.component == wish_->root && (!most || one.steps.n > most->steps.n)) most = &one;
    if (!most) return "whether that is faster is not known";
    return fmt::format("whether that is faster here is not known; elsewhere a newer {} was x{:.2f} at the median, slower by more than "
                       "3% in {:.0f}% of {} cases ({})",
                       wish_->root, most->steps.median, 100 * most->steps.slower, workspace::grouped(most->steps.n), most->architecture);
  }

  // ---- what the user runs
  void from_lock() {
    auto checked = check(knowledge_, wish_->question);
    const bool runs = checked.answer == Answer::yes;
    const auto own = as_it_is(knowledge_, wish_->question, wish_->root, checked);
    const auto file = options_.lock.filename().string();
    const auto what = own.version.empty() ? "" : fmt::format(": {}{}", own.text(), driver_words(own));
    answer_.found = runs;
    answer_.line = runs ? fmt::format("Yes: {} runs on {}{}, on {}.", file, hw_words(), what, pythons_text(own.pinned))
                 : checked.answer == Answer::no
                     ? fmt::format("No: {} does not run on {}: {}.", file, hw_words(), checked.text)
                     : fmt::format("Unknown: whether {} runs on {}: {}.", file, hw_words(), checked.text);
    answer_.run = own.text();
    answer_.candidate = own;
    answer_.pinned = own.pinned;
    if (runs) expect_of(own);
    if (runs && answer_.grade == Grade::newest) answer_.expect = "Speed: UNKNOWN. Nobody measured or published it.";
    add_nearest(checked);
    if (runs) answer_.why = stay_or_change();
    add_misspelt(checked);
    auto free = *wish_;
    free.question.asked.clear();
    if (const auto newest = newest_candidate(knowledge_, free); newest && newer(newest->version, own.version)) {
      answer_.cautions.push_back(fmt::format("The newest valid on {} is {}{}{}. To take it: {}", hw_words(), newest->text(),
                                             newest->least_driver.empty() ? "" : fmt::format(", driver >={}", newest->least_driver),
                                             runs ? "; no result shows it to be faster" : "", install_line(newest->pinned)));
    }
  }

  // What evidence says of a stack like the user's: "changing cuda 9.0.103 -> 10.1.243 brought x1.777 [...] over 160 shapes".
  std::string stay_or_change() const {
    if (known_.own_advice)
      for (const auto& line : known_.own_advice->lines)
        if (const auto at = line.find("Changing "); at != line.npos) {
          auto text = line.substr(at);
          if (const auto times = text.find("×"); times != text.npos) text.replace(times, std::string("×").size(), "x");
          return continued(text);
        }
    return "it is valid there, and no result shows another to be faster: stay, until one does.";
  }

  // ---- stacks of the catalogs, without evidence
  void from_catalogs() {
    answer_.found = true;
    answer_.chosen = known_.chosen;
    const auto& stack = known_.chosen->valid.stack;
    pin_catalog_stack(stack);
    answer_.run = packages_text(stack);
    answer_.line = fmt::format("Run {} on {}.", answer_.run, hw_words());
    answer_.why = fmt::format("the newest stack valid on {} with what {} is usually run with; no result shows another to be faster.",
                              hw_words(), known_.selection.asked.pi);
    answer_.expect = fmt::format("Speed: UNKNOWN (NEWEST): no {} result on {}.", known_.selection.asked.pi, hw_words());
  }

  // What is installed of a stack; settings and the hardware say themselves.
  std::string packages_text(const specs::Stack& stack) const {
    std::vector<std::string> words;
    for (const auto& [name, version] : stack.components) {
      const auto* component = known_.space ? known_.space->catalog().find(name) : nullptr;
      if (component && component->kind == specs::Kind::package) words.push_back(name + " " + version);
    }
    return words.empty() ? analysis::components_text(stack.components) : fmt::format("{}", fmt::join(words, ", "));
  }

  void pin_catalog_stack(const specs::Stack& stack) {
    Pinned pinned;
    for (const auto& [name, package] : stack_packages(stack, known_.space->catalog(), {}))
      pinned.packages.push_back({name, package.version, package.extras, true, ""});
    if (const auto python = stack.components.find("python"); python != stack.components.end())
      pinned.python = specs::minor_release(python->second);
    if (pinned.packages.empty()) return;
    answer_.install = install_line(pinned);
    answer_.pinned = std::move(pinned);
  }

  // ---- nothing
  void nothing(const std::string& why) {
    answer_.line = fmt::format("No stack to run {} on {}: {}.", workload_, hw_words(), why);
    if (!answer_.line.empty() && answer_.line.ends_with("..")) answer_.line.pop_back();
  }

  // ---- the tables
  void add_limits(const Candidate& candidate) {
    if (!known_.space || !wish_->question.gpu || wish_->question.gpu->vendor != "nvidia" || options_.have.any()) return;
    std::vector<Limit> limits;
    for (const auto& row : known_.space->newest()) {
      const bool root = row.component == wish_->root;
      if (row.component != "driver" && row.component != "cuda" && row.component != "cudnn" && !root) continue;
      const auto here = row.component == "driver" ? ">=" + candidate.least_driver
                        : row.component == "cuda" ? candidate.cuda
                        : root                    ? candidate.version
                                                  : candidate.cudnn;
      auto last = row.version;
      if (row.component == "driver")  // a range that names 495 makes no such driver for the GPU
        if (const auto branch = knowledge_.drivers().last_branch(wish_->question.gpu->compute_capability); branch && newer(last, *branch + ".999"))
          last = *branch;
      const bool unsure = root && std::ranges::find(candidate.unsure, row.version) != candidate.unsure.end();
      // What the user asks for is out for no fault of the hardware's.
      if (row.newer > 0 && is_of_gpu(row.why)) 
        limits.push_back({row.component, here, unsure ? candidate.version : last, row.first_out, short_reason(row.why)});
    }
    answer_.limits = std::move(limits);
    if (!answer_.limits.empty()) say_run(candidate, false);
    if (known_.space->catalog().find("cublas") && known_.selection.asked.pi == "matmul") {
      const auto cuda = known_.space->possible("cuda"), cublas = known_.space->possible("cublas");
      if (!cuda.empty() && !cublas.empty())
        answer_.besides = fmt::format("Without a framework: cuda {}, cublas {}.", cuda.back(), cublas.back());
    }
  }

  // The GPU is too old for it. A range below the GPU's comes from elsewhere: a project that takes old versions alone.
  bool is_of_gpu(const std::string& why) const {
    const auto needed = capability_in(why);
    return needed && newer(*needed, wish_->question.gpu->compute_capability);
  }

  static std::optional<std::string> capability_in(const std::string& why) {
    static const std::regex capability(R"(gpu\.compute_capability >=([\d.]+))");
    std::smatch found;
    return std::regex_search(why, found, capability) ? std::optional(found[1].str()) : std::nullopt;
  }

  // "driver 590.44.01 needs gpu.compute_capability >=7.5,<13; v100-sxm2-16gb has 7.0" -> "needs compute capability 7.5; V100
  // has 7.0": of a chain of requirements the last decides.
  std::string short_reason(const std::string& why) const {
    if (const auto needed = capability_in(why))
      return fmt::format("needs compute capability {}; {} has {}", *needed, hw_words(), wish_->question.gpu->compute_capability);
    const auto last = why.rfind("; ");
    return last == why.npos ? why : why.substr(last + 2);
  }

  // What a newer driver or CUDA than the user has would bring.
  void add_what_is_lost(const Candidate& candidate) {
    const auto& have = options_.have;
    if (!have.any()) return;
    auto free = *wish_;
    free.cuda.clear();
    if (!have.driver.empty()) free.question.driver.clear();
    if (!have.python.empty()) free.question.python.clear();
    if (!have.glibc.empty()) free.question.glibc.clear();
    const auto newest = newest_candidate(knowledge_, free);
    if (!newest || !newer(newest->version, candidate.version)) {
      answer_.cautions.push_back(fmt::format("Staying with {} loses nothing: {} is the newest release on {} anyway.", have.text(),
                                             candidate.name(), hw_words()));
      return;
    }
    answer_.cautions.push_back(fmt::format("Staying with {} keeps you from {}{}; {}.", have.text(), newest->text(), needs_of(*newest),
                                           steps_words()));
    if (!have.driver.empty()) add_driver_limit(*newest);
  }

  // ", which needs Python 3.11 to 3.15 and driver >=580": what of it the user does not have.
  std::string needs_of(const Candidate& newest) const {
    const auto& have = options_.have;
    std::vector<std::string> needs;
    if (!have.python.empty() && std::ranges::find(newest.pinned.pythons, have.python) == newest.pinned.pythons.end())
      needs.push_back(pythons_text(newest.pinned));
    if (!have.glibc.empty() && !newest.pinned.glibc.empty() && newer(newest.pinned.glibc, have.glibc))
      needs.push_back("glibc " + newest.pinned.glibc);
    const bool same_driver = answer_.candidate && answer_.candidate->least_driver == newest.least_driver;
    if (!newest.least_driver.empty() && !same_driver) needs.push_back("driver >=" + newest.least_driver);
    return needs.empty() ? "" : fmt::format(", which needs {}", fmt::join(needs, " and "));
  }

  // "Driver 535.183.01: CUDA up to 12.9.2, torch up to 2.14.1+cu126; CUDA 13.2.2 needs driver >=580."
  void add_driver_limit(const Candidate& newest) {
    const auto cuda = known_.space ? known_.space->possible("cuda") : std::vector<std::string>{};
    if (cuda.empty() || newest.least_driver.empty() || newest.cuda.empty()) return;
    answer_.besides = fmt::format("Driver {}: CUDA up to {}, {} up to {}; CUDA {} needs driver >={}.", options_.have.driver, cuda.back(),
                                  wish_->root, answer_.candidate->version, newest.cuda, newest.least_driver);
  }

  void add_evidence() {
    answer_.evidence = evidence_rows(known_.published, most_evidence);
    if (!answer_.evidence.empty())
      add_other_framework();
    if (!answer_.evidence.empty())
      answer_.evidence_title = fmt::format("Published for {} on {} (others' numbers, each a single one):", known_.selection.asked.pi, hw_words());
  }

  // The best published number is often of another framework: context, said as such.
  void add_other_framework() {
    if (!answer_.candidate) return;
    const auto& best = known_.published.groups.empty() ? answer_.evidence.front() : answer_.evidence.front();
    const auto& stack = best.stack;
    for (const char* framework : {"mxnet", "tensorflow", "pytorch", "torch", "jax"}) {
      const auto name = std::string(framework) == "pytorch" ? "torch" : framework;
      if (!stack.contains(framework) || wish_->root == name) continue;
      answer_.remarks.push_back(fmt::format("Fastest published: {}, {} {} ({}): another framework, so no reason to leave {}.", stack,
                                            figure_text(best.value), best.unit, best.year, wish_->root));
      return;
    }
  }

  void add_remarks() {
    if (known_.accelerator && known_.selection.hardware.models.size() > 1)
      answer_.remarks.insert(answer_.remarks.begin(),
                             fmt::format("Taken for {}; {}: stackx hw show {}.", known_.accelerator->title,
                                         counted(known_.selection.hardware.models.size() - 1, "more model"), hw_));
    for (const auto& note : known_.prepared.notes) answer_.remarks.push_back(note);
    answer_.as_of = knowledge_.as_of();
    if (answer_.as_of.empty() && known_.space) answer_.as_of = known_.space->catalog().as_of;
    if (!answer_.found) return;
    if (answer_.grade != Grade::measured && !request_.open.to_settle.empty())
      answer_.next = {fmt::format("To know, on {}: {}", hw_words(), request_.open.to_settle),
                      fmt::format("  stackx advise{} --settle s.json && stackx inspect s.json", request_.command)};
    if (answer_.measured.size() > 1)
      answer_.next = {"To confirm it with fresh rounds:",
                      fmt::format("  stackx advise{} --json > advice.json && stackx verify advice.json", request_.command)};
    answer_.options = {"--explain"};
    if (!answer_.pinned && answer_.chosen && known_.space && answer_.chosen->valid.unknown.empty())
      answer_.options.insert(answer_.options.begin(), "--format containerfile");
    if (answer_.pinned) answer_.options.insert(answer_.options.begin(), "--format requirements");
    if (options_.project.empty() && options_.lock.empty()) answer_.options.insert(answer_.options.begin(), "--project FILE");
    if (wish_ && wish_->question.gpu && wish_->question.gpu->vendor == "nvidia" && !options_.have.any())
      answer_.options.insert(answer_.options.begin(), "--have driver=V");
  }

  std::string hw_words() const {
    if (!known_.accelerator) return hw_;
    const auto words = gpu_in_words(asked_gpu(*known_.accelerator, hw_));
    return words.substr(0, words.find(" ("));
  }

  // " with cuda 11.8 that r.txt allows"
  std::string restriction() const {
    return kept() + (options_.project.empty() ? "" : fmt::format(" that {} allows", options_.project.filename().string()));
  }

  const HardwareAdvice& known_;
  const Knowledge& knowledge_;
  const AdviceRequest& request_;
  const AdviceOptions& options_;
  const std::string hw_, workload_;
  const std::optional<Wish>& wish_;
  const analysis::PublishedRow* displaced_by_ = nullptr;
  const analysis::PublishedGroup* displaced_in_ = nullptr;
  Advice answer_;
};

}  // namespace

std::string Expected::text() const {
  const auto range = interval ? fmt::format(" [{}, {}]", figure_text(interval->low), figure_text(interval->high)) : "";
  return fmt::format("{} {}{}{}", figure_text(value), unit, of.empty() ? "" : " " + of, range);
}

Advice make_advice(const HardwareAdvice& known, const Knowledge& knowledge, const AdviceRequest& request) {
  return Making(known, knowledge, request).run();
}

}  // namespace stackx::advisor
