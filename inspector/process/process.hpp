// The one place where processes are started: an argument vector to exec, never a shell.
//
// The child gets exactly the environment given, /dev/null as stdin, its own process group, default
// signal handling, SIGKILL when the thread that started it dies, and no descriptor but stdin,
// stdout, stderr and, if asked for, the channel. Whatever is left of its group is killed when it
// ends. It never begins in the directory where the user stands: python3 -m would take modules from
// there, uv an interpreter and settings. So paths that it is given are absolute. Rejected:
// posix_spawn (no parent-death signal), Boost.Process (no rusage, no group deadline, buffers without
// limits).
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace stackx::inspector {

using Environment = std::map<std::string, std::string>;
using Words = std::vector<std::string>;

void append(Words& words, std::initializer_list<std::string> more);

struct Command {
  Words argv;                       // argv[0] without "/" is looked up on our own PATH
  Environment environment;          // all of it
  std::filesystem::path directory;  // where it begins; empty: /
  std::chrono::milliseconds deadline{60'000};
  std::size_t stdout_limit = std::size_t{64} << 20;  // bytes; more than that ends the process
  std::size_t stderr_limit = std::size_t{64} << 20;
  // Descriptor 3 of the child is a stream socket. What the child writes there becomes
  // Finished::channel. At a limit the child reads end-of-file there and has `grace` to end by
  // itself before its group is killed; it also reads end-of-file when this process dies.
  bool channel = false;
  // Bytes that the process itself may write, to files and pipes; 0 for any number. Looked at every 50 ms, so that it
  // may get somewhat further; not where /proc is not.
  std::uint64_t most_written = 0;
  std::chrono::milliseconds grace{5'000};
  std::function<bool()> stop;  // asked every 50 ms; true ends the process
};

enum class End {
  exited,        // status is the exit code
  signalled,     // status is the signal
  not_started,   // status is the errno of exec
  deadline,      // past its deadline
  output_limit,  // wrote more than a limit
  stopped,       // stop() said so
  wrote_too_much,  // wrote more than `most_written`
};

struct Finished {
  End end = End::not_started;
  int status = 0;
  std::string out, err, channel;  // out and err: at most their limits, the first bytes
  rusage usage{};                 // of the process and the children it waited for
  bool ok() const { return end == End::exited && status == 0; }
};

// Throws Error(environment) only when this machine cannot start processes at all (no descriptors,
// no memory).
Finished run(const Command& command);

// Absolute path of a program on PATH (or of one given with a "/"); empty if there is none to
// execute.
std::filesystem::path find_program(const std::string& name);

Environment current_environment();

// The last `bytes` of a text, as valid UTF-8: what is not becomes U+FFFD.
std::string tail(const std::string& text, std::size_t bytes = 4096);

std::string signal_name(int signal);  // "SIGSEGV (Segmentation fault)"

}  // namespace stackx::inspector
