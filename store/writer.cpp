#include "store/writer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "specs/format/digest.hpp"
#include "store/packing/packing.hpp"
#include "store/questions/summary.hpp"

namespace stackx::store {
namespace {

using nlohmann::json;

// Enough to remember a large campaign; more is asked of the database again.
constexpr std::size_t most_remembered = 200'000;
// Of one skeleton; documents that fit none of so many are packed less tightly.
constexpr std::size_t most_templates = 200;

// The row that `find` selects by these values, or a new one that `insert` makes of them (and of
// `more`).
template <typename... Key, typename... More>
std::int64_t intern(Connection& connection, const char* find, const char* insert,
                    std::tuple<Key...> key, const More&... more) {
  {
    Cursor cursor = connection.prepare(find);
    std::apply([&](const auto&... values) { (cursor << ... << values); }, key);
    if (cursor.next()) return cursor.integer(0);
  }
  Cursor cursor = connection.prepare(insert);
  std::apply([&](const auto&... values) { (cursor << ... << values); }, key);
  static_cast<void>((cursor << ... << more));
  cursor.execute();
  return connection.sqlite().getLastInsertRowid();
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += part;
    text += '\0';
  }
  return text;
}

}  // namespace

Writer::Transaction::Transaction(Writer& writer) : writer_(writer) {
  writer_.connection_.sqlite().exec("BEGIN IMMEDIATE");
  const std::int64_t version =
      writer_.connection_.sqlite().execAndGet("PRAGMA data_version").getInt64();
  if (version != writer_.data_version_) writer_.forget();
  writer_.data_version_ = version;
}

Writer::Transaction::~Transaction() {
  if (!open_) return;
  writer_.forget();
  writer_.connection_.sqlite().tryExec("ROLLBACK");
}

void Writer::Transaction::commit() {
  writer_.flush();
  writer_.connection_.sqlite().exec("COMMIT");
  open_ = false;
}

std::set<std::int64_t> Writer::flush() {
  for (const auto& [campaign, counts] : counts_) {
    Cursor cursor = connection_.prepare(
        "UPDATE campaigns SET done = done + ?, failed = failed + ? WHERE id = ?");
    cursor << counts.first << counts.second << campaign;
    cursor.execute();
  }
  for (const std::int64_t series : touched_) {
    Cursor cursor = connection_.prepare("INSERT OR IGNORE INTO stale(series) VALUES(?)");
    cursor << series;
    cursor.execute();
  }
  counts_.clear();
  return std::exchange(touched_, {});
}

void Writer::forget() {
  shared_.forget();
  rows_.clear();
  hashes_.clear();
  templates_.clear();
  conditions_.clear();
  arms_.clear();
  counts_.clear();
  touched_.clear();
}

template <typename Make>
std::int64_t Writer::remember(std::string key, Make make) {
  if (const auto known = rows_.find(key); known != rows_.end()) return known->second;
  const std::int64_t row = make();
  if (rows_.size() >= most_remembered) rows_.clear();
  rows_.emplace(std::move(key), row);
  return row;
}

std::int64_t Writer::stack(const specs::Stack& stack, const std::string& id) {
  return remember("s" + id, [&] {
    const Blob hash{bytes_of(id)};
    {
      Cursor cursor = connection_.prepare("SELECT id FROM stacks WHERE hash = ?");
      cursor << hash;
      if (cursor.next()) return cursor.integer(0);
    }
    {
      Cursor cursor = connection_.prepare("INSERT INTO stacks(hash) VALUES(?)");
      cursor << hash;
      cursor.execute();
    }
    const std::int64_t row = connection_.sqlite().getLastInsertRowid();
    for (const auto& [name, version] : stack.components) {
      const std::int64_t component =
          intern(connection_, "SELECT id FROM components WHERE name = ?",
                 "INSERT INTO components(name) VALUES(?)", std::tuple(name));
      const std::int64_t version_row = intern(
          connection_, "SELECT id FROM versions WHERE component = ? AND version = ?",
          "INSERT INTO versions(component, version) VALUES(?, ?)", std::tuple(component, version));
      Cursor cursor =
          connection_.prepare("INSERT INTO stack_versions(stack, version) VALUES(?, ?)");
      cursor << row << version_row;
      cursor.execute();
    }
    return row;
  });
}

