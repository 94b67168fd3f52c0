// A PI that misbehaves on request: its first argument says how. Everything else is key=value.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace {

using Json = nlohmann::json;
using Parameters = std::map<std::string, std::string>;

Json good_document() {
  return {{"name", "fake"},
          {"component", "fake"},
          {"parameters", Json::object()},
          {"samples_ns", {5000000, 5000001, 4999999}},
          {"work", {{"flop", 1e6}, {"bytes", 0}, {"items", 1}}},
          {"check",
           {{"reference", "itself"}, {"max_relative_error", 0}, {"bound", 1e-6}, {"pass", true}}},
          {"loaded", Json::object()},
          {"files", Json::array()},
          {"phases", {{{"name", "measure"}, {"start_ns", 1}, {"duration_ns", 2}}}}};
}

int good() {
  std::cout << good_document() << std::endl;
  return 0;
}

// 32 samples of 0.1 s in a phase that says when, with something before and after.
int sleeper() {
  using namespace std::chrono;
  auto document = good_document();
  document["samples_ns"] = Json::array();
  std::this_thread::sleep_for(milliseconds(500));
  const auto begin = system_clock::now();
  for (int i = 0; i < 32; ++i) {
    const auto start = steady_clock::now();
    std::this_thread::sleep_for(milliseconds(100));
    document["samples_ns"].push_back(nanoseconds(steady_clock::now() - start).count());
  }
  const auto end = system_clock::now();
  document["phases"] = {{{"name", "measure"},
                         {"start_ns", nanoseconds(begin.time_since_epoch()).count()},
                         {"duration_ns", nanoseconds(end - begin).count()}}};
  std::cout << document << std::endl;
  std::this_thread::sleep_for(milliseconds(100));
  return 0;
}

int with_samples(const char* samples) {
  std::cout << R"({"name":"fake","samples_ns":)" << samples << "}\n";
  return 0;
}

// Arguments and environment as they arrived.
int echo(const std::vector<std::string>& words) {
  auto document = good_document();
  for (std::size_t i = 0; i < words.size(); ++i) {
    document["parameters"]["argv" + std::to_string(i)] = words[i];
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    document["parameters"]["env " + text.substr(0, text.find('='))] =
        text.substr(text.find('=') + 1);
  }
  document["parameters"]["cwd"] = std::string(get_current_dir_name());
  std::cout << document << std::endl;
  return 0;
}

int state() {
  auto document = good_document();
  cpu_set_t cpus;
  sched_getaffinity(0, sizeof cpus, &cpus);
  document["parameters"] = {{"randomised", (personality(0xffffffffUL) & ADDR_NO_RANDOMIZE) == 0},
                            {"cpus", CPU_COUNT(&cpus)},
                            {"descriptors", [] {
                               int open = 0;
                               for (int fd = 0; fd < 256; ++fd) open += fcntl(fd, F_GETFD) != -1;
                               return open;
                             }()}};
  std::cout << document << std::endl;
  return 0;
}

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

// A child of the usual kind, or one that leaves group, session and parent as daemons do.
int leave(bool daemon) {
  if (fork() == 0) {
    if (daemon) {
      setsid();
      if (fork() != 0) _exit(0);
    }
    close(1);
    close(2);
    sleep_for_ever();
  }
  if (daemon) usleep(20'000);
  return good();
}

int flood(int fd) {
  const std::vector<char> block(1 << 20, 'x');
  for (int i = 0; i < 1024; ++i) {
    if (write(fd, block.data(), block.size()) < 0) return 7;
  }
  return 0;
}

int eat(std::size_t mebibytes) {
  for (std::size_t i = 0; i < mebibytes; ++i) {
    auto* block = static_cast<char*>(std::malloc(1 << 20));
    std::memset(block, 1, 1 << 20);
  }
  sleep_for_ever();
}

int eat_together() {
  for (int i = 0; i < 4; ++i) {
    if (fork() == 0) eat(100);
  }
  sleep_for_ever();
}

// 60 MiB that all see, and 50 MiB of each of three: 210 MiB, while the largest process has 110.
int hold_together() {
  constexpr std::size_t shared_size = 60 << 20;
  void* const shared = mmap(nullptr, shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  std::memset(shared, 1, shared_size);
  auto& holding = *new (shared) std::atomic<int>(0);
  for (int i = 0; i < 3; ++i) {
    if (fork() != 0) continue;
    const std::vector<char> own(50 << 20, 1);
    std::uint64_t seen = own.size();
    for (std::size_t i = sizeof holding; i < shared_size; i += 4096) seen += static_cast<char*>(shared)[i];  // mapped here, too
    ++holding;
    while (holding < 3) usleep(1000);  // all at once, also where processors are few
    sleep(4);  // long enough to be looked at, however busy the machine
    _exit(seen == 0);
  }
  while (wait(nullptr) > 0) {
  }
  return good();
}

int many_processes() {
  for (int i = 0; i < 400; ++i) {
    if (fork() == 0) sleep_for_ever();
  }
  sleep_for_ever();
}

int network(const Parameters& parameters) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(parameters.at("port"))));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::perror("fake_pi: no network");
    return 4;
  }
  return good();
}

