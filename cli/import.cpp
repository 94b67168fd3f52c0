// stackx import: result documents of other machines (JSON Lines, packed or not), and what other tools measured.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include "cli/commands.hpp"
#include "cli/output/intake.hpp"
#include "cli/output/print.hpp"
#include "importers/importer.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/json.hpp"
#include "specs/format/names.hpp"
#include "specs/format/seal.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/version/version.hpp"
#include "store/store.hpp"
#include "workspace/asked/hardware.hpp"
#include "workspace/files/compressed_stream.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

struct ImportOptions {
  std::vector<std::string> paths;
  std::string format = "auto";
  specs::Source source;
  std::string hardware;
  std::vector<std::string> with;  // component=version
  bool dry_run = false;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names{"auto", "stackx"};
  for (const auto& format : importers::formats()) names.emplace_back(format.name);
  return names;
}

// A mistake in the options would be told for every result: told once.
void check(const specs::Source& source) {
  if (specs::measured_with_stackx(source))
    throw bad_input("--source: stackx:// is for what comes with stackx; what you measured with it is a document of its own");
  specs::Published probe;
  probe.source = source;
  probe.workload = {"probe", {}};
  probe.metric = "elapsed_ms";
  probe.value = 1;
  specs::seal(probe);
  specs::published_from(specs::Node::parse_text(specs::to_json(probe).dump(), "the options"));
}

// A result of a day that has not come is a slip of the pen. A day later than here it may be elsewhere.
void check_day(const char* option, const std::string& day) {
  const auto latest = specs::rfc3339_utc(std::chrono::system_clock::now() + std::chrono::hours(24)).substr(0, 10);
  if (day > latest) throw bad_input(fmt::format("{} {}: lies in the future; expected the day as YYYY-MM-DD", option, day));
}

bool is_version(const std::string& text) {
  using enum specs::Versioning;
  return std::ranges::any_of(std::array{pep440, semver, debian}, [&](auto scheme) { return specs::Version::parse(text, scheme).has_value(); });
}

// What is taken as it is written, and which no question would find.
std::vector<std::string> doubts_of(const ImportOptions& options, const Globals& globals) {
  std::vector<std::string> doubts;
  if (!options.hardware.empty()) {
    const auto accelerators = specs::load_accelerators(globals.data_directory());
    if (!accelerators.identify(options.hardware) && !workspace::hardware_of_catalogs(options.hardware, {}, accelerators, globals)) {
      const auto near = accelerators.nearest(options.hardware);
      doubts.push_back(fmt::format("--hw {}: no such hardware is known{}; it is kept as written", specs::in_quotes(options.hardware),
                                   near.empty() ? "" : fmt::format("; the nearest are {}", fmt::join(near, ", "))));
    }
  }
  for (const auto& text : options.with)
    if (const auto value = text.substr(text.find('=') + 1); !is_version(value))
      doubts.push_back(fmt::format("--with {}: {} is no version; it is kept as written", text, specs::in_quotes(value)));
  return doubts;
}

importers::Origin origin_of(const ImportOptions& options) {
  importers::Origin origin{options.source, options.hardware, {}};
  if (origin.source.read.empty())
    origin.source.read = workspace::today();
  for (const auto& text : options.with) {
    const auto equals = text.find('=');
    const auto component = text.substr(0, equals);
    const auto wrong = equals == text.npos || equals + 1 == text.size()
                           ? std::string("expected component=version, e.g. cuda=11.8")
                           : specs::component_name_error(component);
    if (!wrong.empty()) throw bad_input(fmt::format("--with {}: {}", text, wrong));
    if (!origin.stack.components.emplace(component, text.substr(equals + 1)).second)
      throw bad_input(fmt::format("--with {}: {} is given twice; keep one", text, component));
  }
  if (!options.source.url.empty()) check(origin.source);
  check_day("--date", origin.source.date);
  check_day("--read", origin.source.read);
  return origin;
}

