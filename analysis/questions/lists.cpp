// hardware and sources: what there is.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "analysis/questions/parts.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

struct Sums {
  std::uint64_t inspections = 0, failed = 0, series = 0, published = 0;
  std::unordered_set<std::int64_t> stacks, workloads, devices;
  std::int64_t first = 0, last = 0;
};

std::string day(std::int64_t ms) { return store::utc_text(ms).substr(0, 10); }

}  // namespace

Answer hardware(const store::Questions& store, const QuestionOptions& options) {
  std::unordered_map<std::int64_t, Sums> sums;
  for (const store::SeriesSums& s : store.series(options.filter)) {
    if (s.ok + s.failed == 0) continue;
    Sums& one = sums[store.device(s.device).hardware];
    one.inspections += s.ok + s.failed;
    one.failed += s.failed;
    ++one.series;
    one.stacks.insert(s.stack);
    one.workloads.insert(s.workload);
    one.devices.insert(s.device);
    one.first = one.first == 0 ? s.first : std::min(one.first, s.first);
    one.last = std::max(one.last, s.last);
  }
  for (const store::PublishedPlace& place : store.published_places(options.filter)) ++sums[place.hardware].published;
  Answer answer;
  answer.question = "hardware";
  answer.heading = sums.empty() ? "No results are of such hardware."
                                : fmt::format("Hardware that there are results of: {}.", counted(sums.size(), "model"));
  answer.caption =
      "n: inspections measured; published: results of others. Names of published hardware are kept as "
      "their sources write them.";
  answer.columns = {{"model", "model"},
                    {"microarchitecture", "microarchitecture"},
                    {"devices", "devices", true},
                    {"inspections", "n", true},
                    {"failures", "fail", true},
                    {"stacks", "stacks", true},
                    {"workloads", "workloads", true},
                    {"first", "first"},
                    {"last", "last"},
                    {"published", "published", true}};
  std::vector<std::pair<const store::HardwareRow*, const Sums*>> order;
  for (const auto& [row, one] : sums) order.emplace_back(&store.hardware(row), &one);
  std::ranges::sort(order, {}, [](const auto& entry) {
    return std::tuple(~entry.second->inspections, ~entry.second->published, entry.first->model,
                      entry.first->microarchitecture);
  });
  answer.total = order.size();
  order.resize(shown_of(order.size(), options.limit));
  for (const auto& [model, one] : order)
    answer.rows.push_back({field(model->model), field(model->microarchitecture),
                           field(one->devices.size()), field(one->inspections), field(one->failed),
                           field(one->stacks.size()), field(one->workloads.size()),
                           one->first ? field(day(one->first)) : AnswerField{},
                           one->last ? field(day(one->last)) : AnswerField{},
                           field(one->published)});
  return answer;
}

Answer sources(const store::Questions& store, const QuestionOptions& options) {
  const auto rows = store.sources(options.filter);
  std::uint64_t results = 0;
  for (const store::SourceRow& row : rows) results += row.results;
  Answer answer;
  answer.question = "sources";
  answer.heading =
      rows.empty() ? "No published result is of this."
                   : fmt::format("Where published results come from: {} with {}.", counted(rows.size(), "source"),
                                 counted(results, "result"));
  answer.columns = {{"results", "results", true},
                    {"date", "date"},
                    {"tool", "format"},
                    {"title", "title"},
                    {"revision", "revision", false, AnswerColumn::For::programs},
                    {"read", "read"},
                    {"license", "license"},
                    {"with_stackx", "", false, AnswerColumn::For::programs},
                    {"url", "URL"}};
  answer.total = rows.size();
  const std::size_t shown = shown_of(rows.size(), options.limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const specs::Source& s = rows[i].source;
    answer.rows.push_back({field(rows[i].results), field(s.date), field(s.tool), field(s.title),
                           field(s.revision), field(s.read), field(s.license),
                           AnswerField{"", rows[i].seed}, field(s.url)});
  }
  return answer;
}

}  // namespace stackx::analysis
