// Who knows the answers: given to the server by who knows the questions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "serve/answers/answers.hpp"
#include "serve/http/target.hpp"

namespace stackx::serve {

// How an answer is to look.
struct Form {
  enum class Kind { json, text, markdown };
  Kind kind = Kind::json;
  std::size_t columns = 80;  // of text
};

// Who knows the questions. Called from several threads.
class Asker {
 public:
  virtual ~Asker() = default;
  // The kind of address that it knows, "/v1/hardware/NAME": what metrics count by. "": it knows none such.
  virtual std::string route(const Target& target) const = 0;
  virtual Answer answer(const Target& target, const Form& form) const = 0;  // never throws; takes its time
  virtual std::string openapi() const = 0;
  virtual std::vector<std::string> projects() const { return {}; }  // whose spaces can be asked about, by name
};

}  // namespace stackx::serve