int write_file(const Parameters& parameters) {
  std::ofstream stream(parameters.at("file"));
  stream << "was here" << std::endl;
  if (stream) return good();
  std::cerr << "fake_pi: cannot write there\n";
  return 5;
}

int read_file(const Parameters& parameters) {
  if (std::ifstream(parameters.at("file"))) return good();
  std::cerr << "fake_pi: cannot read that\n";
  return 6;
}

int wrong() {
  auto document = good_document();
  document["check"] = {
      {"reference", "itself"}, {"max_relative_error", 0.5}, {"bound", 1e-6}, {"pass", false}};
  document["samples_ns"] = Json::array();
  std::cout << document << std::endl;
  return 0;
}

int raise_signal(int number) {
  std::signal(number, SIG_DFL);
  raise(number);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  Parameters parameters;
  for (const auto& word : words) {
    if (const auto equals = word.find('='); equals != std::string::npos) {
      parameters[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  const std::map<std::string, std::function<int()>> behaviours{
      {"good", good},
      {"impossible",
       [] {
         auto document = good_document();
         document["work"]["flop"] = 1e15;
         std::cout << document << std::endl;
         return 0;
       }},
      {"sleeper", sleeper},
      {"echo", [&] { return echo(words); }},
      {"state", state},
      {"hang", []() -> int { sleep_for_ever(); }},
      {"spin",
       []() -> int {
         for (std::atomic<int> i = 0;; ++i) {
         }
       }},
      {"segfault", [] { return raise_signal(SIGSEGV); }},
      {"killed", [] { return raise_signal(SIGKILL); }},
      {"child", [] { return leave(false); }},
      {"daemon", [] { return leave(true); }},
      {"flood", [] { return flood(1); }},
      {"flood_errors", [] { return flood(2); }},
      {"garbage",
       [] {
         std::cout << "\xff\xfe <html>not json</html>\n";
         return 0;
       }},
      {"silence", [] { return 0; }},
      {"two",
       [] {
         good();
         return good();
       }},
      {"array",
       [] {
         std::cout << "[1, 2]\n";
         return 0;
       }},
      {"nan", [] { return with_samples("[5000000, NaN]"); }},
      {"negative", [] { return with_samples("[5000000, -3]"); }},
      {"zero", [] { return with_samples("[0]"); }},
      {"fraction", [] { return with_samples("[1.5]"); }},
      {"none", [] { return with_samples("[]"); }},
      {"eat", [] { return eat(100'000); }},
      {"eat_together", eat_together},
      {"hold_together", hold_together},
      {"many_processes", many_processes},
      {"exit3",
       [] {
         std::cerr << "cannot go on\n";
         return 3;
       }},
      {"network", [&] { return network(parameters); }},
      {"write", [&] { return write_file(parameters); }},
      {"read", [&] { return read_file(parameters); }},
      {"wrong", wrong},
      {"unsupported",
       [] {
         std::cout << R"({"unsupported": "no bfloat16 here"})"
                   << "\n";
         return 0;
       }},
  };
  const auto found = behaviours.find(words.empty() ? "" : words[0]);
  if (found == behaviours.end()) {
    std::cerr << "fake_pi: no such behaviour\n";
    return 64;
  }
  return found->second();
}