std::int64_t Writer::workload(const specs::Workload& workload, const std::string& id) {
  return remember("w" + id, [&] {
    return intern(connection_, "SELECT id FROM workloads WHERE hash = ?",
                  "INSERT INTO workloads(hash, pi, params, program) VALUES(?, ?, ?, ?)",
                  std::tuple(Blob{bytes_of(id)}), workload.pi, json(workload.params).dump(),
                  workload.program);
  });
}

std::int64_t Writer::campaign(const std::string& name) {
  return remember("c" + name, [&] {
    return intern(connection_, "SELECT id FROM campaigns WHERE name = ?",
                  "INSERT INTO campaigns(name) VALUES(?)", std::tuple(name));
  });
}

std::int64_t Writer::hardware(const std::string& model, const std::string& microarchitecture) {
  return remember(joined({"m", model, microarchitecture}), [&] {
    return intern(connection_,
                  "SELECT id FROM hardware WHERE model = ? AND microarchitecture = ?",
                  "INSERT INTO hardware(model, microarchitecture, checksum) VALUES(?, ?, ?)",
                  std::tuple(model, microarchitecture),
                  static_cast<std::int64_t>(hardware_checksum(model, microarchitecture)));
  });
}

std::int64_t Writer::host(const KnownHost& host) {
  return remember("h" + host.hash, [&] {
    return intern(
        connection_, "SELECT id FROM hosts WHERE hash = ?",
        "INSERT INTO hosts(hash, fingerprint, hostname, microarchitecture, cpu_model, document) "
        "VALUES(?, ?, ?, ?, ?, ?)",
        std::tuple(Blob{bytes_of(host.hash)}), host.fingerprint, host.hostname,
        host.microarchitecture, host.cpu_model, host.document);
  });
}

std::int64_t Writer::context(const std::string& document, const std::string& hash) {
  return remember("x" + hash, [&] {
    return intern(connection_, "SELECT id FROM contexts WHERE hash = ?",
                  "INSERT INTO contexts(hash, document) VALUES(?, ?)",
                  std::tuple(Blob{bytes_of(hash)}), document);
  });
}

// A GPU of the host by its UUID; anything else is the host's processor.
std::int64_t Writer::device(const Prepared& document) {
  const KnownHost& host = *document.host;
  const auto gpu = std::ranges::find(host.gpus, document.device,
                                     [](const auto& entry) { return entry.first; });
  const std::int64_t model = gpu != host.gpus.end()
                                 ? hardware(gpu->second, "")
                                 : hardware(host.cpu_model, host.microarchitecture);
  return remember(joined({"d", document.device, std::to_string(model)}), [&] {
    return intern(connection_, "SELECT id FROM devices WHERE name = ? AND hardware = ?",
                  "INSERT INTO devices(name, hardware) VALUES(?, ?)",
                  std::tuple(document.device, model));
  });
}

std::int64_t Writer::series(const Prepared& document) {
  const Shape& shape = *document.shape;
  return remember(
      joined({"r", shape.stack_id, shape.workload_id, document.device, document.host->hash}), [&] {
        const std::int64_t workload_row = workload(shape.workload, shape.workload_id),
                           device_row = device(document),
                           stack_row = stack(shape.stack, shape.stack_id);
        return intern(connection_,
                      "SELECT id FROM series WHERE workload = ? AND device = ? AND stack = ?",
                      "INSERT INTO series(workload, device, stack) VALUES(?, ?, ?)",
                      std::tuple(workload_row, device_row, stack_row));
      });
}

Writer::Templates& Writer::templates(const std::string& skeleton) {
  if (const auto known = templates_.find(skeleton); known != templates_.end()) return known->second;
  Templates result;
  result.hash = specs::sha256(skeleton);
  result.row = intern(connection_, "SELECT id FROM skeletons WHERE hash = ?",
                      "INSERT INTO skeletons(hash, text) VALUES(?, ?)",
                      std::tuple(Blob{bytes_of(result.hash)}), Blob{skeleton});
  Cursor cursor =
      connection_.prepare("SELECT id, program FROM templates WHERE skeleton = ? ORDER BY id");
  cursor << result.row;
  while (cursor.next()) {
    const std::string bytes = cursor.text(1);
    result.all.push_back({cursor.integer(0), Program::from(bytes), bytes});
  }
  if (templates_.size() >= most_remembered / 10) templates_.clear();
  return templates_.emplace(skeleton, std::move(result)).first->second;
}

