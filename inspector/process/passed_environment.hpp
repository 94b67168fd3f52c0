// What of our own environment the programs that we start are given.
//
// An environment holds tokens and passwords (AWS_SECRET_ACCESS_KEY, the user of PIP_INDEX_URL), and whoever runs code of
// strangers must not hold them: /proc shows a process's environment to its user, and engines hand some of it on. So
// names are chosen, for what each kind of program needs; nothing else goes with them. Only uv and pip, where they
// fetch and run nothing, get all.
//
// No program begins where the user stands (process.hpp), and some settings are paths that are meant from there
// (SSL_CERT_FILE=certs/ours.pem): those are made absolute.
#pragma once

#include "inspector/process/process.hpp"

namespace stackx::inspector {

// PATH and a locale: for what holds or runs foreign code.
Environment bare_environment();

// And what a program of this machine is found, configured and linked by: HOME, XDG_*, LD_LIBRARY_PATH, ...
Environment tool_environment();

// And what container engines are configured by: DOCKER_*, CONTAINERS_*, the session's bus, ...
Environment engine_environment();

// And proxies, with their passwords: for engines and tools that fetch.
Environment fetching_environment();

// All of it: for uv and pip.
Environment installer_environment();

}  // namespace stackx::inspector
