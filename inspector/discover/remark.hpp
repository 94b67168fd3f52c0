// What looking for installed software says on the way: what was found where, what was left out and why.
#pragma once

#include <functional>
#include <string>

namespace stackx::inspector {

struct Remark {
  enum Kind { found, left_out, note } kind;
  std::string text;  // one line
};
using Remarks = std::function<void(const Remark&)>;

}  // namespace stackx::inspector
