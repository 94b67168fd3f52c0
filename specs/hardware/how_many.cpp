#include "specs/hardware/how_many.hpp"

#include <algorithm>
#include <charconv>

#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/name.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

constexpr std::string_view times = "xX*:";
constexpr std::size_t most_digits = 3;

std::string_view trimmed_of_spaces(std::string_view text) {
  const auto first = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::optional<CountedName> counted(std::string_view number, std::string_view one) {
  number = trimmed_of_spaces(number), one = trimmed_of_spaces(one);
  CountedName result{0, one};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), result.count);
  if (number.size() > most_digits || error != std::errc() || end != number.data() + number.size() || result.count == 0 || one.empty())
    return std::nullopt;
  return result;
}

}  // namespace

std::optional<CountedName> counted_name(std::string_view name) {
  name = trimmed_of_spaces(name);
  const auto first = name.find_first_of(times), last = name.find_last_of(times);
  if (first == name.npos) return std::nullopt;
  if (const auto before = counted(name.substr(0, first), name.substr(first + 1))) return before;
  // "Radeon 9070 xtx8" counts nothing.
  if (last > 0 && name[last] != ':' && name[last] != '*' && is_alphanumeric(name[last - 1]) && !is_digit(name[last - 1])) return std::nullopt;
  return counted(name.substr(last + 1), name.substr(0, last));
}

std::size_t how_many(const Accelerator& model, std::string_view name) {
  if (name.starts_with("ml.")) name.remove_prefix(3);  // SageMaker's name for an instance of EC2
  const auto words = hardware_words(name);
  std::size_t count = 1;
  for (const auto& [instance, number] : model.instances)
    if (words.contains(instance)) count = number;
  if (const auto found = counted_name(name); found && count == 1) count = found->count;
  return count;
}

}  // namespace stackx::specs
