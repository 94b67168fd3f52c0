// What Debian's package manager says: which version of a package is installed, which package owns a
// file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stackx::inspector {

// Answers are kept for the life of the object: dpkg-query takes some ten milliseconds a question.
class Packages {
 public:
  virtual ~Packages() = default;
  // Empty if the package is not installed.
  std::optional<std::string> version(const std::string& package);
  // Empty if no package owns it, or nobody can tell.
  std::optional<std::string> owner(const std::string& file);

 protected:
  // What `dpkg-query ARGUMENTS` prints; empty on failure. Tests answer themselves.
  virtual std::string query(const std::vector<std::string>& arguments);

 private:
  std::map<std::string, std::optional<std::string>> versions_, owners_;
};

}  // namespace stackx::inspector
