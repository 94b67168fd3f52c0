#include "campaigns/cluster/node/wire.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "campaigns/campaign.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::campaigns::cluster {
namespace {

constexpr std::size_t longest_message = std::size_t{1} << 20;

void set_option(int descriptor, int level, int option, int value) { setsockopt(descriptor, level, option, &value, sizeof value); }

// A node that lost its power says nothing: it is asked every five seconds, and is gone after half a minute without an answer.
void watch_over(int descriptor) {
  set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 4);
  set_option(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
  set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
}

bool is_ready(int descriptor, short events, int milliseconds) {
  pollfd one{descriptor, events, 0};
  return poll(&one, 1, milliseconds) > 0;
}

sockaddr_in address_at(int descriptor, int (*which)(int, sockaddr*, socklen_t*)) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  which(descriptor, reinterpret_cast<sockaddr*>(&address), &length);
  return address;
}

std::string address_text(const sockaddr_in& address) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  return text;
}

int bound(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  set_option(descriptor, SOL_SOCKET, SO_REUSEADDR, 1);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return descriptor;
  const int why = errno;
  close(descriptor);
  errno = why;
  return -1;
}

// A connected descriptor, or -1 and why in words.
int called(const Meeting& meeting, std::string& why) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (const int error = getaddrinfo(meeting.host.c_str(), std::to_string(meeting.port).c_str(), &hints, &found); error != 0) {
    why = gai_strerror(error);
    return -1;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, freeaddrinfo);
  for (const auto* one = found; one != nullptr; one = one->ai_next) {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    set_option(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, 5'000);  // also of connect
    if (connect(descriptor, one->ai_addr, one->ai_addrlen) == 0) return descriptor;
    why = std::strerror(errno);
    close(descriptor);
  }
  return -1;
}

}  // namespace

Wire::Wire(int descriptor) : descriptor_(descriptor) { watch_over(descriptor); }
Wire::Wire(Wire&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), open_(other.open_), read_(std::move(other.read_)) {}
Wire::~Wire() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Wire::send(const nlohmann::json& message) {
  const auto line = specs::canonical(message) + "\n";
  for (std::size_t at = 0; at < line.size() && open_;) {
    const auto sent = ::send(descriptor_, line.data() + at, line.size() - at, MSG_NOSIGNAL);
    if (sent > 0) at += static_cast<std::size_t>(sent);
    else if (errno != EINTR) open_ = false;
  }
}

std::optional<nlohmann::json> Wire::next(int milliseconds) {
  for (;;) {
    if (const auto end = read_.find('\n'); end != read_.npos) {
      auto message = nlohmann::json::parse(read_.begin(), read_.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
      read_.erase(0, end + 1);
      if (message.is_object()) return message;
      open_ = false;
    }
    if (!open_ || !is_ready(descriptor_, POLLIN, milliseconds)) return std::nullopt;
    char some[4096];
    const auto got = recv(descriptor_, some, sizeof some, 0);
    if (got > 0) read_.append(some, static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR) open_ = false;
    if (read_.size() > longest_message) open_ = false;
    milliseconds = 0;
  }
}

std::string Wire::own_address() const { return address_text(address_at(descriptor_, getsockname)); }
std::string Wire::other_address() const { return address_text(address_at(descriptor_, getpeername)); }

std::string Wire::interface() const {
  const auto own = address_at(descriptor_, getsockname);
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return "";
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> kept(all, freeifaddrs);
  for (const auto* one = all; one != nullptr; one = one->ifa_next)
    if (one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET &&
        reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr == own.sin_addr.s_addr)
      return one->ifa_name;
  return "";
}

Meeting meeting_from(const std::string& text) {
  const auto colon = text.rfind(':');
  Meeting meeting;
  if (colon != text.npos && colon > 0) {
    const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), meeting.port);
    meeting.host = text.substr(0, colon);
    if (error == std::errc() && end == text.data() + text.size() && meeting.port > 0) return meeting;
  }
  throw bad_input(fmt::format("--meet {}: expected the first node and a port there (n1:29400)", text));
}

Door::Door(std::uint16_t port) : descriptor_(bound(port)) {
  if (descriptor_ >= 0 && listen(descriptor_, 128) == 0) return;
  const auto why = std::string(std::strerror(errno));
  if (descriptor_ >= 0) close(descriptor_);
  throw broken_environment(fmt::format("port {}, at which the first node of a block awaits the others: {}", port, why));
}
Door::~Door() { close(descriptor_); }

std::uint16_t Door::port() const { return ntohs(address_at(descriptor_, getsockname).sin_port); }

std::optional<Wire> Door::open(int milliseconds) {
  if (!is_ready(descriptor_, POLLIN, milliseconds)) return std::nullopt;
  const int descriptor = accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  return Wire(descriptor);
}

Wire knock(const Meeting& meeting, double seconds, const std::function<bool()>& stop) {
  const double end = steady_seconds() + seconds;
  std::string why;
  for (;;) {
    if (const int descriptor = called(meeting, why); descriptor >= 0) return Wire(descriptor);
    if (stop() || steady_seconds() >= end)
      throw broken_environment(fmt::format("{}:{}, where the first node of this block should await this one: {}", meeting.host, meeting.port, why));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

std::uint16_t two_free_ports() {
  for (int tries = 0; tries < 100; ++tries) {
    const int first = bound(0);
    if (first < 0) break;
    const auto port = ntohs(address_at(first, getsockname).sin_port);
    const int second = port < 65535 ? bound(static_cast<std::uint16_t>(port + 1)) : -1;
    close(first);
    if (second < 0) continue;
    close(second);
    return port;
  }
  throw broken_environment("no two free ports one behind the other, at which workers could meet");
}

}  // namespace stackx::campaigns::cluster
