#include "campaigns/cluster/block_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/project/cluster.hpp"

namespace stackx::campaigns::cluster {
namespace {

[[noreturn]] void refuse_list(std::string_view text) {
  throw bad_input(fmt::format("{}: expected numbers of blocks like 0-3,7", specs::in_quotes(text)));
}

std::uint64_t number_in(std::string_view digits, std::string_view all) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || value >= specs::most_blocks) refuse_list(all);
  return value;
}

}  // namespace

std::string text_of(const Blocks& blocks) {
  std::string text;
  for (std::size_t i = 0; i < blocks.size();) {
    std::size_t last = i;
    while (last + 1 < blocks.size() && blocks[last + 1] == blocks[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", blocks[i]);
    if (last > i) text += fmt::format("-{}", blocks[last]);
    i = last + 1;
  }
  return text;
}

Blocks blocks_from(std::string_view text) {
  Blocks blocks;
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    const auto part = rest.substr(0, comma);
    const auto dash = part.find('-');
    const auto first = number_in(part.substr(0, dash), text);
    const auto last = dash == part.npos ? first : number_in(part.substr(dash + 1), text);
    if (last < first || (!blocks.empty() && first <= blocks.back())) refuse_list(text);
    for (auto block = first; block <= last; ++block) blocks.push_back(block);
    if (comma == rest.npos) return blocks;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace stackx::campaigns::cluster
