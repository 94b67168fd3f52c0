// stackx export: documents as JSON Lines, the unit of exchange between machines.
#include <fmt/core.h>

#include <chrono>
#include <functional>

#include "advisor/selection.hpp"
#include "cli/commands.hpp"
#include "specs/error.hpp"
#include "store/merge.hpp"
#include "workspace/files/compressed_stream.hpp"
#include "workspace/output.hpp"
#include "workspace/remote.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

struct ExportOptions {
  std::string campaign, output, to;
  bool published = false, seeds = false;
};

store::Which which_of(const ExportOptions& options) {
  store::Which which;
  which.campaign = options.campaign;
  which.inspections = !options.published;
  which.published = options.campaign.empty();
  which.seeds = options.seeds;
  return which;
}

// Documents on their way to a server, in bundles: each is on its disk before the next is sent.
class Sending {
 public:
  explicit Sending(const std::string& url) : remote_(url, "--to") {}

  void write(const std::string& document) {
    bundle_ += document;
    bundle_ += '\n';
    if (bundle_.size() > largest_bundle) send();
  }

  void finish() {
    if (!bundle_.empty() || !sent_) send();  // nothing, too: whoever tries it out learns whether address and token are right
    for (const auto& why : sum_.reasons) workspace::remark("refused: {}\n", why);
    workspace::remark("{}: {} new, {} were there{}\n", remote_.url(), workspace::counted(sum_.inserted, "document"), sum_.already_there,
                      sum_.refused > 0 ? fmt::format(", {} refused", sum_.refused) : "");
  }
  bool refused() const { return sum_.refused > 0; }

 private:
  static constexpr std::size_t largest_bundle = 8 << 20;
  static constexpr std::chrono::minutes patience{5};

  void send() {
    const auto waiting = [](const std::string& why) {
      workspace::remark("{}; trying again for {} minutes\n", why, patience.count());
    };
    try {
      const auto taken = remote_.send(workspace::packed(bundle_), "zstd", patience, waiting);
      sent_ = true;
      sum_.inserted += taken.inserted;
      sum_.already_there += taken.already_there;
      sum_.refused += taken.refused;
      sum_.reasons.insert(sum_.reasons.end(), taken.reasons.begin(), taken.reasons.end());
    } catch (const Error& error) {
      const auto taken = sum_.inserted + sum_.already_there;
      const std::string why = error.what();
      throw Error(error.code(), why + (why.ends_with('?') ? " " : ". ") +
                                    (taken == 0 ? "Nothing was sent" : fmt::format("{} were taken before that, and are not stored twice when this is repeated",
                                                                                   workspace::counted(taken, "document"))));
    }
    bundle_.clear();
  }

  workspace::Remote remote_;
  std::string bundle_;
  bool sent_ = false;
  workspace::Remote::Taken sum_;
};

// All that was asked for, each to `write`; how many.
std::uint64_t each_document(const store::Store& store, const ExportOptions& options, const std::function<void(const std::string&)>& write) {
  std::uint64_t documents = 0;
  store::all_documents(
      store, which_of(options),
      [&](const std::string& document) {
        write(document);
        ++documents;
      },
      [](const Error& error) { throw error; });  // an export that lacks something is none
  return documents;
}

// A file that is named after another format would hold what its readers do not expect.
void check_name(const std::string& output) {
  for (const char* other : {".csv", ".html", ".md", ".bz2", ".zip", ".tar", ".tgz"})
    if (output.ends_with(other))
      throw bad_input(fmt::format("-o {}: export writes JSON Lines, packed for .zst, .gz and .xz; expected a name such as "
                                  "results.jsonl.zst; tables: `stackx report -o FILE.csv`",
                                  output));
}

void run(const ExportOptions& options, Globals& globals) {
  check_name(options.output);
  const auto store = store::Store::open(store::default_path(globals.db), store::Mode::read_only);
  advisor::check_campaign(options.campaign, store);
  if (!options.to.empty()) {
    Sending sending(options.to);
    each_document(store, options, [&](const std::string& document) { sending.write(document); });
    sending.finish();
    if (sending.refused()) globals.exit_code = 2;
    return;
  }
  workspace::LineWriter writer(options.output);
  const auto documents = each_document(store, options, [&](const std::string& document) { writer.write(document); });
  writer.finish();
  if (documents == 0)
    workspace::remark("nothing to export: {}\n",
                      options.published ? "no results of others were imported here; --seeds: with those that come with stackx"
                                        : "nothing was measured or imported here; `stackx inspect PROJECT` measures");
  if (!options.output.empty() && options.output != "-")
    workspace::remark("{} written to {}\n", workspace::counted(documents, "document"), options.output);
}

}  // namespace

void add_export(Command app, Globals& globals) {
  auto options = std::make_shared<ExportOptions>();
  const auto command = app.add_subcommand(
      "export",
      "Write all documents (plans, inspections, imported results), one a line (JSON Lines)");
  command.describe(
      {"Documents are written byte for byte as they are kept: their ids are made of these bytes.",
       {{"Everything, packed", "stackx export -o results.jsonl.zst"},
        {"To the team's server", "stackx export --to https://stackx.example:8421"}}});
  const auto campaign =
      command.add_option("--campaign", options->campaign, "Only this campaign").type_name("ID");
  command.add_flag("--published", options->published, "Only results of others, which were imported")
      .excludes(campaign);
  command.add_flag("--seeds", options->seeds, "With the published results that come with stackx");
  const auto output = command
                          .add_option("-o,--output", options->output,
                                      "Write to this file, packed if it ends in .zst, .gz or .xz (default: stdout)")
                          .type_name("FILE");
  command.add_option("--to", options->to, "Send to this server (`stackx serve`), a token in $STACKX_TOKEN; what it has is not stored twice")
      .type_name("URL")
      .excludes(output);
  command.callback([options, &globals] { run(*options, globals); });
}

}  // namespace stackx::cli
