#include "specs/format/listed.hpp"

namespace stackx::specs {

std::string listed(const std::vector<std::string>& names, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " " + std::string(last) + " " : ", ") + names[i];
  return text;
}

}  // namespace stackx::specs
