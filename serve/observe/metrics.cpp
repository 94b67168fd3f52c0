#include "serve/observe/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>

#include "serve/observe/store_figures.hpp"
#include "specs/error.hpp"

namespace stackx::serve {
namespace {

const prometheus::Histogram::BucketBoundaries latency_buckets{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                              0.5, 1, 2.5, 5, 10, 30, 60};

}  // namespace

struct Metrics::Impl {
  prometheus::Gauge& gauge(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
  }
  prometheus::Counter& counter(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
  }
  static void raise_to(prometheus::Counter& counter, std::uint64_t value) {
    counter.Increment(static_cast<double>(value) - counter.Value());
  }

  prometheus::Registry registry;
  std::mutex scraping;
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter().Name("stackx_http_requests_total").Help("Requests that were answered").Register(registry);
  prometheus::Family<prometheus::Histogram>& latencies =
      prometheus::BuildHistogram().Name("stackx_http_request_duration_seconds").Help("From a request's head to its answer").Register(registry);
  prometheus::Family<prometheus::Counter>& documents =
      prometheus::BuildCounter().Name("stackx_documents_total").Help("Documents that nodes sent, by what became of them").Register(registry);
  prometheus::Counter& inserted = documents.Add({{"outcome", "inserted"}});
  prometheus::Counter& already_there = documents.Add({{"outcome", "already_there"}});
  prometheus::Counter& refused = documents.Add({{"outcome", "refused"}});
  prometheus::Counter& back_pressure =
      counter("stackx_documents_turned_away_total", "Requests with documents that were told to come again, because too much waited");
  prometheus::Counter& store_failures = counter("stackx_store_write_failures_total", "Transactions that the store refused");
  prometheus::Counter& transactions = counter("stackx_store_transactions_total", "Transactions that brought documents");
  prometheus::Gauge& queue = gauge("stackx_intake_queue_requests", "Requests with documents that wait to be written");
  prometheus::Gauge& queue_bytes = gauge("stackx_intake_queue_bytes", "Their bytes");
  prometheus::Gauge& open = gauge("stackx_connections_open", "Connections that are open");
  prometheus::Counter& accepted = counter("stackx_connections_accepted_total", "Connections that were accepted");
  prometheus::Counter& gave_way = counter("stackx_connections_over_limit_total", "Connections that came when all places were taken");
  prometheus::Counter& kept = counter("stackx_answers_kept_total", "Answers that were at hand");
  prometheus::Counter& made = counter("stackx_answers_made_total", "Answers that were worked out");
  prometheus::Gauge& asked = gauge("stackx_answers_waiting", "Requests that wait for an answer that is being worked out");
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

void Metrics::request(const std::string& route, const std::string& method, int status, double seconds) {
  static constexpr std::string_view known[] = {"GET", "HEAD", "PUT", "POST"};
  const bool usual = std::ranges::find(known, method) != std::end(known);
  impl_->requests.Add({{"route", route}, {"method", usual ? method : "other"}, {"code", std::to_string(status)}}).Increment();
  impl_->latencies.Add({{"route", route}}, latency_buckets).Observe(seconds);
}

void Metrics::documents(const Brought& brought) {
  impl_->inserted.Increment(static_cast<double>(brought.inserted));
  impl_->already_there.Increment(static_cast<double>(brought.already_there));
  impl_->refused.Increment(static_cast<double>(brought.refused));
}

void Metrics::turned_away() { impl_->back_pressure.Increment(); }

std::string Metrics::text(const std::filesystem::path& store, const Moment& moment) {
  const std::lock_guard lock(impl_->scraping);
  impl_->queue.Set(static_cast<double>(moment.intake.waiting));
  impl_->queue_bytes.Set(static_cast<double>(moment.intake.waiting_bytes));
  impl_->open.Set(static_cast<double>(moment.connections.open));
  impl_->asked.Set(static_cast<double>(moment.answers.waiting));
  Impl::raise_to(impl_->store_failures, moment.intake.failed);
  Impl::raise_to(impl_->transactions, moment.intake.transactions);
  Impl::raise_to(impl_->accepted, moment.connections.accepted);
  Impl::raise_to(impl_->gave_way, moment.connections.turned_away);
  Impl::raise_to(impl_->kept, moment.answers.kept);
  Impl::raise_to(impl_->made, moment.answers.made);
  auto families = impl_->registry.Collect();
  for (auto& family : store_figures(moment.has_store ? store : std::filesystem::path())) families.push_back(std::move(family));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace stackx::serve
