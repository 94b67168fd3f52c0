#include "serve/service.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>

#include "serve/access/rate.hpp"
#include "serve/access/tokens_file.hpp"
#include "serve/documents/intake.hpp"
#include "serve/observe/metrics.hpp"
#include "serve/pages/pages.hpp"
#include "serve/reply.hpp"
#include "serve/route.hpp"
#include "serve/store_file.hpp"
#include "serve/wants.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "store/changes.hpp"
#include "store/store.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::serve {
namespace {

using Clock = std::chrono::steady_clock;

const std::string scrape = "metrics";  // among the answers' keys
constexpr double wrong_tokens_a_second = 0.2, wrong_tokens_at_once = 10;

// What goes wrong on a worker's thread (too little memory) is an answer, too, and not the end of the process.
std::function<Answer()> whatever_happens(std::function<Answer()> make) {
  return [make = std::move(make)] {
    try {
      return make();
    } catch (const std::exception& error) {
      return Answer{.status = 500, .body = *failure(500, error.what(), 3).body};
    }
  };
}

// A document by its id, or how that begins: as `stackx export` writes it.
std::string document_in(const store::Store& store, const std::string& id) {
  if (const auto plan = store.plan(id)) return specs::canonical(specs::to_json(*plan));
  if (const auto inspection = store.inspection(id)) return specs::canonical(specs::to_json(*inspection));
  return "";
}

}  // namespace

struct Service::Impl {
  Impl(const Serving& serving, const Asker& asker)
      : serving(serving), asker(asker), intake(serving.store, serving.waiting_bytes), store_file(serving.store), changes(serving.store),
        answers(serving.answers, [this] { return version(); }),
        wrong_tokens(wrong_tokens_a_second, wrong_tokens_at_once),
        requests(serving.requests_a_second, std::max(1.0, 2 * serving.requests_a_second)) {
    if (!serving.tokens.empty()) tokens.emplace(serving.tokens);
  }

  // A store that cannot be read now is asked again; what is kept does not count meanwhile.
  std::uint64_t version() {
    try {
      return changes.count();
    } catch (const Error&) {
      return ++unreadable + (1ULL << 32);
    }
  }

  // --- who may ---

  std::optional<Response> let_in(Request& head, const Route& route) {
    if (!serving.hosts.empty() && !serving.hosts.contains(name_in(head.host)))
      return failure(421, fmt::format("this server is not called {}; --host adds names", specs::in_quotes(head.host)));
    if (route.place == Place::nowhere)
      return failure(404, fmt::format("{}: nothing is here; /openapi.json says what is", head.target.path_text()));
    if (route.place == Place::health) return std::nullopt;
    const auto user = user_of(head);
    if (!user) return refused_user(head);
    head.user = user->name;
    if (writes(head.method) ? !user->may_write() : !user->may_read())
      return failure(403, fmt::format("the token of {} may not {} here", user->name, writes(head.method) ? "send documents" : "ask"));
    if (writes(head.method) && is_foreign(head)) return failure(403, "documents are not taken from a page of another site");
    if (!requests.take(head.user.empty() ? head.client : head.user, head.began))
      return come_again(429, fmt::format("more than {:g} requests a second", serving.requests_a_second), 1);
    return std::nullopt;
  }

  // A right token counts however many wrong ones came from its address: behind a proxy that is everybody's, and one node with an
  // old token would lock all others out.
  std::optional<User> user_of(const Request& head) {
    if (!tokens) return User{"", Role::both};
    const auto token = token_in(head.authorization);
    if (token.empty()) return std::nullopt;
    auto user = tokens->user_of(token);
    if (!user) wrong_tokens.take(head.client, head.began);
    return user;
  }

