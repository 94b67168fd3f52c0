// Numbers as people read them.
#pragma once

#include <string>

#include "resolver/resolver.hpp"

namespace stackx::workspace {

std::string grouped(const resolver::BigInt& number);  // 139,740,802
std::string counted(const resolver::BigInt& number, const std::string& noun);  // "1 stack", "1,200 stacks"
std::string were(std::size_t number);                  // "1 was", "2 were"
std::string duration(double seconds);                 // "4.2 s", "3 min 05 s", "2 h 10 min"
// "Facts as of 2026-11-22"; past 90 days with their age and what to do. `today`: "2026-11-22".
std::string freshness(const std::string& as_of, const std::string& today, const std::string& to_renew = "stackx catalog refresh");
bool is_stale(const std::string& as_of, const std::string& today);  // more than 90 days old
std::string today();  // UTC
std::string bytes(double count);                      // "195.5 MB"

}  // namespace stackx::workspace
