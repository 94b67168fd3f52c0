// This machine's network: addresses as text, and the network that one is of.
#pragma once

#include <optional>
#include <string>

struct sockaddr;

namespace stackx::kernels::collectives {

std::string address_of(const sockaddr* address);  // of IPv4: "10.1.0.7"

// "10.1.0.0/24" of the interface that has the address "10.1.0.7"; nothing where none has it.
std::optional<std::string> network_of(const std::string& address);

}  // namespace stackx::kernels::collectives
