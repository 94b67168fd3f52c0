// Texts that hold URLs, without the passwords of these: for messages, logs, and whatever is stored.
//
//   https://me:secret@host/simple   ->  https://***@host/simple
//   https://token@host/simple       ->  https://***@host/simple
//   https://me:secret               ->  https://me:***
//   https://host/?token=secret      ->  https://host/?token=***
//
// Passwords are people's, so not all of them are written as RFC 3986 wants them: what follows a host's colon and
// is no port is a password, and it ends at an '@' of the same line, whatever stands between. A text without
// one comes back as it was. Rejected: a URL parser, which gives up on just those URLs that messages complain of.
#pragma once

#include <string>

namespace stackx::specs {

std::string without_passwords(std::string text);

// Without user name and password alone: for keys, since the value of "?key=" may be what tells two files apart.
std::string without_logins(std::string text);

}  // namespace stackx::specs
