#include <catch2/catch.hpp>

#include <chrono>

#include "workspace/doctor/outside.hpp"

using namespace stackx::workspace;
using namespace std::chrono_literals;

TEST_CASE("other programs' words are one line, short, and drive nothing", "[doctor]") {
  CHECK(brief_words("\n  slurm 22.05.8  \nmore") == "slurm 22.05.8");
  CHECK(brief_words("\x1b]0;title\x07 x") == "\\u001b]0;title\\u0007 x");
  CHECK(brief_words(std::string(500, 'x')) == std::string(100, 'x') + "...");
  CHECK(brief_words("\xc3\xa4\xc3\xa4\xc3\xa4", 3) == "\xc3\xa4...");  // no half of a character
  CHECK(brief_words("\xff") == "\xef\xbf\xbd");
  CHECK(brief_words(" \r\n ").empty());
  CHECK_THAT(brief_words("https://me:secret@host/simple: refused"), !Catch::Contains("secret"));
}

TEST_CASE("versions are the first word that begins with a digit", "[doctor]") {
  CHECK(version_in("uv 0.13.9 (abc)") == "0.13.9");
  CHECK(version_in("Docker version 28.2.2, build e6534b4") == "28.2.2");
  CHECK(version_in("no version") == "");
  CHECK(version_in("") == "");
}

TEST_CASE("a program that hangs, fails or talks for ever is an answer, too", "[doctor]") {
  const auto before = std::chrono::steady_clock::now();
  CHECK(ask({"sleep", "100"}, {}, 100ms).why == "no answer within 0.1 s");
  CHECK(std::chrono::steady_clock::now() - before < 30s);
  CHECK(ask({"yes"}, {}).why == "it prints without end");
  CHECK(ask({"sh", "-c", "echo no such kernel >&2; exit 3"}, {}).why == "no such kernel");
  CHECK(ask({"false"}, {}).why == "exit code 1");
  CHECK(ask({"echo", "well"}, {}).text == "well\n");
  CHECK_FALSE(ask({"no-such-program-anywhere"}, {}).there);
}
