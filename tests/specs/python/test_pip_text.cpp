// The encodings of requirements files.
#include "specs/python/pip_text.hpp"

#include <catch2/catch.hpp>

#include <string>

#include "specs/python/requirements_txt.hpp"
#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"

namespace pip_text_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using namespace std::string_literals;
using Catch::Matchers::Contains;

namespace {

// Of characters below U+10000, which are what they are in UTF-16.
std::string utf16(const std::u16string& text, bool big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
    bytes += big_endian ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

std::string refusal(const std::string& bytes) {
  return message_of([&] { pip_text(bytes, "r.txt"); });
}

}  // namespace

TEST_CASE("pip text: a byte order mark says which Unicode it is") {
  // One character of each length in UTF-8, the last a surrogate pair.
  const std::u16string text = u"a\u00e9\u20ac\U0001f40d\r\n";
  const std::string expected = "a\u00e9\u20ac\U0001f40d\r\n";
  CHECK(pip_text("\xef\xbb\xbf" + expected, "r.txt") == expected);
  CHECK(pip_text("\xff\xfe" + utf16(text, false), "r.txt") == expected);
  CHECK(pip_text("\xfe\xff" + utf16(text, true), "r.txt") == expected);
  CHECK(pip_text("\xff\xfe\0\0a\0\0\0\x0d\xf4\x01\0"s, "r.txt") == "a\U0001f40d");
  CHECK(pip_text("\0\0\xfe\xff\0\0\0a\0\x01\xf4\x0d"s, "r.txt") == "a\U0001f40d");
  CHECK(pip_text("\xff\xfe"s, "r.txt").empty());
  CHECK(pip_text(expected, "r.txt") == expected);
}

TEST_CASE("pip text: a coding line among the first two, as PEP 263 has it") {
  CHECK(pip_text("# -*- coding: latin-1 -*-\n# caf\xe9\n", "r.txt") == "# -*- coding: latin-1 -*-\n# caf\u00e9\n");
  CHECK(pip_text("# one\n# vim: set fileencoding=ISO_8859_1 :\n# \xe9\n", "r.txt") == "# one\n# vim: set fileencoding=ISO_8859_1 :\n# \u00e9\n");
  CHECK(pip_text("# coding=cp1252\n# 5 \x80 \x9f \xe9 \x81\n", "r.txt") == "# coding=cp1252\n# 5 \u20ac \u0178 \u00e9 \ufffd\n");
  // The third line, one that is no comment, and a mark before it: no such line.
  for (const auto* bytes : {"a\nb\n# coding: latin-1\n# \xe9\n", "a # coding: latin-1\n# \xe9\n", " # coding: latin-1\n# \xe9\n"})
    CHECK(pip_text(bytes, "r.txt") == bytes);
  CHECK(pip_text("\xef\xbb\xbf# coding: latin-1\n# \u00e9\n", "r.txt") == "# coding: latin-1\n# \u00e9\n");
  CHECK(pip_text("# encoding is koi8-r\n", "r.txt") == "# encoding is koi8-r\n");
}

TEST_CASE("pip text: what cannot be read is named, with what to do") {
  CHECK(refusal("# coding: koi8-r\n") == "r.txt: says that its encoding is \"koi8-r\", which is not read here; save it as UTF-8");
  CHECK(refusal("\xff\xfe"s + "a") == "r.txt: begins as UTF-16, but ends inside a character before byte 2; save it as UTF-8");
  CHECK_THAT(refusal("\xff\xfe\x0d\xd8"s + "a\0"s), Contains("half of a surrogate pair"));
  CHECK_THAT(refusal("\xff\xfe\x0d\xdc"s), Contains("half of a surrogate pair"));
  CHECK_THAT(refusal("\xff\xfe\x0d\xd8"s), Contains("half of a surrogate pair"));
  CHECK_THAT(refusal("\0\0\xfe\xff\0\x11\0\0"s), Contains("begins as UTF-32, but holds what is no character"));
  CHECK(refusal("\x7f\x45LF\x02\x01") == "r.txt:1: holds byte 2: this is no text; save it as UTF-8");
  CHECK(refusal("a\t\f\v\r\n# \x1b[31m\x7f") == "(no error)");
  CHECK_THAT(refusal("# numpy\nn\0u\0m\0"s), Contains("r.txt:2: holds byte 0: this is no text, or UTF-16") && Contains("save it as UTF-8"));
}

TEST_CASE("pip text: requirements files of PowerShell, and those that they name") {
  const Files files;
  files.write("requirements.txt", "\xff\xfe" + utf16(u"numpy>=1.20\r\n-r more.txt\r\n", false));
  files.write("more.txt", "\xfe\xff" + utf16(u"# \u00fcber\nscipy\n", true));
  std::vector<std::string> found;
  for (const auto& one : read_requirements_txt(files.path() / "requirements.txt").dependencies) found.push_back(one.dependency.text());
  CHECK(found == std::vector<std::string>{"numpy>=1.20", "scipy"});
}

}  // namespace pip_text_tests
