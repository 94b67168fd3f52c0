#include "tests/specs/version_texts.hpp"

#include <array>
#include <string_view>

namespace stackx::tests {
namespace {

template <std::size_t N>
std::string pick(Random& random, const std::array<const char*, N>& choices) {
  return choices[random.below(N)];
}

bool one_in(Random& random, std::uint64_t n) { return random.below(n) == 0; }

std::string number(Random& random) {
  switch (random.below(12)) {
    case 0:
      return "00" + std::to_string(random.below(3));
    case 1:
      return std::to_string(9 + random.below(3));  // length decides: 9, 10, 11
    case 2:
      return "1844674407370955161" + std::to_string(random.below(10));  // around 2^64
    case 3:
      return std::string(40, '9') + std::to_string(random.below(3));
    default:
      return std::to_string(random.below(3));
  }
}

std::string any_case(Random& random, std::string text) {
  if (one_in(random, 3))
    for (char& c : text)
      if (one_in(random, 2) && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string separator(Random& random) { return pick<6>(random, {"", "", "", ".", "-", "_"}); }

template <std::size_t N>
std::string labelled(Random& random, const std::array<const char*, N>& labels) {
  const std::string label = any_case(random, pick(random, labels));
  const std::string before = separator(random), after = separator(random);
  return before + label + after + (one_in(random, 4) ? "" : number(random));
}

std::string release(Random& random, std::uint64_t most = 4) {
  std::string text = number(random);
  for (std::uint64_t more = random.below(most); more > 0; --more) text += "." + number(random);
  return text;
}

std::string local(Random& random) {
  std::string text = "+";
  for (std::uint64_t segments = 1 + random.below(3); segments > 0; --segments) {
    text += one_in(random, 2)
                ? number(random)
                : any_case(random, pick<6>(random, {"a", "ab", "0a", "a0", "z", "deadbeef"}));
    if (segments > 1) text += pick<3>(random, {".", "-", "_"});
  }
  return text;
}

std::string pep440_public(Random& random, bool wide) {
  std::string text;
  if (one_in(random, 8)) text += any_case(random, "v");
  if (one_in(random, 6)) text += number(random) + "!";
  text += wide ? release(random, 3) + "." + number(random) : release(random);
  if (one_in(random, 3))
    text += labelled<8>(random, {"a", "b", "c", "rc", "alpha", "beta", "pre", "preview"});
  if (one_in(random, 3))
    text += one_in(random, 4) ? "-" + number(random) : labelled<3>(random, {"post", "rev", "r"});
  if (one_in(random, 3)) text += labelled<1>(random, {"dev"});
  return text;
}

std::string identifiers(Random& random, bool leading_zeros) {
  std::string text;
  for (std::uint64_t left = 1 + random.below(3); left > 0; --left) {
    if (one_in(random, 2)) {
      text += pick<9>(random, {"a", "A", "alpha", "beta", "-", "--1", "0a", "rc", "a-"});
    } else {
      std::string digits = number(random);
      if (!leading_zeros && digits[0] == '0') digits = "0";
      text += digits;
    }
    if (left > 1) text += ".";
  }
  return text;
}

}  // namespace

std::string pep440_text(Random& random) {
  std::string text = pep440_public(random, false);
  if (one_in(random, 4)) text += local(random);
  if (one_in(random, 20)) text = " \t" + text + "\n ";
  return text;
}

std::string semver_text(Random& random) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    std::string digits = number(random);
    if (digits[0] == '0') digits = "0";
    text += (i == 0 ? "" : ".") + digits;
  }
  if (one_in(random, 2)) text += "-" + identifiers(random, false);
  if (one_in(random, 4)) text += "+" + identifiers(random, true);
  return text;
}

std::string debian_text(Random& random) {
  const auto part = [&](std::string text) {
    for (std::uint64_t left = random.below(5); left > 0; --left)
      text += one_in(random, 2) ? number(random)
                                : pick<12>(random, {"~", "~~", ".", "+", "a", "Z", "dfsg", "~rc",
                                                    "+b", ".~", "deb", "a.~"});
    return text;
  };
  const bool epoch = one_in(random, 4);
  std::string text = epoch ? std::to_string(random.below(3)) + ":" : "";
  text += part(number(random));
  if (epoch && one_in(random, 6)) text += ":" + number(random);
  if (one_in(random, 6)) text += "-" + number(random);
  if (one_in(random, 2)) text += "-" + part(one_in(random, 3) ? "~" : number(random));
  return text;
}

std::string pep440_specifier(Random& random) {
  std::string text;
  for (std::uint64_t clauses = 1 + random.below(one_in(random, 2) ? 1 : 3); clauses > 0;
       --clauses) {
    const std::string operation = pick<14>(
        random, {"==", "==", "!=", "!=", "<", "<", "<", ">", ">", ">", "<=", ">=", "~=", "==="});
    if (one_in(random, 8)) text += " ";
    text += operation;
    if (one_in(random, 8)) text += "  ";
    const bool equality = operation == "==" || operation == "!=";
    if (equality && one_in(random, 2)) {
      text += (one_in(random, 8) ? "v" : "") +
              (one_in(random, 6) ? number(random) + "!" : std::string());
      text += release(random, 3) + ".*";
    } else {
      text += pep440_public(random, operation == "~=" && !one_in(random, 10));
      if (equality ? one_in(random, 3) : one_in(random, 40)) text += local(random);
    }
    if (clauses > 1 || one_in(random, 40)) text += one_in(random, 40) ? ",," : ",";
  }
  return text;
}

std::string mutated(Random& random, std::string text) {
  constexpr std::string_view characters = "0123456789.-_+!*~:abcdeprvxRC \t,=<>";
  for (std::uint64_t edits = 1 + random.below(2); edits > 0; --edits) {
    const std::size_t at = random.below(text.size() + 1);
    const char c = characters[random.below(characters.size())];
    switch (random.below(4)) {
      case 0:
        text.insert(at, 1, c);
        break;
      case 1:
        if (at < text.size()) text.erase(at, 1);
        break;
      case 2:
        if (at < text.size()) text[at] = c;
        break;
      default:
        if (at < text.size()) text.insert(at, 1, text[at]);
    }
  }
  return text;
}

}  // namespace stackx::tests
