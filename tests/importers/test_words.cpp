#include "importers/words.hpp"

#include <catch2/catch.hpp>

using namespace stackx::importers;

TEST_CASE("a name holds what a component's name may hold") {
  CHECK(name_of("Batch size") == "Batch_size");
  CHECK(name_of("eigen_bench.version") == "eigen_bench_version");
  CHECK(name_of("") == "x");
  CHECK(name_of("-O2") == "x-O2");
  CHECK(name_of(std::string(500, 'a')).size() == 128);
}

TEST_CASE("two texts stay two values") {
  CHECK(value_of("BM_Copy<int>/64/threads:4") == "BM_Copy<int>/64/threads:4");
  CHECK(value_of("a b,c") == "a%20b%2Cc");
  CHECK(value_of("a%20b") == "a%2520b");
  CHECK(value_of("") == "%");
  const auto longer = value_of(std::string(5'000, 'a')), other = value_of(std::string(5'001, 'a'));
  CHECK(longer != other);
  CHECK(longer.size() < 1'100);
  CHECK(value_of(std::string(5'000, ' ')).size() < 3'000);
}

TEST_CASE("a line is one line of UTF-8") {
  CHECK(one_line("  a\r\n\tb  ", 100) == "a b");
  CHECK(one_line("abcdef", 3) == "abc...");
  CHECK(one_line("a\xff", 100) == "a\xEF\xBF\xBD");
  CHECK(one_line("\n\n", 100) == "");
}

TEST_CASE("a number is the whole text, finite, in the C locale") {
  CHECK(number_of(" 94.50 ") == 94.5);
  CHECK(number_of("+2") == 2);
  CHECK(number_of("1e3") == 1000);
  for (const char* text : {"", " ", "nan", "inf", "-inf", "1e999", "1,5", "94.5 ms", "0x10"})
    CHECK_FALSE(number_of(text));
  CHECK(leading_number("94.5 +/- 1.1") == 94.5);
  CHECK(leading_number("32 per device") == 32);
  CHECK_FALSE(leading_number("per device"));
}

TEST_CASE("lines end in \\n or \\r\\n") {
  CHECK(lines_of("a\r\n\nb") == std::vector<std::string_view>{"a", "", "b"});
  CHECK(lines_of("").empty());
}
