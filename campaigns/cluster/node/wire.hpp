// What the nodes of one block tell one another: JSON, a line each, over TCP.
//
// A connection says at once that a node's program has ended, and within half a minute that a node is gone. Rejected: files on the
// spool, which a network file system shows to others up to a minute later, and which Kubernetes without a volume has not.
//
// Who connects must know the block's secret. It keeps strangers and a block's earlier start away, not somebody who reads the wire:
// what is told is which arm of a frozen plan runs next, and how it ended.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace stackx::campaigns::cluster {

class Wire {
 public:
  explicit Wire(int descriptor);
  ~Wire();
  Wire(Wire&& other) noexcept;
  Wire& operator=(Wire&&) = delete;

  void send(const nlohmann::json& message);  // where the other is gone, nothing happens: next() tells
  // The next message, or nothing within so long.
  std::optional<nlohmann::json> next(int milliseconds);
  // The other has ended, its node is gone, or it sends what is no message.
  bool is_open() const { return open_; }

  std::string own_address() const;    // "10.1.0.7", as the other reaches it
  std::string other_address() const;
  std::string interface() const;      // "eth0", that has own_address(); "" if none has

 private:
  int descriptor_;
  bool open_ = true;
  std::string read_;
};

// "n1:29400"
struct Meeting {
  std::string host;
  std::uint16_t port = 0;
};
Meeting meeting_from(const std::string& text);  // throws Error(bad_input)

// Where the first node of a block awaits the others. Throws Error(environment) where the port is taken.
class Door {
 public:
  explicit Door(std::uint16_t port);
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  std::uint16_t port() const;
  std::optional<Wire> open(int milliseconds);  // the next one who knocks, if one does within so long

 private:
  int descriptor_;
};

// Tries until somebody answers there, `seconds` are over or `stop` says so; then throws Error(environment).
Wire knock(const Meeting& meeting, double seconds, const std::function<bool()>& stop);

// Behind which the next one is free, too: now, at least.
std::uint16_t two_free_ports();

}  // namespace stackx::campaigns::cluster