  Response refused_user(const Request& head) {
    if (!wrong_tokens.left(head.client, head.began)) return come_again(429, "too many wrong tokens from this address", 10);
    auto response = failure(401, "expected a token: \"Authorization: Bearer TOKEN\" (stackx: $STACKX_TOKEN)");
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"stackx\"");
    response.headers.emplace_back("WWW-Authenticate", "Basic realm=\"stackx: any name, the token as password\", charset=\"UTF-8\"");
    return response;
  }

  std::optional<Response> admit(Request& head, std::optional<std::uint64_t> length) {
    const auto route = route_of(head.target, asker);
    if (auto refused = let_in(head, route)) return refused;
    if (std::ranges::find(route.methods, head.method) == route.methods.end()) {
      auto response = failure(405, fmt::format("{} takes {}", head.target.path_text(), fmt::join(route.methods, ", ")));
      response.headers.emplace_back("Allow", fmt::format("{}", fmt::join(route.methods, ", ")));
      return response;
    }
    if (!writes(head.method) && length != 0U) return failure(400, "a question has no body");
    if (!is_coding(head.content_encoding))
      return failure(415, fmt::format("Content-Encoding {}: expected zstd, gzip or xz", specs::in_quotes(head.content_encoding)));
    return std::nullopt;
  }

  // --- what is answered ---

  void answer(Request request, Respond respond) {
    const auto done = [this, respond = std::move(respond), of_browser = is_of_browser(request)](Response response) {
      if (of_browser) refuse_in_html(response);
      add_security_headers(response, serving.tls);
      respond(std::move(response));
    };
    const auto place = route_of(request.target, asker).place;
    if (place != Place::metrics && place != Place::openapi)
      if (const auto lost = store_file.lost(); !lost.empty()) return done(come_again(503, lost, 60));
    switch (place) {
      case Place::health: return done({200, "text/plain", shared_text("ok\n")});
      case Place::openapi: return done({200, "application/json", shared_text(asker.openapi())});
      case Place::metrics: return give_metrics(done);
      case Place::documents: return take(std::move(request), "", done);
      case Place::document:
        if (request.method == "PUT") {
          const auto id = request.target.path[2];
          return take(std::move(request), id, done);
        }
        return give(request, [this, id = request.target.path[2]] { return document(id); }, done);
      case Place::question: {
        const auto form = form_of(request);
        return give(request, [this, target = request.target, form] { return asker.answer(target, form); }, done);
      }
      case Place::page: return give(request, [this, target = request.target] { return pages.answer(target); }, done);
      case Place::nowhere: return done(failure(404, "nothing is here"));
    }
  }

  void take(Request request, const std::string& id, const Respond& done) {
    Bundle bundle{std::move(request.body), id, [this, done](Brought brought) {
                    metrics.documents(brought);
                    const auto lost = store_file.lost();  // while they waited: what was written is in no store
                    done(lost.empty() ? response_to(brought) : come_again(503, lost, 60));
                  }};
    if (!intake.offer(std::move(bundle))) {
      metrics.turned_away();
      done(come_again(503, "more documents wait than can be held; send them again in a moment", 1));
    }
  }

  void give(const Request& request, std::function<Answer()> make, const Respond& done) {
    const auto given = [done, tags = request.if_none_match](const std::shared_ptr<const Answer>& answer) {
      Response response{answer->status, answer->content_type, {answer, &answer->body}};
      response.headers = {{"Cache-Control", "private, no-cache"}, {"Vary", "Accept, Authorization, Stackx-Columns"}};
      if (!answer->policy.empty()) response.headers.emplace_back("Content-Security-Policy", answer->policy);
      if (answer->status == 200) {
        response.headers.emplace_back("ETag", answer->etag);
        response.headers.emplace_back("Stackx-Exit", std::to_string(answer->exit_code));
        const auto age = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - answer->made).count();
        if (age > 0) response.headers.emplace_back("Age", std::to_string(age));
        if (has_tag(tags, answer->etag)) response.status = 304;
      }
      done(std::move(response));
    };
    const auto refused = [done](Answers::Refusal why) {
      done(why == Answers::Refusal::busy ? come_again(503, "more questions wait than can be answered; ask again in a moment", 2)
                                         : come_again(503, "the answer takes longer than this server waits; it is being made: ask again", 10));
    };
    answers.ask(key_of(request, form_of(request)), says_no_cache(request), whatever_happens(std::move(make)), given, refused);
  }

  Answer document(const std::string& id) const {
    try {
      const auto store = store::Store::open(serving.store, store::Mode::read_only);
      if (auto found = document_in(store, id); !found.empty()) return {.body = std::move(found) + "\n"};
      return {.status = 404, .body = *failure(404, fmt::format("{}: the store holds no such plan or inspection", specs::in_quotes(id))).body};
    } catch (const Error& error) {
      const bool bad = error.code() == ErrorCode::bad_input;
      return {.status = bad ? 400 : 500, .body = *failure(400, error.what(), static_cast<int>(error.code())).body};
    }
  }

  void give_metrics(const Respond& done) {
    const auto make = whatever_happens([this] {
      Metrics::Moment moment{connections ? connections() : Connections{}, intake.state(), answers.state(scrape), store_file.lost().empty()};
      return Answer{.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics.text(serving.store, moment)};
    });
    answers.ask(scrape, true, make, [done](const std::shared_ptr<const Answer>& answer) {
      done({answer->status, answer->content_type, {answer, &answer->body}});
    }, [done](Answers::Refusal) { done(come_again(503, "too many questions wait", 5)); });
  }

  // --- what is noted ---

  void note(const Request& request, const Response& response) {
    const double seconds = std::chrono::duration<double>(Clock::now() - request.began).count();
    metrics.request(counted_as(request.target, asker), request.method, response.status, seconds);
    const bool change = request.method == "PUT" || request.method == "POST";
    if (serving.log == Logged::nothing || (serving.log == Logged::changes && !change && response.status < 400)) return;
    workspace::say("{} {} {} {} {} {} {:.0f} ms\n", specs::rfc3339_utc(std::chrono::system_clock::now()), request.client,
                   request.user.empty() ? "-" : request.user, request.method.empty() ? "-" : request.method,
                   request.method.empty() ? "-" : request.target.path_text(), response.status, seconds * 1000);
  }

  void read_tokens() {
    if (tokens) tokens->refresh(Clock::now(), [](const std::string& what) { workspace::say("stackx serve: {}\n", what); });
  }

  const Serving serving;
  const Asker& asker;
  const Pages pages{asker, serving.store};
  std::optional<TokensFile> tokens;  // none: everybody who reaches it may everything
  Metrics metrics;
  std::function<Connections()> connections;
  Intake intake;
  const StoreFile store_file;  // that the intake has opened
  store::Changes changes;
  std::atomic<std::uint64_t> unreadable = 0;
  Answers answers;
  Rate wrong_tokens, requests;
};

Service::Service(const Serving& serving, const Asker& asker) : impl_(std::make_unique<Impl>(serving, asker)) {}
Service::~Service() = default;

std::optional<Response> Service::admit(Request& head, std::optional<std::uint64_t> length) {
  auto refused = impl_->admit(head, length);
  if (refused && is_of_browser(head)) refuse_in_html(*refused);
  if (refused) add_security_headers(*refused, impl_->serving.tls);
  return refused;
}
void Service::answer(Request request, Respond respond) { impl_->answer(std::move(request), std::move(respond)); }
Response Service::refusal(int status, const std::string& why) {
  auto response = status == 503 ? come_again(status, why, 1) : failure(status, why);
  add_security_headers(response, impl_->serving.tls);
  return response;
}
void Service::answered(const Request& request, const Response& response) { impl_->note(request, response); }
void Service::every_second() {
  impl_->read_tokens();
  impl_->answers.drop_late();
}
bool Service::finish() {
  impl_->intake.finish();
  return impl_->answers.finish();
}
void Service::observe(std::function<Connections()> connections) { impl_->connections = std::move(connections); }

}  // namespace stackx::serve
