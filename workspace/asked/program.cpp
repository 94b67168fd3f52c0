#include "workspace/asked/program.hpp"

#include <fmt/format.h>

#include "specs/error.hpp"
#include "specs/project/pi_program.hpp"

namespace stackx::workspace {
namespace {

constexpr std::size_t fewest_digits = 6, shown_digits = 12;

bool is_digest(const std::string& text) {
  return text.size() >= fewest_digits && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

store::WhoseResults asked_program(const std::string& text, const Context& context) {
  if (text.empty()) return store::own_results;
  std::error_code error;
  if (context.words_name_files && std::filesystem::exists(text, error)) return specs::foreign_program(text).sha256;
  if (is_digest(text)) return text;
  throw bad_input(fmt::format("--pi {}: no such file; expected the program that measured, or its SHA-256 ({} digits or more)",
                              text, fewest_digits));
}

std::vector<std::string> left_out(const store::Questions& questions, const store::QuestionFilter& filter) {
  std::vector<std::string> lines;
  if (filter.whose != store::own_results) return lines;
  for (const auto& one : questions.foreign(filter))
    lines.push_back(fmt::format("{} inspection{} by {} (not stackx's own PI) {} left out: --pi {} shows {}",
                                one.inspections, one.inspections == 1 ? "" : "s", one.path,
                                one.inspections == 1 ? "is" : "are", one.program.substr(0, shown_digits),
                                one.inspections == 1 ? "it" : "them"));
  return lines;
}

}  // namespace stackx::workspace
