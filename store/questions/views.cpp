#include "store/questions/views.hpp"

#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>
#include <sqlite3.h>

namespace stackx::store {
namespace {

const std::vector<View>& all() {
  static const std::vector<View> views{
      {"series",
       "what was measured of one stack with one workload on one device, summed over its inspections "
       "(sentinels left out)",
       {{"series", "integer", "number of the series in this store"},
        {"workload", "text", "as on the command line: matmul:dtype=float32,m=512"},
        {"hardware", "text", "GPU or CPU model"},
        {"microarchitecture", "text", "of the CPU; empty for GPUs"},
        {"device", "text", "UUID of the GPU, or the host's fingerprint"},
        {"stack", "text", "stack id, 64 hex digits"},
        {"ok", "integer", "inspections that count: they ended well and have a rate"},
        {"failed", "integer", "all others"},
        {"sentinels", "integer", "inspections under a second name, which count nowhere else"},
        {"unit", "text", "of the rates: GFLOP/s, GB/s or items/s"},
        {"median", "real", "of the inspections' median rates"},
        {"low", "real", "95 % confidence interval of the median; NULL below 6 inspections"},
        {"high", "real", "its other end"},
        {"cv", "real", "coefficient of variation between inspections; NULL below 2"},
        {"first", "text", "when the first of them finished (UTC)"},
        {"last", "text", "when the latest of them finished (UTC)"},
        {"program", "text", "SHA-256 of the PI that measured, where it is not stackx's own; else empty"}},
       "SELECT s.id, workload_text(w.pi, w.params), h.model, h.microarchitecture, d.name, "
       "lower(hex(k.hash)), s.ok, s.failed, s.sentinels, CASE s.unit WHEN 1 THEN 'GFLOP/s' WHEN 2 "
       "THEN 'GB/s' WHEN 3 THEN 'items/s' END, s.median, s.low, s.high, s.cv, time_text(s.first), "
       "time_text(s.last), w.program FROM main.series s JOIN main.workloads w ON w.id = s.workload JOIN "
       "main.devices d ON d.id = s.device JOIN main.hardware h ON h.id = d.hardware JOIN "
       "main.stacks k ON k.id = s.stack"},
      {"inspections",
       "every inspection: one fresh process, one value",
       {{"inspection", "text", "the first 16 digits of its id"},
        {"campaign", "text", "campaign id; empty for a single inspection"},
        {"round", "integer", "of the campaign; 0 without one"},
        {"position", "integer", "in the round"},
        {"arm", "text", "name of the stack in the campaign"},
        {"sentinel", "integer", "1: a stack under its second name"},
        {"series", "integer", "which series it belongs to"},
        {"outcome", "text", "as its document says: ok, crashed, timed_out, wrong_result, implausible, ..."},
        {"reason", "text", "why, where it is not ok"},
        {"host", "text", "fingerprint of the machine"},
        {"finished", "text", "when (UTC)"},
        {"samples", "blob", "packed times of its samples: median_ns(samples), samples_json(samples)"},
        {"hostname", "text", "the machine's name: identical ones have one fingerprint"}},
       "SELECT printf('%016x', i.key), p.name, CASE p.name WHEN '' THEN 0 ELSE a.block << 12 | (i.id & "
       "4095) END, i.position, CASE a.label WHEN '' THEN (SELECT substr(lower(hex(k.hash)), 1, 12) FROM "
       "main.series s JOIN main.stacks k ON k.id = s.stack WHERE s.id = a.series) ELSE substr(a.label, "
       "2) END, a.sentinel, a.series, c.outcome, c.reason, o.fingerprint, finished_text(i.rest), "
       "i.samples, o.hostname FROM main.arms a CROSS JOIN main.inspections i ON i.id BETWEEN a.id << 12 AND (a.id "
       "<< 12) | 4095 JOIN main.conditions c ON c.id = i.condition JOIN main.hosts o ON o.id = c.host "
       "JOIN main.campaigns p ON p.id = a.campaign"},
      {"stacks",
       "the stacks, with all their components",
       {{"stack", "text", "stack id, 64 hex digits"},
        {"components", "text", "JSON object: component -> version"}},
       "SELECT lower(hex(k.hash)), (SELECT json_group_object(c.name, v.version) FROM "
       "main.stack_versions x JOIN main.versions v ON v.id = x.version JOIN main.components c ON "
       "c.id = v.component WHERE x.stack = k.id) FROM main.stacks k"},
      {"stack_components",
       "one row for each component of each stack",
       {{"stack", "text", "stack id, 64 hex digits"},
        {"component", "text", "its name"},
        {"version", "text", "as the catalog writes it: version_in(version, '>=2')"}},
       "SELECT lower(hex(k.hash)), c.name, v.version FROM main.stack_versions x JOIN main.stacks k "
       "ON k.id = x.stack JOIN main.versions v ON v.id = x.version JOIN main.components c ON c.id = "
       "v.component"},
      {"steps",
       "pairs of series, of one workload and device, whose stacks differ in exactly one component at "
       "successive versions",
       {{"older", "integer", "series with the older version"},
        {"newer", "integer", "series with the newer version"},
        {"component", "text", "in which they differ"},
        {"older_version", "text", "version in the older one"},
        {"newer_version", "text", "version in the newer one"},
        {"rounds", "integer", "rounds of campaigns that both have a rate in"},
        {"slower", "integer", "rounds in which the newer is slower by more than 1 %"},
        {"faster", "integer", "rounds in which the newer is faster by more than 1 %"},
        {"ratio", "real", "median over the rounds of newer rate / older rate"}},
       "SELECT t.older, t.newer, c.name, (SELECT v.version FROM main.series s JOIN "
       "main.stack_versions x ON x.stack = s.stack JOIN main.versions v ON v.id = x.version WHERE "
       "s.id = t.older AND v.component = t.component), (SELECT v.version FROM main.series s JOIN "
       "main.stack_versions x ON x.stack = s.stack JOIN main.versions v ON v.id = x.version WHERE "
       "s.id = t.newer AND v.component = t.component), t.rounds, t.slower, t.faster, t.ratio FROM "
       "main.steps t JOIN main.components c ON c.id = t.component"},
      {"failures",
       "how the inspections of a series failed",
       {{"series", "integer", "which series"},
        {"outcome", "text", "crashed, timed_out, wrong_result, ..."},
        {"inspections", "integer", "how many ended so"}},
       "SELECT f.series, f.outcome, f.inspections FROM main.failures f"},
      {"campaigns",
       "the campaigns; the one without a name holds single inspections",
       {{"campaign", "text", "campaign id"},
        {"project", "text", "name of the project"},
        {"created", "text", "when it was planned (UTC)"},
        {"planned", "integer", "inspections planned; 0 where the plan is not known"},
        {"done", "integer", "inspections in this store"},
        {"failed", "integer", "those that did not end well"}},
       "SELECT p.name, p.project, p.created, p.planned, p.done, p.failed FROM main.campaigns p"},
      {"hosts",
       "the machines, in each state they were in",
       {{"host", "text", "fingerprint"},
        {"hostname", "text", "its name"},
        {"cpu", "text", "CPU model"},
        {"microarchitecture", "text", "of the CPU"},
        {"document", "text", "JSON: everything that was detected"}},
       "SELECT o.fingerprint, o.hostname, o.cpu_model, o.microarchitecture, o.document FROM "
       "main.hosts o"},
      {"published",
       "what others measured and published; it may state only a part of the stack",
       {{"hardware", "text", "as published; empty if not stated"},
        {"devices", "integer", "how many worked together; NULL if not stated"},
        {"workload", "text", "as on the command line"},
        {"stack", "text", "id of the stack as far as it is stated"},
        {"metric", "text", "images_per_s, elapsed_ms, ..."},
        {"value", "real", "in the metric's unit"},
        {"statistic", "text", "what the value is of the runs: median, best, ...; empty if not stated"},
        {"runs", "integer", "NULL if not stated"},
        {"min", "real", "of the runs"},
        {"max", "real", "of the runs"},
        {"stdev", "real", "of the runs"},
        {"url", "text", "where it stands"},
        {"date", "text", "of the source's revision"}},
       "SELECT h.model, p.devices, workload_text(w.pi, w.params), lower(hex(k.hash)), p.metric, "
       "p.value, p.statistic, p.runs, p.min, p.max, p.stdev, u.url, u.date FROM main.published p JOIN "
       "main.hardware h ON h.id = p.hardware JOIN main.workloads w ON w.id = p.workload JOIN "
       "main.stacks k ON k.id = p.stack JOIN main.sources u ON u.id = p.source"},
      {"sources",
       "where published results come from",
       {{"url", "text", "where to look"},
        {"title", "text", "of the document"},
        {"revision", "text", "commit, release or tag; empty if it has none"},
        {"date", "text", "of that revision"},
        {"read", "text", "when it was read"},
        {"license", "text", "of the document"},
        {"tool", "text", "the format it came in"},
        {"seed", "integer", "1: it came with stackx"},
        {"results", "integer", "how many results"}},
       "SELECT u.url, u.title, u.revision, u.date, u.read, u.license, u.tool, u.seed, (SELECT "
       "count(*) FROM main.published p WHERE p.source = u.id) FROM main.sources u"},
  };
  return views;
}

}  // namespace

std::span<const View> views() { return all(); }

void make_views(sqlite3* connection) {
  for (const View& view : all()) {
    std::vector<std::string_view> names;
    for (const ViewColumn& column : view.columns) names.push_back(column.name);
    const std::string sql = fmt::format("CREATE TEMP VIEW {}({}) AS {}", view.name,
                                        fmt::join(names, ", "), view.sql);
    const int result = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
    if (result != SQLITE_OK) throw SQLite::Exception(connection, result);
  }
}

}  // namespace stackx::store
