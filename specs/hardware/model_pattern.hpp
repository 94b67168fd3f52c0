// How a maker numbers the models of one kind: "EPYC 7?#3*" are the EPYC 7763, the 7713P and the 7R13.
//
// '#' is a digit, '?' a digit or letter, '*' at a word's end what may follow it: a suffix, never more digits of a number
// ("7##3*" is "7773X", not "77635"). Other words may stand before, between and behind ("AMD EPYC 7763 64-Core Processor"),
// and words may be run together ("epyc7763"). Rejected: std::regex, in which nobody would proofread a hundred of these.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::specs {

class ModelPattern {
 public:
  explicit ModelPattern(std::string_view text);

  const std::string& text() const { return text_; }
  // How much of a name it fixes: "Gold 63##H*" is more exact than "Gold 63##*".
  std::size_t fixed() const;
  // `words`: of a name, as model_words() has them.
  bool matches(const std::vector<std::string>& words) const;

 private:
  std::string text_;
  std::vector<std::string> words_;
  std::string run_together_;
};

// Of "Intel(R) Xeon(R) CPU E5-2698v4": "intel", "xeon", "cpu", "e5", "2698", "v4".
std::vector<std::string> model_words(std::string_view name);

}  // namespace stackx::specs