bool is_directory(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

// The first line that is not blank tells; an export of an empty store has none.
bool is_stackx(workspace::LineReader& lines, const std::string& path, const std::string& format) {
  if (format != "auto") return format == "stackx";
  if (path == "-") return true;
  const std::string& first = lines.peek();
  return first.empty() || (first.find("\"$schema\"") != first.npos && first.find("\"stackx/") != first.npos);
}

std::string whole(workspace::LineReader& lines) {
  constexpr std::size_t most = std::size_t(64) << 20;
  std::string text, line;
  for (bool begun = false; lines.next(line); begun = true) {
    if (begun) text += '\n';
    text += line;
    if (text.size() > most || !lines.refused().empty())
      throw bad_input(lines.name() + ": larger than 64 MiB; expected a result file of another tool");
  }
  if (lines.failure()) throw *lines.failure();
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

// What a result says, whenever it was read: reading it again another day is no news.
std::string content(specs::Published published) {
  published.id.clear();
  published.source.read.clear();
  return specs::content_id(specs::to_json(published));
}

class Import {
 public:
  Import(const ImportOptions& options, const Globals& globals) : options_(options), globals_(globals) {}

  void run() {
    if (!options_.dry_run) store_.emplace(store::Store::open(store::default_path(globals_.db)));
    for (const auto& path : options_.paths) take(path);
    tell();
  }

  bool refused() const { return intake_.refused > 0; }

 private:
  // Opened once and read once: a pipe gives its bytes to nobody again.
  void take(const std::string& path) {
    if (is_directory(path)) return results(importers::import_path(path, options_.format, origin_of(options_)), path);
    workspace::LineReader lines(path);
    if (options_.format == "auto" && lines.peek().starts_with("SQLite format 3"))
      throw bad_input(path + ": is a store, no result document; `stackx merge` adds what it holds");
    if (is_stackx(lines, path, options_.format)) return documents(lines);
    const auto origin = origin_of(options_);
    results(importers::import_text(whole(lines), path, options_.format, origin), path);
  }

  void documents(workspace::LineReader& lines) {
    const auto next = [&](std::string& line) { return lines.next(line); };
    if (store_) {
      intake_ += store_->take_in(next, lines.name());
    } else {
      for (std::string line; next(line);)
        if (!line.empty()) workspace::print("{}\n", line);
    }
    for (const auto& text : lines.refused()) intake_.refuse(text);
    if (!lines.failure()) return;
    tell();  // what stood before the damage is kept
    throw *lines.failure();
  }

  void results(importers::Imported imported, const std::string& path) {
    if (!std::exchange(doubted_, true)) remarks_ = doubts_of(options_, globals_);
    for (auto& text : imported.remarks) remarks_.push_back(std::move(text));
    if (!store_) {
      for (const auto& published : imported.results) print_json(specs::to_json(published));
      return;
    }
    learn_known();
    std::vector<std::string> fresh;
    for (const auto& published : imported.results)
      if (known_->insert(content(published)).second)
        fresh.push_back(specs::to_json(published).dump());
      else
        ++intake_.already_there;
    std::size_t at = 0;
    const auto next = [&](std::string& line) {
      if (at == fresh.size()) return false;
      line = std::move(fresh[at++]);
      return true;
    };
    intake_ += store_->take_in(next, path);
  }

  void learn_known() {
    if (known_) return;
    known_.emplace();
    for (const auto& published : store_->published({})) known_->insert(content(published));
  }

  void tell() const {
    for (const auto& text : remarks_) workspace::remark("note: {}\n", text);
    print_reasons(intake_);
    if (!store_) return;
    if (globals_.json) {
      nlohmann::json document = {{"inserted", intake_.inserted},
                                 {"already_there", intake_.already_there}};
      if (!remarks_.empty()) document["remarks"] = remarks_;
      if (refused()) add_refused(document, intake_);
      print_json(document);
      return;
    }
    workspace::print("{} imported, {} already there", workspace::counted(intake_.inserted, "document"), workspace::were(intake_.already_there));
    if (refused()) workspace::print(", {} refused", workspace::were(intake_.refused));
    workspace::print("\n");
  }

  const ImportOptions& options_;
  const Globals& globals_;
  std::optional<store::Store> store_;
  std::optional<std::set<std::string>> known_;  // contents of the store's published results
  store::Intake intake_;
  std::vector<std::string> remarks_;
  bool doubted_ = false;  // once, not for each file
};

}  // namespace

void add_import(Command app, Globals& globals) {
  auto options = std::make_shared<ImportOptions>();
  const auto command = app.add_subcommand(
      "import", "Add results of other machines and other tools; twice changes nothing");
  command.describe(
      {"Results of another stackx become measurements of another machine. Those of other tools become published "
       "results, which must say where they were published.",
       {{"Results of another machine", "stackx import results.jsonl.zst"},
        {"Of another tool", "stackx import resnet50.log --source https://example.org/results \\\n"
                         "  --revision 0123abc --hw v100 --with cuda=10.0"}}});
  const auto text = [&](const char* name, std::string& value, const std::string& what,
                        const char* type) {
    return command.add_option(name, value, what).type_name(type);
  };
  command.add_option("paths", options->paths,
                   "JSON Lines that `stackx export` wrote (also .zst, .gz, .xz; - for stdin), or "
                   "files and directories of other tools")
      .required()
      .type_name("PATH");
  text("--format", options->format, fmt::format("What they are: {}", fmt::join(format_names(), ", ")), "NAME")
      .suggest(format_names())
      .show_default();
  text("--source", options->source.url, "Where anybody can read it: other tools' files need it",
       "URL");
  text("--revision", options->source.revision, "Commit, release or tag there", "REVISION");
  text("--date", options->source.date, "Date of that revision", "YYYY-MM-DD");
  text("--title", options->source.title, "What it is called", "TEXT");
  text("--license", options->source.license, "Its licence", "SPDX");
  text("--read", options->source.read, "When it was read (default: today)", "YYYY-MM-DD");
  text("--hw", options->hardware, "Hardware model, where the files name none", "MODEL");
  command.add_option("--with", options->with, "A version that the files do not state; repeatable")
      .type_name("COMPONENT=VERSION")
      .take_all();
  command.add_flag("--dry-run", options->dry_run, "Print what would be imported (JSON Lines)");
  command.callback([options, &globals] {
    Import work(*options, globals);
    work.run();
    if (work.refused()) globals.exit_code = static_cast<int>(ErrorCode::bad_input);
  });
}

}  // namespace stackx::cli
