#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "analysis/text/table.hpp"
#include "analysis/text/terminal_plot.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;

namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

// Columns at which a mark stands in an ASCII plot.
std::vector<std::size_t> columns_of(const std::string& line, char mark, std::size_t from) {
  std::vector<std::size_t> result;
  for (std::size_t i = from; i < line.size(); ++i)
    if (line[i] == mark) result.push_back(i);
  return result;
}

}  // namespace

TEST_CASE("terminal plot: marks stand where the numbers are") {
  // Quartiles 30, 50, 70; whiskers reach 10 and 90; 150 is an outlier, also for the other series.
  const std::vector<Series> series{{"a", {10, 30, 50, 70, 90, 30, 70}}, {"b", {0, 0, 0, 0, 200}}};
  const auto all = lines(box_plots(series, 100, "GB/s", Characters::ascii));
  REQUIRE(all.size() == 5);
  const std::size_t start = all[0].find("n=7") + 5, width = 100 - start - 6;
  const auto column = [&](double value) {
    return start + static_cast<std::size_t>(std::lround(value / 200 * double(width - 1)));
  };
  CHECK(columns_of(all[0], 'M', start) == std::vector{column(50)});
  CHECK(columns_of(all[0], '|', start) == std::vector{column(10), column(90)});
  CHECK(columns_of(all[0], '=', start).front() == column(30));
  CHECK(columns_of(all[0], '=', start).back() == column(70));
  CHECK(columns_of(all[1], 'M', start) == std::vector{column(0)});
  CHECK(columns_of(all[1], 'o', start) == std::vector{column(200)});
  CHECK_THAT(all[1], Catch::Contains("n=5"));
  // Each tick of the axis stands above its label's middle and at its value's column.
  for (const double tick : {50., 100., 150.}) {
    CHECK(all[2][column(tick)] == '+');
    const std::string label = std::to_string(int(tick));
    CHECK(all[3].find(label) + label.size() / 2 == column(tick));
  }
  CHECK_THAT(all[3], Catch::EndsWith("GB/s"));
}

TEST_CASE("terminal plot: any values, any names, any width: lines fit") {
  specs::Random random(3);
  for (const std::size_t width : {0u, 40u, 61u, 80u, 132u})
    for (const double scale : {1e-9, 1e-3, 1.0, 1e6, 1e12})
      for (const auto characters : {Characters::unicode, Characters::ascii}) {
        std::vector<Series> series;
        for (int s = 0; s < 4; ++s) {
          Series one{std::string(static_cast<std::size_t>(s) * 30, 'x') + "é名", {}};
          for (int i = 0; i < 3 * s; ++i) one.values.push_back(scale * (5 + test::normal(random)));
          series.push_back(one);
        }
        const std::string text = box_plots(series, width, "Größe/s", characters);
        INFO(text);
        std::vector<double> logs;
        for (int i = 0; i < 20; ++i) logs.push_back(0.02 * test::normal(random));
        const std::string ratios = ratio_plot(logs, {0.99, 1.01, 0.96}, 0.01, width, characters);
        INFO(ratios);
        for (const std::string& line : lines(text + ratios)) {
          CHECK(width_of(line) <= std::max<std::size_t>(width, 40));
          CHECK((line.empty() || line.back() != ' '));
          if (characters == Characters::ascii)
            CHECK(std::ranges::all_of(line, [](char c) { return c >= 0x20 && c < 0x7f; }));
        }
      }
}

TEST_CASE("terminal plot: names cannot command the terminal") {
  const std::string text =
      box_plots({{"evil\x1b[2J\r\n\x07", {1, 2}}}, 80, "x\x1b[0m", Characters::unicode);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(lines(text).size() == 4);
}

TEST_CASE("terminal plot: equal, single, missing and infinite values") {
  CHECK_THAT(box_plots({{"a", {5, 5, 5}}}, 80, "", Characters::ascii), Catch::Contains("M"));
  CHECK_THAT(box_plots({{"a", {0}}}, 80, "", Characters::ascii), Catch::Contains("n=1"));
  CHECK(box_plots({{"a", {}}}, 80, "", Characters::ascii) == "no values to plot\n");
  CHECK(box_plots({}, 80, "", Characters::ascii) == "no values to plot\n");
  const double inf = std::numeric_limits<double>::infinity();
  CHECK_THAT(box_plots({{"a", {1, 2, inf, std::nan("")}}}, 80, "", Characters::ascii),
             Catch::Contains("n=2"));
  CHECK(ratio_plot({}, {}, 0.01, 80, Characters::ascii) == "no pairs to plot\n");
  CHECK_THAT(ratio_plot({0, 0}, {0, inf, 0}, 0, 80, Characters::ascii), Catch::Contains("2 pairs"));
}

TEST_CASE("terminal plot: ratios, their interval and the band share one axis") {
  const std::vector<double> logs{std::log(0.9), std::log(1.1), std::log(1.1), 0};
  const auto all = lines(ratio_plot(logs, {0.95, 1.05, 0.9}, 0.02, 100, Characters::ascii));
  REQUIRE(all.size() == 6);
  const std::size_t start = all[0].find('.', 7), end = all[0].rfind(':');
  const auto column = [&](double ratio) {
    const double share = std::log(ratio / 0.9) / std::log(1.1 / 0.9);
    return start + static_cast<std::size_t>(std::lround(share * double(end - start)));
  };
  CHECK(all[0][column(1)] == '.');
  CHECK(columns_of(all[1], '|', start) == std::vector{column(0.95), column(1.05)});
  CHECK(columns_of(all[1], 'M', start) == std::vector{column(std::exp(median(logs)))});
  CHECK(columns_of(all[2], '.', start).front() == column(1 / 1.02));
  CHECK(columns_of(all[2], '.', start).back() == column(1.02));
  CHECK(columns_of(all[2], '|', start) == std::vector{column(1)});
  CHECK(all[3][column(1)] == '+');
}

TEST_CASE("terminal plot: the locale decides") {
  const auto with = [](const char* name, const char* value) {
    for (const char* other : {"LC_ALL", "LC_CTYPE", "LANG"}) unsetenv(other);
    if (*name != '\0') setenv(name, value, 1);
    return characters_of_locale();
  };
  std::map<std::string, std::string> saved;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char* value = std::getenv(name)) saved[name] = value;
  CHECK(with("LANG", "de_DE.UTF-8") == Characters::unicode);
  CHECK(with("LC_ALL", "C.utf8") == Characters::unicode);
  CHECK(with("LC_CTYPE", "C") == Characters::ascii);
  CHECK(with("", "") == Characters::ascii);
  for (const auto& [name, value] : saved) setenv(name.c_str(), value.c_str(), 1);
}
