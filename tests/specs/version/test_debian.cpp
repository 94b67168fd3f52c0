#include <catch2/catch.hpp>
#include <cctype>
#include <vector>

#include "specs/random.hpp"
#include "tests/cases.hpp"
#include "tests/specs/oracle.hpp"
#include "tests/specs/version_checks.hpp"
#include "tests/specs/version_texts.hpp"

using namespace stackx::specs;
using namespace stackx::tests;

namespace debian_oracle {

// deb-version(7) word by word: runs of non-digits and digits in turn.
int weight(const std::string& text, std::size_t at) {  // of the character at, the end included
  if (at == text.size() || std::isdigit(static_cast<unsigned char>(text[at]))) return 0;
  if (text[at] == '~') return -1;
  return std::isalpha(static_cast<unsigned char>(text[at])) ? text[at] : text[at] + 256;
}

std::string take_digits(const std::string& text, std::size_t& at) {
  std::string digits;
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])))
    digits += text[at++];
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

int compare_part(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    while (weight(a, i) != 0 || weight(b, j) != 0) {
      if (weight(a, i) != weight(b, j)) return weight(a, i) < weight(b, j) ? -1 : 1;
      ++i, ++j;
    }
    const std::string x = take_digits(a, i), y = take_digits(b, j);
    if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

int compare(std::string a, std::string b) {
  const auto epoch = [](std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return std::string();
    const std::string result = text.substr(0, colon);
    text.erase(0, colon + 1);
    return result;
  };
  const auto revision = [](std::string& text) {
    const std::size_t hyphen = text.rfind('-');
    if (hyphen == std::string::npos) return std::string();
    const std::string result = text.substr(hyphen + 1);
    text.erase(hyphen);
    return result;
  };
  const std::string epoch_a = epoch(a), epoch_b = epoch(b);
  if (const int order = compare_part(epoch_a, epoch_b); order != 0) return order;
  const std::string revision_a = revision(a), revision_b = revision(b);
  const int order = compare_part(a, b);
  return order != 0 ? order : compare_part(revision_a, revision_b);
}

}  // namespace debian_oracle

TEST_CASE("debian: order, equality, errors") {
  const auto debian = Versioning::debian;
  check_ascending(
      {"0~~",     "0~~a",          "0~",    "0",        "0a",     "1.0~rc1-1", "1.0",
       "1.0-0.1", "1.0-1~bpo12+1", "1.0-1", "1.0-1+b1", "1.0-10", "1.0a",      "1.0+dfsg-1",
       "1.0-1-1", "1.0.1",         "1.9",   "1.10",     "1:0.1",  "1:0:1",     "2:0"},
      debian);
  check_equal({"1.0", "0:1.0", "1.0-0", "01.00", "00:1.0-00"}, debian);
  check_equal({"1.a", "1.a0"}, debian);
  CHECK(make_version(" 1:1.0-1 ", debian).text() == "1:1.0-1");
  CHECK_FALSE(make_version("1.0~rc1", debian).is_prerelease());

  check_error("", debian, 1, "must start with a digit");
  check_error("a1", debian, 1, "must start with a digit");
  check_error("x:1", debian, 1, "the epoch, before ':', must be a number");
  check_error(":1", debian, 1, "the epoch");
  check_error("1.0:1", debian, 2, "the epoch");
  check_error("1:", debian, 3, "must start with a digit");
  check_error(" 1_0", debian, 3, "an upstream version has");
  check_error("1.0-", debian, 5, "a revision must follow");
  check_error("1.0-1_2", debian, 6, "a revision has");
  check_error("1:1.0-1:2", debian, 8, "a revision has");
}

TEST_CASE("debian: some thousand pairs as deb-version(7) orders them") {
  Random random(7);
  std::string previous = debian_text(random);
  for (int i = 0; i < 10000; ++i) {
    std::string text = debian_text(random);
    if (random.below(3) == 0) {
      const std::string near = mutated(random, previous);
      if (Version::parse(near, Versioning::debian) &&
          near.find_first_of(" \t") == std::string::npos)
        text = near;
    }
    CAPTURE(previous, text);
    const Version left = make_version(previous, Versioning::debian),
                  right = make_version(text, Versioning::debian);
    const int order = debian_oracle::compare(previous, text);
    REQUIRE(sign(left <=> right) == order);
    REQUIRE(sign(right <=> left) == -order);
    REQUIRE((left == right) == (order == 0));
    previous = text;
  }
}

TEST_CASE("debian: some hundred versions and pairs of them as dpkg has them") {
  Random random(12);
  std::vector<std::string> texts, valid;
  for (std::uint64_t i = 0; i < stackx::test::cases(300, 1000); ++i) {  // dpkg is started for each
    std::string text = debian_text(random);
    if (i % 2 == 1) text = mutated(random, i % 4 == 1 ? text : texts.back());
    // dpkg's strtol takes "+1:2" and " 1:2", and white space around a version is ours to ignore.
    if (text.empty() || text.find_first_of(" \t") != std::string::npos || text[0] == '+') continue;
    texts.push_back(text);
    if (Version::parse(text, Versioning::debian)) valid.push_back(text);
  }
  nlohmann::json pairs = nlohmann::json::array();
  for (std::size_t i = 0; i < stackx::test::cases(500, 2000); ++i) {
    const std::size_t at = random.below(valid.size());
    const bool neighbours = i % 2 == 0;
    pairs.push_back(
        {valid[at], valid[neighbours ? (at + 1) % valid.size() : random.below(valid.size())]});
  }
  const Answer answer = ask_oracle("oracle_dpkg.py", {{"versions", texts}, {"pairs", pairs}});
  if (!answer.json) {
    WARN("skipped: " << answer.skipped);
    return;
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(texts[i]);
    const auto version = Version::parse(texts[i], Versioning::debian);
    // The one difference: our epochs may have any size.
    const bool huge_epoch =
        version && texts[i].find(':') != std::string::npos && texts[i].find(':') > 9;
    if (!huge_epoch) REQUIRE(version.has_value() == (*answer.json)["versions"][i].get<bool>());
  }
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const std::string a = pairs[k][0], b = pairs[k][1];
    if (a.find(':') != std::string::npos && a.find(':') > 9) continue;
    if (b.find(':') != std::string::npos && b.find(':') > 9) continue;
    CAPTURE(a, b);
    REQUIRE(sign(make_version(a, Versioning::debian) <=> make_version(b, Versioning::debian)) ==
            (*answer.json)["pairs"][k].get<int>());
  }
}
