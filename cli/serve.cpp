// stackx serve: the store for a team. Documents in, questions out, pages, metrics.
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/output/file.hpp"
#include "cli/served/openapi.hpp"
#include "cli/served/question.hpp"
#include "serve/access/tokens.hpp"
#include "serve/http/server.hpp"
#include "serve/service.hpp"
#include "specs/error.hpp"
#include "store/store.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/seeds.hpp"

namespace stackx::cli {
namespace {

struct ServeOptions {
  std::string listen = "127.0.0.1:8421", certificate, key, log = "changes";
  std::filesystem::path tokens;
  std::vector<std::string> hosts;
  std::vector<std::filesystem::path> projects;
  std::uint64_t connections = 4096, body = 64, workers = 0, patience = 60;
  double rate = 0;
  bool openapi = false;
};

struct TokenOptions {
  std::string name, role = "read";
  std::filesystem::path file;
};

// The questions of the command line, of one store.
class CommandLineAsker : public serve::Asker {
 public:
  CommandLineAsker(const Globals& globals, ServedProjects projects)
      : globals_(globals), projects_(std::move(projects)), openapi_(openapi_document(STACKX_VERSION, globals).dump() + "\n") {}

  std::string route(const serve::Target& target) const override {
    const auto* question = question_at(target);
    return question ? address_of(*question, "") : "";
  }
  serve::Answer answer(const serve::Target& target, const serve::Form& form) const override {
    return run_question(*question_at(target), target, form, globals_, projects_);
  }
  std::string openapi() const override { return openapi_; }
  std::vector<std::string> projects() const override {
    std::vector<std::string> names;
    for (const auto& [name, file] : projects_) names.push_back(name);
    return names;
  }

