#include "advisor/candidate/have.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>
#include <vector>

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/version.hpp"

namespace stackx::advisor {
namespace {

struct Member {
  const char* name;
  std::string Have::*value;
  const char* example;
};
constexpr std::array<Member, 4> members{{{"driver", &Have::driver, "535.183.01"},
                                         {"python", &Have::python, "3.11"},
                                         {"cuda", &Have::cuda, "11.8"},
                                         {"glibc", &Have::glibc, "2.31"}}};

void take(Have& have, const std::string& part) {
  const auto equals = part.find('=');
  const auto name = part.substr(0, equals);
  auto value = equals == part.npos ? "" : part.substr(equals + 1);
  if (value.starts_with("=")) value.erase(0, 1);  // driver==535
  for (const auto& [known, member, example] : members) {
    if (name != known) continue;
    if (!is_release(value))
      throw bad_input(fmt::format("--have {}: expected {}=VERSION, as in {}={}", specs::in_quotes(part), name, name, example));
    if (!(have.*member).empty()) throw bad_input(fmt::format("--have: {} is given twice", name));
    have.*member = value;
    return;
  }
  throw bad_input(fmt::format(
      "--have {}: expected driver, python, cuda or glibc with a version, as in driver=535.183.01,python=3.11",
      specs::in_quotes(part)));
}

}  // namespace

std::string Have::text() const {
  std::vector<std::string> words;
  for (const auto& [name, member, example] : members)
    if (!(this->*member).empty()) words.push_back(fmt::format("{} {}", name, this->*member));
  return fmt::format("{}", fmt::join(words, ", "));
}

bool is_release(const std::string& version) {
  return version.find_first_not_of("0123456789.") == version.npos &&
         specs::Version::parse(version, specs::Versioning::pep440).has_value();
}

Have read_have(const std::string& text) {
  Have have;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    if (end > at) take(have, text.substr(at, end - at));
    at = end + 1;
  }
  return have;
}

}  // namespace stackx::advisor
