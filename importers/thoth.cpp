#include "importers/thoth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "importers/collector.hpp"
#include "importers/literal.hpp"
#include "importers/thoth_run.hpp"
#include "importers/words.hpp"
#include "specs/error.hpp"
#include "specs/thoth/amun.hpp"

namespace stackx::importers {
namespace {

using specs::Node;

constexpr std::string_view thoth_tool = "thoth";

// What ran, as far as the result itself says.
void state_run(specs::Published& published, const ThothRun& run) {
  published.workload = run.workload;
  state_hardware(published, run.cpu);
  state_version(published, "python", run.python);
  state_version(published, "os", run.os);
  state_version(published, "cuda", run.cuda);
  if (!run.framework.empty() && is_stated(run.framework_version))
    state_version(published, run.framework, run.framework_version);
}

void state_specification(specs::Published& published, const specs::AmunSpecification& asked,
                         Collector& collector, const std::string& place) {
  state_version(published, "image", asked.base);
  if (!asked.python.empty()) state_version(published, "python", asked.python);
  try {
    if (const auto lock = asked.lock(asked.python.empty() ? "3.6" : asked.python)) {
      for (const auto& [package, version] : lock->components)
        state_version(published, package, version);
      std::string sources;
      for (const auto& source : lock->sources) sources += (sources.empty() ? "" : ", ") + source;
      detail(published, "package_indexes", sources);
    } else {
      collector.remark(place, "has no lock: of the stack only base image and Python are known");
    }
  } catch (const Error& error) {
    collector.remark(place, fmt::format("its lock cannot be read: {}", error.what()));
  }
  detail(published, "identifier", asked.identifier);
  detail(published, "script", asked.script_is_url() ? asked.script : "");
  detail(published, "batch_size", std::to_string(asked.batch_size));
  const auto quantity = [&](const char* key, const std::optional<double>& value) {
    if (value) detail(published, key, fmt::format("{}", *value));
  };
  quantity("build_cpus", asked.build.cpus);
  quantity("build_memory_bytes", asked.build.memory_bytes);
  quantity("run_cpus", asked.run.cpus);
  quantity("run_memory_bytes", asked.run.memory_bytes);
}

// The runs of one inspection on one model of CPU.
struct RunGroup {
  std::vector<double> elapsed_ms;
  std::vector<ThothRun> runs;
};

void add_group(const RunGroup& group, specs::Published published, Collector& collector,
               const std::string& place) {
  published.metric = "elapsed_ms";
  summarise(published, group.elapsed_ms, "median");
  std::set<std::string> hosts, dates;
  for (const auto& run : group.runs) {
    if (!run.host.empty()) hosts.insert(run.host);
    if (!run.date.empty()) dates.insert(run.date);
  }
  if (!dates.empty()) detail(published, "date", *dates.begin());
  if (hosts.size() == 1) detail(published, "host", *hosts.begin());
  if (hosts.size() > 1) detail(published, "hosts", std::to_string(hosts.size()));
  const bool alone = group.runs.size() == 1;
  for (const auto& [key, text] : group.runs.front().details) {
    const bool same = std::ranges::all_of(group.runs, [&](const ThothRun& run) {
      const auto found = run.details.find(key);
      return found != run.details.end() && found->second == text;
    });
    if (alone || same) {
      detail(published, key, text);
      continue;
    }
    std::string all;  // one for each value, in their order
    for (const auto& run : group.runs) {
      const auto found = run.details.find(key);
      all += (all.empty() ? "" : ", ") + (found == run.details.end() ? "-" : found->second);
    }
    detail(published, key, all);
  }
  collector.add(std::move(published), place);
}

struct Files {
  std::string specification;
  std::vector<std::string> results;
};

// By what stands before build/specification and results/N/result.
std::map<std::string, Files> inspections_in(const Tree& tree) {
  std::map<std::string, Files> found;
  for (const auto& file : tree.files()) {
    const auto parts = path_parts(file);
    const std::size_t n = parts.size();
    const auto prefix = [&](std::size_t count) {
      std::string text;
      for (std::size_t i = 0; i < n - count; ++i) text += parts[i] + "/";
      return text;
    };
    if (n >= 2 && parts[n - 2] == "build" && parts[n - 1] == "specification")
      found[prefix(2)].specification = file;
    if (n >= 3 && parts[n - 3] == "results" && parts[n - 1] == "result")
      found[prefix(3)].results.push_back(file);
  }
  std::erase_if(found, [](const auto& item) { return item.second.results.empty(); });
  return found;
}

class TreeReader {
 public:
  TreeReader(const Tree& tree, const Origin& origin)
      : tree_(tree), collector_(tree.name(), thoth_tool, origin) {}