// A program for numbers that fit none.
Program Writer::next_program(const Templates& templates, const Skeleton& numbers,
                             const std::vector<std::int64_t>& samples) {
  if (templates.all.empty()) return Program::first(numbers, samples);
  const auto misfits = [&](const Template& known) { return known.program.misfits(numbers, samples); };
  const Program& nearest = std::ranges::min_element(templates.all, {}, misfits)->program;
  const bool little = nearest.misfits(numbers, samples) <= 2;
  return little || templates.all.size() >= most_templates ? nearest.widened(numbers, samples)
                                                          : nearest.rebased(numbers, samples);
}

const Writer::Template& Writer::fitting(Templates& templates, const Prepared& document) {
  for (const Template& known : templates.all)
    if (known.program.holds(document.rest, document.samples)) return known;
  Skeleton numbers = document.rest;
  numbers.text = document.shape->rest;
  const Program program = next_program(templates, numbers, document.samples);
  const std::string bytes = program.bytes();
  const std::int64_t row =
      intern(connection_, "SELECT id FROM templates WHERE skeleton = ? AND program = ?",
             "INSERT INTO templates(skeleton, program) VALUES(?, ?)",
             std::tuple(templates.row, Blob{bytes}));
  templates.all.push_back({row, program, bytes});
  return templates.all.back();
}

Writer::Condition Writer::condition(const Prepared& document, const Templates& templates,
                                    const Template& fits) {
  const Shape& shape = *document.shape;
  std::string& context_hash = hashes_[shape.context];
  if (context_hash.empty()) context_hash = specs::sha256(shape.context);
  const std::string outcome = specs::to_string(shape.outcome);
  std::string key =
      joined({context_hash, document.host->hash, std::to_string(fits.row), outcome, shape.reason});
  if (const auto known = conditions_.find(key); known != conditions_.end()) return known->second;
  Condition result;
  result.row = intern(
      connection_,
      "SELECT id FROM conditions WHERE context = ? AND host = ? AND template = ? AND outcome = ? "
      "AND reason = ?",
      "INSERT INTO conditions(context, host, template, outcome, reason) VALUES(?, ?, ?, ?, ?)",
      std::tuple(context(shape.context, context_hash), host(*document.host), fits.row, outcome,
                 shape.reason));
  result.digest = condition_digest(document.host->hash, context_hash, templates.hash, fits.bytes,
                                   outcome, shape.reason);
  if (conditions_.size() >= most_remembered) conditions_.clear();
  conditions_.emplace(std::move(key), result);
  return result;
}

const Writer::Arm& Writer::arm(const Prepared& document, std::int64_t series, std::int64_t block) {
  const Shape& shape = *document.shape;
  const std::string label = stored_label(document.arm, shape.stack_id);
  std::string key = joined({document.campaign, label, std::to_string(series),
                            shape.sentinel ? "1" : "0", std::to_string(block)});
  if (const auto known = arms_.find(key); known != arms_.end()) return known->second;
  const std::int64_t campaign_row = campaign(document.campaign);
  Arm result;
  result.series = series;
  result.row = intern(connection_,
                      "SELECT id FROM arms WHERE campaign = ? AND label = ? AND series = ? AND "
                      "sentinel = ? AND block = ?",
                      "INSERT INTO arms(campaign, label, series, sentinel, block) VALUES(?, ?, ?, "
                      "?, ?)",
                      std::tuple(campaign_row, label, series,
                                 static_cast<std::int64_t>(shape.sentinel), block));
  result.digest = arm_digest(document.campaign, document.arm, shape.sentinel, block,
                             shape.stack_id, shape.workload_id, document.device);
  result.rivals = rivals(document.arm, campaign_row, block, result.row);
  // A rival that was remembered before this arm was made does not know of it.
  if (!result.rivals.empty() || arms_.size() >= most_remembered) arms_.clear();
  return arms_.emplace(std::move(key), std::move(result)).first->second;
}

// Other arms that documents call the same: by a label of their own, or as a stack that is called so.
std::vector<std::int64_t> Writer::rivals(const std::string& label, std::int64_t campaign,
                                         std::int64_t block, std::int64_t own) {
  std::vector<std::int64_t> rows;
  {
    Cursor cursor = connection_.prepare(
        "SELECT id FROM arms WHERE campaign = ? AND label = '=' || ? AND block = ? AND id <> ?");
    cursor << campaign << label << block << own;
    while (cursor.next()) rows.push_back(cursor.integer(0));
  }
  if (label.size() != 12 || label.find_first_not_of("0123456789abcdef") != std::string::npos)
    return rows;
  Cursor cursor = connection_.prepare(
      "SELECT id FROM arms WHERE campaign = ?1 AND label = '' AND block = ?2 AND id <> ?3 AND series "
      "IN (SELECT id FROM series WHERE stack IN (SELECT id FROM stacks WHERE hash BETWEEN ?4 AND "
      "?5))");
  cursor << campaign << block << own << Blob{bytes_of(label + std::string(52, '0'))}
         << Blob{bytes_of(label + std::string(52, 'f'))};
  while (cursor.next()) rows.push_back(cursor.integer(0));
  return rows;
}

