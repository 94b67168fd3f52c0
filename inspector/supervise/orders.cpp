#include "inspector/supervise/orders.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace stackx::supervise {
namespace {

void parse_cpus(const char* text, Orders& orders) {
  CPU_ZERO(&orders.cpus);
  for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
    const long cpu = std::strtol(text, &end, 10);
    if (end == text || cpu < 0 || cpu >= CPU_SETSIZE) refuse_orders("--cpus wants numbers and commas");
    CPU_SET(cpu, &orders.cpus);
    orders.has_cpus = true;
  }
}

}  // namespace

void refuse_orders(const char* what) {
  std::fprintf(stderr, "stackx-supervise: %s; it is started by stackx inspect, not by hand\n", what);
  std::exit(2);
}

Orders parse_orders(int argc, char** argv) {
  Orders orders;
  int i = 1;
  for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
    const std::string option = argv[i];
    if (option == "--counted" || option == "--own-namespace") {
      (option == "--counted" ? orders.counted : orders.own_namespace) = true;
      continue;
    }
    if (++i >= argc) refuse_orders("an option lacks its value");
    char* value = argv[i];
    const auto number = [&] { return std::strtoull(value, nullptr, 10); };
    if (option == "--seconds") {
      orders.seconds = std::atof(value);
    } else if (option == "--memory") {
      orders.memory = number();
    } else if (option == "--processes") {
      orders.processes = number();
    } else if (option == "--tasks") {
      orders.tasks = number();
    } else if (option == "--disk") {
      orders.disk = number();
    } else if (option == "--user") {
      orders.user = static_cast<uid_t>(number());
    } else if (option == "--cpus") {
      parse_cpus(value, orders);
    } else if (option == "--writable") {
      orders.writable.push_back(value);
    } else if (option == "--mark") {  // it stands there for others to read (meters/run_mark.hpp)
    } else if (option == "--env") {
      orders.environment.push_back(value);
    } else {
      refuse_orders("unknown option");
    }
  }
  for (++i; i < argc; ++i) orders.argv.push_back(argv[i]);
  if (orders.argv.empty()) refuse_orders("no program after --");
  if (!(orders.seconds > 0) || orders.memory == 0 || orders.processes == 0 || orders.tasks == 0)
    refuse_orders("--seconds, --memory, --processes and --tasks are wanted, above 0");
  orders.argv.push_back(nullptr);
  orders.environment.push_back(nullptr);
  return orders;
}

}  // namespace stackx::supervise