  Imported read() {
    for (const auto& [prefix, files] : inspections_in(tree_)) read_inspection(prefix, files);
    return collector_.finish("results/N/result with a PI's output");
  }

 private:
  std::optional<Node> document(const std::string& file) {
    if (!tree_.has(file)) return std::nullopt;
    try {
      return parse_json(tree_.read(file), tree_.place(file));
    } catch (const Error& error) {
      collector_.remark(file, error.what());
      return std::nullopt;
    }
  }

  std::optional<specs::AmunSpecification> specification(const std::string& file) {
    const auto node = file.empty() ? std::nullopt : document(file);
    if (!node) return std::nullopt;
    try {
      return specs::parse_amun(*node);
    } catch (const Error& error) {
      collector_.remark(file, fmt::format("the stack is not known: {}", error.what()));
      return std::nullopt;
    }
  }

  void read_inspection(const std::string& prefix, const Files& files) {
    const auto asked = specification(files.specification);
    if (files.specification.empty())
      collector_.remark(prefix + "build/specification", "not there: the stack is not stated");
    std::map<std::pair<std::string, std::string>, RunGroup> groups;
    for (const auto& file : files.results) {
      const auto result = document(file);
      if (!result) continue;
      const auto hwinfo = document(file.substr(0, file.size() - 6) + "hwinfo");
      auto run = read_run(*result, hwinfo, asked ? asked->script : "", file);
      if (!run) continue;
      auto& group = groups[{run->cpu, run->workload.text()}];
      group.elapsed_ms.push_back(run->elapsed_ms);
      group.runs.push_back(std::move(*run));
    }
    for (const auto& [key, group] : groups) {
      auto published = collector_.draft();
      state_run(published, group.runs.front());
      if (asked) state_specification(published, *asked, collector_, files.specification);
      add_group(group, std::move(published), collector_, prefix);
    }
  }

  std::optional<ThothRun> read_run(const Node& result, const std::optional<Node>& hwinfo,
                                   const std::string& script, const std::string& file) {
    try {
      auto run = read_thoth_run(result, hwinfo, script);
      if (run.failure.empty()) return run;
      collector_.remark(file, "no result: " + run.failure);
    } catch (const Error& error) {
      collector_.remark(file, error.what());
    }
    return std::nullopt;
  }

  const Tree& tree_;
  Collector collector_;
};

}  // namespace

bool matches_thoth(const Node& document) {
  const auto& json = document.json();
  return json.is_object() && json.contains("stdout") &&
         (json.contains("exit_code") || json.contains("hwinfo"));
}

Imported read_thoth(const Node& document, const Origin& origin) {
  Collector collector(document.file(), thoth_tool, origin);
  const auto run = read_thoth_run(document, std::nullopt, "");
  if (!run.failure.empty()) {
    collector.remark("", "no result: " + run.failure);
  } else {
    auto published = collector.draft();
    state_run(published, run);
    add_group({{run.elapsed_ms}, {run}}, std::move(published), collector, "");
  }
  return collector.finish("stdout with a PI's @result");
}

bool matches_thoth_tree(const Tree& tree) { return !inspections_in(tree).empty(); }

Imported read_thoth_tree(const Tree& tree, const Origin& origin) {
  return TreeReader(tree, origin).read();
}

}  // namespace stackx::importers