std::optional<std::int64_t> Writer::key_at(std::int64_t row) {
  Cursor cursor = connection_.prepare("SELECT key FROM inspections WHERE id = ?");
  cursor << row;
  return cursor.next() ? std::optional(cursor.integer(0)) : std::nullopt;
}

// One arm runs once in a round: a second document for the same place would count a round twice.
void Writer::refuse(std::int64_t row, const Prepared& document) {
  Cursor cursor = connection_.prepare("SELECT " STACKX_INSPECTION_COLUMNS
                                      " FROM inspections WHERE id = ?");
  cursor << row;
  std::string other = "(gone)";
  if (cursor.next()) other = document_of(connection_, read_row(connection_, cursor, shared_)).id;
  throw bad_input(fmt::format(
      "{}: campaign {} already has inspection {} for round {} of arm \"{}\"; inspection {} is "
      "another document for the same place and is not stored (an arm runs once a round)",
      connection_.file().string(), document.campaign.substr(0, 12), other, document.round,
      document.arm, hex_of(document.id)));
}

Ingest Writer::insert_at(std::int64_t row, const Arm& arm, const Prepared& document) {
  Templates& known = templates(document.shape->rest);
  const Template& fits = fitting(known, document);
  const Condition circumstances = condition(document, known, fits);
  const std::string samples = pack(document.samples), rest = fits.program.pack(document.rest, document.samples);
  const auto position = static_cast<std::int64_t>(document.position);
  const std::int64_t key = key_of(document.id);
  Cursor cursor = connection_.prepare("INSERT OR IGNORE INTO inspections(" STACKX_INSPECTION_COLUMNS
                                      ") VALUES(?, ?, ?, ?, ?, ?, ?)");
  cursor << row << position << circumstances.row << Blob{samples} << Blob{rest} << key
         << static_cast<std::int64_t>(static_cast<std::int32_t>(checksum_of(
                arm.digest, circumstances.digest, row, position, samples, rest, key)));
  cursor.execute();
  if (connection_.sqlite().getChanges() == 0) {
    if (key_at(row) != key) refuse(row, document);
    return Ingest::already_there;
  }
  count(document, arm.series);
  return Ingest::inserted;
}

// Outside of campaigns there are no places: the next free number, unless the document is there.
Ingest Writer::insert_single(const Prepared& document, std::int64_t series) {
  const std::int64_t key = key_of(document.id);
  for (std::int64_t block = 0;; ++block) {
    const Arm place = arm(document, series, block);
    const std::int64_t first = place.row << round_bits;
    std::int64_t used = 0;
    {
      Cursor cursor =
          connection_.prepare("SELECT key FROM inspections WHERE id BETWEEN ? AND ? ORDER BY id");
      cursor << first << first + rounds_a_block - 1;
      for (; cursor.next(); ++used)
        if (cursor.integer(0) == key) return Ingest::already_there;
    }
    if (used < rounds_a_block) return insert_at(first + used, place, document);
  }
}

std::int64_t Writer::place(const Prepared& document) {
  if (document.campaign.empty()) return 0;
  return inspection_row(arm(document, series(document), block_of(document.round)).row,
                        document.round);
}

Ingest Writer::insert(const Prepared& document) {
  const std::int64_t of_series = series(document);
  if (document.campaign.empty()) return insert_single(document, of_series);
  const Arm& place = arm(document, of_series, block_of(document.round));
  for (const std::int64_t rival : place.rivals)
    if (const std::int64_t row = inspection_row(rival, document.round); key_at(row))
      refuse(row, document);
  return insert_at(inspection_row(place.row, document.round), place, document);
}

void Writer::count(const Prepared& document, std::int64_t series) {
  auto& [done, failed] = counts_[campaign(document.campaign)];
  ++done;
  if (document.shape->outcome != specs::Outcome::ok) ++failed;
  touched_.insert(series);
}

}  // namespace stackx::store
