// What Prometheus scrapes: the server's own counters, and what the store says of campaigns, results and devices.
//
// Names by its conventions (https://prometheus.io/docs/practices/naming/): base units, _total for what only grows. The
// library is prometheus-cpp (Debian): counters, histograms, the text format; its HTTP server is not used.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "serve/answers/answers.hpp"
#include "serve/documents/intake.hpp"
#include "serve/http/server.hpp"

namespace stackx::serve {

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // From any thread. `route`: of a bounded set, no text of a stranger.
  void request(const std::string& route, const std::string& method, int status, double seconds);
  void documents(const Brought& brought);
  void turned_away();  // documents, because too many waited

  // What is asked for at the moment of a scrape.
  struct Moment {
    Connections connections;
    IntakeState intake;
    AnswersState answers;
    bool has_store = true;  // false: its file is gone, or another
  };
  // The text format, version 0.0.4. Reads the store; where that cannot be read, its figures are missing and
  // stackx_store_readable is 0.
  std::string text(const std::filesystem::path& store, const Moment& moment);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stackx::serve
