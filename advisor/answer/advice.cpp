#include "advisor/answer/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

#include "advisor/answer/catalog_answer.hpp"
#include "advisor/answer/lock_answer.hpp"
#include "advisor/answer/measured_answer.hpp"
#include "advisor/answer/package_answer.hpp"
#include "advisor/facts/frameworks.hpp"
#include "advisor/recipes/quoting.hpp"
#include "analysis/text/words.hpp"
#include "specs/hardware/how_many.hpp"
#include "workspace/asked/project.hpp"

namespace stackx::advisor {
namespace {

constexpr std::size_t most_evidence = 8;

// The best published number is often of another framework: context, said as such.
void add_other_framework(const Grounds& from, Advice& answer) {
  if (!answer.candidate) return;
  const auto& root = from.known.wish->root;
  const auto& best = answer.evidence.front();
  for (const std::string framework : {"mxnet", "tensorflow", "pytorch", "torch", "jax"}) {
    if (!best.stack.contains(framework) || root == (framework == "pytorch" ? "torch" : framework)) continue;
    // Times are of as many devices as they are: none is the fastest.
    answer.remarks.push_back(
        best.unit.ends_with("/s") ? fmt::format("Fastest published: {}, {} {}{} ({}): another framework, so no reason to leave {}.", best.stack,
                                                figure_text(best.value), best.unit, on_devices(best), best.year, root)
                                  : fmt::format("Published there is {}: another framework, so no reason to leave {}.", best.stack, root));
    return;
  }
}

// " (amp, 2022)"
std::string in_brackets(const std::string& kind, const std::string& year) {
  if (kind.empty() && year.empty()) return "";
  return fmt::format(" ({}{}{})", kind, kind.empty() || year.empty() ? "" : ", ", year);
}

// "Nearest evidence: train_resnet50 on A100: 3411 images/s on 8 A100 with mxnet 22.10 (amp, 2022); ...; single numbers of others."
void add_near_evidence(const Grounds& from, Advice& answer) {
  constexpr std::size_t most_near = 2;
  if (!from.known.near) return;
  std::vector<std::string> texts;
  for (const auto& row : evidence_rows(from.known.near->published, most_near))
    texts.push_back(
        fmt::format("{} {}{} with {}{}", figure_text(row.value), row.unit, on_devices(row), row.stack, in_brackets(row.kind, row.year)));
  if (!texts.empty())
    answer.remarks.push_back(fmt::format("Nearest evidence: {} on {}: {}; single numbers of others.",
                                         from.known.near->family, from.hardware(), fmt::join(texts, "; ")));
}

// "m=n=k=8192", where all rows are at one shape.
std::string shape_of_own(const analysis::PublishedRanking& published) {
  std::string text;
  for (const auto& group : published.groups) {
    if (std::ranges::none_of(group.rows, &analysis::PublishedRow::own)) continue;
    const auto shape = analysis::shape_text(group);
    if (!text.empty() && shape != text) return "";
    text = shape;
  }
  return text;
}

// Moves the best of a stack to `next`, of each kind one, each the median of as many processes as the first of them; how many.
std::size_t move_best(std::vector<EvidenceRow>& rows, std::size_t next, const std::string& stack, std::size_t most) {
  const auto begin = next;
  std::set<std::string> kinds;
  for (std::size_t i = next; i < rows.size() && next - begin < most; ++i) {
    const auto& row = rows[i];
    if (row.stack != stack || (next > begin && row.processes != rows[begin].processes) || !kinds.insert(row.kind).second) continue;
    std::rotate(rows.begin() + static_cast<std::ptrdiff_t>(next), rows.begin() + static_cast<std::ptrdiff_t>(i),
                rows.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    ++next;
  }
  return next - begin;
}

// First the first row's stack, then the one of the framework that is recommended. Where this store has measured on such
// hardware, none of them is shown.
void add_own_evidence(const Grounds& from, Advice& answer) {
  constexpr std::size_t most_of_first = 3, most_of_framework = 2;
  answer.own = own_rows(from.known.published);
  if (answer.own.empty() || !answer.measured.empty()) return;
  const auto first = answer.own.front().stack;
  answer.own_shown = move_best(answer.own, 0, first, most_of_first);
  const auto of_framework = [&](const EvidenceRow& row) {
    return answer.candidate && row.stack != first && row.stack.starts_with(answer.candidate->package + " ");
  };
  if (const auto found = std::ranges::find_if(answer.own, of_framework); found != answer.own.end())
    answer.own_shown += move_best(answer.own, answer.own_shown, std::string(found->stack), most_of_framework);
  if (answer.own.size() <= most_of_first + most_of_framework) answer.own_shown = answer.own.size();
  const auto shape = shape_of_own(from.known.published);
  answer.own_title = fmt::format("{} with stackx on one {}{}", to_string(Grade::measured_elsewhere), from.hardware(),
                                 shape.empty() ? "" : " at " + shape);
}

bool is_of_model(const analysis::PublishedGroup& group, const specs::ModelName& model) {
  const auto found = group.params.find("model");
  const auto name = found == group.params.end() ? std::nullopt : specs::model_name(found->second);
  return name && (name->kind.ends_with(model.kind) || model.kind.ends_with(name->kind)) && name->billions == model.billions;
}

bool names_language_model(const Grounds& from) {
  const auto& family = from.known.selection.asked.pi;
  return from.known.model && (family == "infer_llm" || family == "serve_llm");
}

// Of what was published of any language model, that of the one that was named; nothing where there is none of it.
std::optional<analysis::PublishedRanking> of_that_model(const Grounds& from) {
  const auto is_of_it = [&](const auto& group) { return is_of_model(group, *from.known.model); };
  if (!names_language_model(from) || std::ranges::none_of(from.known.published.groups, is_of_it)) return std::nullopt;
  auto published = from.known.published;
  std::erase_if(published.groups, std::not_fn(is_of_it));
  published.unnamed.clear();
  return published;
}

// A product's size is said where it is not the one that stands beside what to expect.
void say_sizes(Advice& answer) {
  for (auto& row : answer.evidence) {
    if (!row.sizes.empty() && answer.expect.contains(" at " + row.sizes)) row.sizes.clear();
    if (!row.sizes.empty()) row.remark = row.remark.empty() ? row.sizes : row.sizes + "; " + row.remark;
  }
}

void add_evidence(const Grounds& from, Advice& answer) {
  add_own_evidence(from, answer);
  const auto of_it = of_that_model(from);
  const bool of_others = names_language_model(from) && !of_it;
  answer.evidence = evidence_rows(of_it ? *of_it : from.known.published, most_evidence);
  if (answer.evidence.empty()) return answer.own.empty() ? add_near_evidence(from, answer) : void();
  say_sizes(answer);
  if (!of_others) add_other_framework(from, answer);
  const auto& product = from.known.selection.hardware.product;
  answer.evidence_title = fmt::format("Published for {} on {}{} (others' numbers, each a single one):", from.known.selection.asked.pi,
                                      product.empty() ? from.hardware() : product, of_others ? ", of other models" : "");
}

// Whether the model that was named fits, by its parameters alone: what else it takes depends on how it is run.
void add_size_of_model(const Grounds& from, Advice& answer) {
  const auto& model = from.known.model;
  const auto* gpu = from.known.accelerator;
  if (!model || !model->billions || gpu == nullptr || !gpu->memory_gb) return;
  const auto gb = [&](int bits) { return specs::weight_gb(*model->billions, bits); };
  const auto needed = [&](int bits) { return static_cast<std::size_t>(gb(bits) / *gpu->memory_gb) + 1; };
  const auto here = specs::how_many(*gpu, from.known.selection.hw);
  const int bits = model->bits.value_or(16);
  const auto taken = fmt::format("The parameters of such a model take {:.4g} GB at {} bits{}", gb(bits), bits,
                                 bits > 4 ? fmt::format(" and {:.4g} GB at 4", gb(4)) : "");
  if (needed(bits) == 1)
    return answer.remarks.push_back(fmt::format("{}, of {:.4g} GB{}.", taken, *gpu->memory_gb, here > 1 ? " a GPU" : ""));
  const auto who = here == 1 ? fmt::format("one {} has {:.4g} GB", gpu->title, *gpu->memory_gb)
                             : fmt::format("each of {} {} has {:.4g} GB", here, gpu->title, *gpu->memory_gb);
  std::string then;
  if (needed(bits) > here && needed(4) <= here)
    then = needed(4) == 1 ? ", or fewer bits" : fmt::format(", {} at 4", needed(4));
  else if (const auto ranks = std::bit_ceil(needed(bits)); ranks <= here && from.known.wish && from.known.wish->root == "vllm")
    then = fmt::format(" (vllm serve --tensor-parallel-size {})", ranks);
  answer.cautions.push_back(fmt::format("{}; {}: {} of them at least at {} bits{}.", taken, who, needed(bits), bits, then));
}

// A project asks for nothing that an answer is about: which release of numpy is fastest no fact says.
void add_not_ranked(const Grounds& from, Advice& answer) {
  const auto& project = from.options.project;
  if (const auto& lock = from.options.lock; !lock.empty() && !from.known.wish)
    answer.cautions.push_back(fmt::format("{} holds no framework whose releases facts compare, so this is what {} is usually run with. What an "
                                          "upgrade from it changes: `stackx blame {} NEW --pi COMMAND`",
                                          lock.filename().string(), from.known.selection.asked.pi, shell_quoted(lock.string())));
  const auto& stack = from.known.chosen ? from.known.chosen->valid.stack : from.known.latest;
  const auto is_answered = [&](const std::string& name) {
    return is_leading(name) || stack.components.contains(name) || (from.known.wish && from.known.wish->root == name);
  };
  const auto names = workspace::asked_packages(project);
  if (names.empty() || names.size() > 3 || std::ranges::any_of(names, is_answered)) return;
  answer.cautions.push_back(fmt::format("No facts say how releases of {} differ in speed, so this is what {} is usually run with. To know which {} faster: "
                                        "stackx inspect {} --workload {}",
                                        fmt::join(names, ", "), from.known.selection.asked.pi, names.size() == 1 ? "is" : "are",
                                        shell_quoted(workspace::called(project)), shell_quoted(from.known.selection.asked.text())));
}

// Of a project, what no index has; the first few, as a project may have hundreds.
std::string not_judged(const std::vector<std::string>& skipped) {
  constexpr std::size_t most_named = 5;
  auto named = skipped;
  named.resize(std::min(named.size(), most_named));
  return fmt::format("Left out, and not judged: {}{}.", fmt::join(named, ", "),
                     skipped.size() > most_named ? fmt::format(" and {} more", skipped.size() - most_named) : "");
}

void add_remarks(const Grounds& from, Advice& answer) {
  const auto& known = from.known;
  if (known.selection.hardware.vendor == "apple")
    answer.cautions.insert(answer.cautions.begin(),
                           fmt::format("On Apple's processors this is for Linux; {}{}.", not_macos, answer.pinned ? ": there leave +cpu and the index out" : ""));
  if (known.accelerator && known.selection.hardware.models.size() > 1)
    answer.remarks.insert(
        answer.remarks.begin(),
        fmt::format("Taken for {}; {}: stackx hw show {}.", known.accelerator->title,
                    analysis::counted(known.selection.hardware.models.size() - 1, "more model"), known.selection.hw));
  if (const auto& hardware = known.selection.hardware; !hardware.product.empty())
    answer.remarks.insert(answer.remarks.begin(), fmt::format("{} is taken for {}.", hardware.product, hardware.name));
  if (known.wish && !known.wish->question.skipped.empty()) answer.remarks.push_back(not_judged(known.wish->question.skipped));
  if (known.left_out > 0)
    answer.remarks.push_back(fmt::format("{} outside what was asked for {} left out.",
                                         analysis::counted(known.left_out, "published result"),
                                         known.left_out == 1 ? "is" : "are"));
  for (const auto& note : known.published.notes) answer.remarks.push_back(note + ".");
  for (const auto& note : known.prepared.notes) answer.remarks.push_back(note);
  for (const auto& line : known.selection.left_out) answer.remarks.push_back(line + ".");
  add_size_of_model(from, answer);
  answer.as_of = from.knowledge.as_of();
  if (answer.as_of.empty() && known.space) answer.as_of = known.space->catalog().as_of;
}

// What would tell more, as commands.
void add_next(const Grounds& from, const AdviceRequest& request, Advice& answer) {
  if (answer.grade != Grade::measured && !request.open.to_settle.empty())
    answer.next = {fmt::format("To know, on {}{}: {}", from.hardware(),
                               request.open.needs_program ? ", with a program of yours (docs/own-pi.md)" : "", request.open.to_settle),
                   fmt::format("  stackx advise{} --settle s.json && stackx inspect s.json{}", request.command,
                               request.open.needs_program ? " --pi PROGRAM" : "")};
  if (answer.measured.size() < 2) return;
  const auto& program = from.known.measured.program;
  auto command = fmt::format("  stackx advise{} --json > advice.json && stackx verify advice.json", request.command);
  if (program) command += " --pi " + shell_quoted(program->path);
  if (program && !program->files.empty()) command += " --files " + shell_quoted(program->files);
  answer.next = {"To confirm it with fresh rounds:", std::move(command)};
}

void add_options(const Grounds& from, Advice& answer) {
  const auto& [known, knowledge, options] = from;
  const auto& gpu = known.wish ? known.wish->question.gpu : std::nullopt;
  if (gpu && gpu->vendor == "nvidia" && !options.have.any()) answer.options.push_back("--have driver=V");
  if (options.project.empty() && options.lock.empty()) answer.options.push_back("--project FILE");
  if (answer.pinned)
    answer.options.push_back("--format requirements");
  else if (answer.chosen && known.space && answer.chosen->valid.unknown.empty())
    answer.options.push_back("--format containerfile");
  answer.options.push_back("--explain");
}

}  // namespace

std::string Expected::text() const {
  const auto range = interval ? fmt::format(" [{}, {}]", figure_text(interval->low), figure_text(interval->high)) : "";
  return fmt::format("{} {}{}{}", figure_text(value), unit, of.empty() ? "" : " " + of, range);
}

Advice make_advice(const HardwareAdvice& known, const Knowledge& knowledge, const AdviceRequest& request) {
  const Grounds from{known, knowledge, request.options};
  Advice answer;
  if (!request.options.lock.empty() && known.wish)
    answer_lock(from, answer);
  else if (known.chosen && known.chosen->evidence.starts_with("measured"))
    answer_measured(from, answer);
  else if (known.wish)
    answer_packages(from, answer);
  else if (known.chosen)
    answer_catalogs(from, answer);
  else
    answer.line = from.nothing(known.no_space.empty() ? "no stack that stackx knows runs it there" : known.no_space);
  add_evidence(from, answer);
  add_remarks(from, answer);
  if (!answer.found) return answer;
  add_not_ranked(from, answer);
  add_next(from, request, answer);
  add_options(from, answer);
  return answer;
}

}  // namespace stackx::advisor
