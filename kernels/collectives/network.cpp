#include "kernels/collectives/network.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <bit>

namespace stackx::kernels::collectives {

std::string address_of(const sockaddr* address) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof(text));
  return text;
}

std::optional<std::string> network_of(const std::string& address) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return std::nullopt;
  std::optional<std::string> found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_netmask == nullptr || one->ifa_addr->sa_family != AF_INET ||
        address_of(one->ifa_addr) != address)
      continue;
    sockaddr_in network = *reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    const auto mask = reinterpret_cast<const sockaddr_in*>(one->ifa_netmask)->sin_addr.s_addr;
    network.sin_addr.s_addr &= mask;
    found = fmt::format("{}/{}", address_of(reinterpret_cast<const sockaddr*>(&network)), std::popcount(mask));
  }
  freeifaddrs(all);
  return found;
}

}  // namespace stackx::kernels::collectives