 private:
  Globals globals_;
  ServedProjects projects_;
  std::string openapi_;
};

// By the name that each has in its file; read whole, so that what is wrong in it is said now.
ServedProjects projects_of(const std::vector<std::filesystem::path>& files, const Globals& globals) {
  ServedProjects projects;
  for (const auto& file : files) {
    const auto name = workspace::load(file, globals, {}, workspace::Need::stacks).project.name;
    if (!projects.emplace(name, std::filesystem::absolute(file)).second)
      throw bad_input(fmt::format("--project {}: another project is called \"{}\", too", file.string(), name));
  }
  return projects;
}

serve::Logged logged_from(const std::string& text) {
  return text == "all" ? serve::Logged::all : text == "changes" ? serve::Logged::changes : serve::Logged::nothing;
}

serve::Listening listening_of(const ServeOptions& options) {
  serve::Listening listening;
  std::tie(listening.address, listening.port) = serve::read_listen(options.listen);
  if (options.certificate.empty() != options.key.empty())
    throw bad_input("--certificate and --key: give both, or neither");
  listening.certificate = options.certificate;
  listening.key = options.key;
  listening.connections = options.connections;
  listening.body = options.body << 20;
  listening.bodies = 4 * listening.body;
  return listening;
}

serve::Serving serving_of(const ServeOptions& options, const serve::Listening& listening, const Globals& globals) {
  serve::Serving serving;
  serving.store = store::default_path(globals.db);
  serving.tokens = options.tokens;
  serving.tls = !listening.certificate.empty();
  serving.requests_a_second = options.rate;
  serving.waiting_bytes = listening.bodies;
  serving.answers.workers = options.workers > 0 ? static_cast<unsigned>(options.workers) : std::max(1U, std::thread::hardware_concurrency());
  serving.answers.patience = std::chrono::seconds(options.patience);
  serving.log = logged_from(options.log);
  if (options.tokens.empty()) serving.hosts = {"localhost", "127.0.0.1", "[::1]", listening.address};
  if (!options.hosts.empty()) serving.hosts.insert(options.hosts.begin(), options.hosts.end());
  return serving;
}

// Who may reach it must be known, where not only this machine's users can.
void check_safety(const ServeOptions& options, const serve::Listening& listening) {
  if (serve::is_loopback(listening.address)) return;
  if (options.tokens.empty())
    throw bad_input(fmt::format("--listen {}: others can reach this address, and everybody could write into the store; make tokens "
                                "(`stackx serve token NAME --role read >> tokens`) and give --tokens FILE, or listen on 127.0.0.1",
                                options.listen));
  if (listening.certificate.empty())
    workspace::say("stackx serve: without --certificate tokens cross the network as they are: put a proxy with TLS in front, or give one\n");
}

void serve_store(const ServeOptions& options, const Globals& globals) {
  const auto listening = listening_of(options);
  check_safety(options, listening);
  const auto serving = serving_of(options, listening, globals);
  store::Store::open(serving.store);
  workspace::open_questions(globals);  // what others have published is taken in now, not by the first who asks
  const CommandLineAsker asker(globals, projects_of(options.projects, globals));
  std::optional<serve::Service> service(std::in_place, serving, asker);
  serve::HttpServer server(listening, *service);
  service->observe([&server] { return server.connections(); });
  const bool six = listening.address.find(':') != std::string::npos;
  workspace::say("stackx serve: http{}://{}{}{}:{} answers from {}\n", serving.tls ? "s" : "", six ? "[" : "", listening.address, six ? "]" : "",
                 server.port(), serving.store.string());
  server.run([&service] { service->every_second(); });
  const bool idle = service->finish();
  workspace::say("stackx serve: ended; what was acknowledged is in the store\n");
  if (!idle) std::_Exit(0);  // a question of minutes that nobody waits for any more: it reads, and has nothing to finish
  service.reset();  // first: whom it still has to answer are the server's connections
}

void make_token(const TokenOptions& options) {
  const auto token = serve::new_token();
  const auto line = serve::line_of(options.name, options.role, token);
  workspace::write_out(line);
  workspace::say("The token, which is shown this once and kept nowhere:\n{}\n"
                 "The line above goes into the file of --tokens; the token into $STACKX_TOKEN of who uses it.\n", token);
}

void add_token(Command app) {
  auto options = std::make_shared<TokenOptions>();
  const auto command = app.add_subcommand("token", "Make a token: its line for --tokens on stdout, the token itself on stderr");
  command.describe({"The file keeps the token's SHA-256 alone. A line that is taken out of the file ends the token within a second; a name may have two, "
                    "while one replaces the other.",
                    {{"For a node that sends what it measured", "stackx serve token node-7 --role write >> tokens"}}});
  command.add_option("NAME", options->name, "Whose it is: stands in the log").type_name("NAME").required();
  command.add_option("--role", options->role, "read: ask; write: send documents; read+write: both")
      .check(one_of({"read", "write", "read+write"}))
      .show_default();
  command.callback([options] { make_token(*options); });
}

}  // namespace

void add_serve(Command app, Globals& globals) {
  auto options = std::make_shared<ServeOptions>();
  const auto command = app.add_subcommand("serve", "The store for a team: documents in, every question out, over HTTP");
  command.describe(
      {"One process on one store. `GET /v1/advise?hw=v100&workload=matmul` and its like are answered with the JSON of the command line; "
       "`POST /v1/documents` takes what nodes measured, verified, and on the disk before it answers. In a browser `/` asks what to run, "
       "and further pages show campaigns, hardware, workloads, regressions and coverage. `/openapi.json` describes all of it, "
       "`/metrics` is for Prometheus. Ends at SIGTERM when it has finished what it acknowledged.",
       {{"On this machine alone", "stackx serve"},
        {"For others, with tokens and TLS",
         "stackx serve --listen [::]:8421 --tokens tokens \\\n  --certificate cert.pem --key key.pem"},
        {"Ask it from elsewhere", "stackx advise --hw v100 --server https://stackx.example:8421"}}});
  command.require_subcommand(0, 1);
  command.add_option("--listen", options->listen, "Address and port; port 0: any that is free").type_name("ADDRESS:PORT").show_default();
  command.add_option("--tokens", options->tokens, "Who may ask and who may send; read again when it changes").type_name("FILE");
  command.add_option("--certificate", options->certificate, "TLS: the certificate and its chain, PEM").type_name("FILE");
  command.add_option("--key", options->key, "TLS: its key, PEM").type_name("FILE");
  command.add_option("--host", options->hosts, "A further name that requests may call this server by; may be repeated").type_name("NAME").one_each();
  command.add_option("--project", options->projects, "A project whose coverage can be asked, by its name; may be repeated").type_name("PROJECT").one_each();
  command.add_option("--connections", options->connections, "Open at once, at most").check(within(std::uint64_t{1}, std::uint64_t{1'000'000})).type_name("N").show_default();
  command.add_option("--body", options->body, "MiB of documents in one request, at most").check(within(std::uint64_t{1}, std::uint64_t{4096})).type_name("MIB").show_default();
  command.add_option("--rate", options->rate, "Requests a second of one token or address; 0: any number").check(at_least_zero()).type_name("N").show_default();
  command.add_option("--workers", options->workers, "Answers that are worked out at once; 0: as many as there are processors").type_name("N").show_default();
  command.add_option("--patience", options->patience, "Seconds that a request waits for its answer").check(within(std::uint64_t{1}, std::uint64_t{3600})).type_name("SECONDS").show_default();
  command.add_option("--log", options->log, "On stderr: changes and refusals, all requests, or nothing")
      .check(one_of({"changes", "all", "nothing"}))
      .show_default();
  command.add_flag("--openapi", options->openapi, "Print what it can be asked, as OpenAPI, and end");
  add_token(command);
  command.callback([options, command, &globals] {
    if (command.has_subcommand()) return;
    if (options->openapi) return workspace::print("{}\n", openapi_document(STACKX_VERSION, globals).dump(2));
    serve_store(*options, globals);
  });
}

}  // namespace stackx::cli
