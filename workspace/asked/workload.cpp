#include "workspace/asked/workload.hpp"

#include <cstdio>
#include <set>

#include "specs/project/typed_workload.hpp"
#include "workspace/output.hpp"
#include "workspace/seeds.hpp"

namespace stackx::workspace {
namespace {

specs::Workload said(specs::TypedWorkload typed) {
  for (const auto& note : typed.notes) remark("--workload: {}\n", note);
  return std::move(typed.workload);
}

std::vector<specs::Workload> workloads_of_the_store(const std::string& family, const Context& context) {
  const auto questions = open_questions(context, family);
  store::QuestionFilter filter;
  filter.workload = specs::Workload{family, {}};
  filter.whose = store::all_results;  // names and parameters, whoever measured
  std::set<std::int64_t> rows;
  for (const auto& series : questions.series(filter)) rows.insert(series.workload);
  for (const auto& published : questions.published(filter)) rows.insert(published.workload);
  std::set<specs::Workload> result;
  for (const std::int64_t row : rows) {
    const auto& workload = questions.workload(row);
    result.insert({workload.pi, workload.params});
  }
  return {result.begin(), result.end()};
}

}  // namespace

specs::Workload asked_workload(const std::string& text, const Context& context) {
  const auto families = specs::WorkloadFamilies::load(context.data_directory());
  return said(specs::typed_workload(text, families, [&](const std::string& family) {
    return workloads_of_the_store(family, context);
  }));
}

specs::Workload workload_to_measure(const std::string& text, const Context& context,
                                    const std::function<bool(const std::string& name)>& is_there) {
  return said(specs::workload_to_measure(text, specs::WorkloadFamilies::load(context.data_directory()), is_there));
}

}  // namespace stackx::workspace
