#include "inspector/process/interruption.hpp"

namespace stackx::inspector {
namespace {

volatile std::sig_atomic_t came_signal = 0;

void note_signal(int signal) { came_signal = signal; }

}  // namespace

Interruption::Interruption() {
  came_signal = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    std::signal(signal, note_signal);
    taken_.push_back(signal);
  }
}

Interruption::~Interruption() {
  for (const int signal : taken_) std::signal(signal, SIG_DFL);
  if (came()) std::raise(came_signal);
}

bool Interruption::came() const { return came_signal != 0; }

}  // namespace stackx::inspector
