// The supervisor's channel where an engine passes no descriptors to its containers (docker, whose daemon, not
// its client, starts them).
//
//   stackx --descriptor 3-- relay --socket, mounted into the container-- supervisor, PID 1 there
//
// The relay stands before the engine's client on this machine: it makes a directory of its own with a socket
// in it, starts the client, accepts one connection, and passes on bytes and end-of-file both ways. So a limit
// of stackx's reaches the supervisor as end-of-file and its report comes back, as without an engine between.
// When stackx dies, the relay sees end-of-file, too, and the supervisor inside ends everything; when the relay
// itself is killed, the connection closes with the same effect. Rejected: the container's stdin as channel,
// which has one direction only; a mounted file for the report, which tells nobody that stackx died.
//
// The directory can be entered but not listed, and the socket be written by all, since in the container other
// users' numbers may hold (user namespaces); its name is random and it takes one connection, then is gone.
#pragma once

namespace stackx::supervise {

// argv ends in nullptr. Returns the client's exit status (128 + signal if one ended it), 126 if the socket
// cannot be made.
int relay(const char* socket, char** argv);

// In the container: connects descriptor 3 to the relay and becomes the program. Returns (126) only if it
// cannot.
int connect_channel(const char* socket, char** argv);

}  // namespace stackx::supervise
