// HTML of what strangers wrote: whatever it is, it stays text; and the small pieces that pages are made of.
#include "serve/pages/html.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "serve/pages/cells.hpp"

using namespace stackx::serve;
using namespace stackx::serve::pages;
using nlohmann::json;

namespace {

const std::string evil = "</td><script>alert('x')</script>\"&<b onclick=a>";

// Tags that `html` has, without their attributes' values being looked at: "<td", "</td".
std::set<std::string> tags_in(const std::string& html) {
  std::set<std::string> found;
  for (auto at = html.find('<'); at != html.npos; at = html.find('<', at + 1)) found.insert(html.substr(at, html.find_first_of(" >", at) - at));
  return found;
}

std::string reversed(std::string html) {  // what escaped() did, undone
  for (const auto& [code, c] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    for (auto at = html.find(code); at != html.npos; at = html.find(code, at + 1)) html.replace(at, std::string(code).size(), c);
  return html;
}

}  // namespace

TEST_CASE("escaped text has nothing that HTML reads, and says the same") {
  for (const auto& text : std::vector<std::string>{evil, "a<b>c", "&amp;", "\"'", "plain", "ü × 漢"}) {
    const auto html = escaped(text);
    CHECK(html.find_first_of("<>\"'") == html.npos);
    CHECK(reversed(html) == text);
  }
  CHECK(escaped("a\x1b[31m\x01").find('\x1b') == std::string::npos);  // nor what drives a terminal
  CHECK(escaped("\xff").find('\xff') == std::string::npos);           // nor what is no UTF-8
  CHECK(escaped("\u202e").find("\u202e") == std::string::npos);       // nor what turns the direction of text
}

TEST_CASE("prose: what stands between backticks is code, the rest is text") {
  CHECK(prose("a plain `pip install torch` brings <2") == "a plain <code>pip install torch</code> brings &lt;2");
  CHECK(prose("`a` and `b`") == "<code>a</code> and <code>b</code>");
  CHECK(prose("one ` alone") == "one ` alone");
  CHECK(prose("`" + evil + "`") == "<code>" + escaped(evil) + "</code>");
  CHECK(prose("").empty());
}

TEST_CASE("every piece escapes the words that it is given") {
  const json rows = {{{"name", evil}, {"url", "javascript:" + evil}, {"stack_id", evil}, {"stack", {{evil, evil}}}, {"verdict", evil}, {"day", evil}, {"unit", evil}, {"rate", 1}}};
  const auto html = table(evil, evil,
                          {words(evil, "name"), outside("Url", "url"), outside("Named", "url", "name"), stack("Stack"), verdict("Verdict", "verdict"), day("Day", "day"),
                           hardware("Hardware", "name"), workload("Workload", "name"), figure("Rate", "rate", "unit")},
                          rows) +
                    paragraph(evil) + link(evil, evil) + copied(evil) + details(evil, "x") + section("id", evil, "x") + facts({{evil, "x"}}) + progress(1, 2, evil) +
                    form("/", {{"hw", evil, evil, {evil}}, {"strict", evil, evil, {evil}, true}}, [](const std::string&) { return evil; }, evil);
  CHECK(tags_in(html).count("<script") == 0);
  CHECK(tags_in(html).count("<b") == 0);
  CHECK(html.find("alert('x')") == html.npos);
  CHECK(html.find("href=\"javascript:") == html.npos);
  CHECK(tags_in(html).count("<td") == 1);
}

TEST_CASE("links lead out to the web alone") {
  CHECK(outside_link("https://example.org/a?b=1&c", "there") == "<a href=\"https://example.org/a?b=1&amp;c\" rel=\"noreferrer external\">there</a>");
  for (const char* url : {"javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x", "//example.org", "file:///etc/passwd", " https://example.org", ""})
    CHECK(outside_link(url, "there") == "there");
}

TEST_CASE("addresses of what has a page of its own") {
  CHECK(hardware_address("NVIDIA V100") == "/hardware/NVIDIA%20V100");
  CHECK(hardware_address("zen3 (AMD EPYC)") == "/hardware/zen3");
  CHECK(hardware_address("NVIDIA Titan Xp (2017)") == "/hardware/NVIDIA%20Titan%20Xp%20%282017%29");
  CHECK(hardware_address("a/b") == "/hardware?hw=a%2Fb");  // no segment can hold it
  CHECK(hardware_address("..") == "/hardware?hw=..");
  CHECK(workload_address("matmul:k=1,m=2") == "/workloads/matmul");
  CHECK(question_address("a&b", "m") == "/?hw=a%26b&workload=m");
  for (const std::string name : {"NVIDIA V100", "a/b", "..", "ü ?#&", "100%"}) {  // the server understands each
    INFO(name);
    const auto target = read_target(hardware_address(name));
    REQUIRE(target);
    CHECK((target->path.size() == 2 ? target->path[1] : target->parameter("hw").value_or("")) == name);
  }
}

TEST_CASE("numbers are shown shortly and kept in full") {
  const json row = {{"rate", 379.1725714285714}, {"unit", "GFLOP/s"}, {"none", nullptr}, {"share", 0.0123}, {"n", 1234567}, {"low", 1.0}, {"high", 2.5}};
  CHECK(figure("", "rate", "unit").cell(row).html == "379.2 GFLOP/s");
  CHECK(figure("", "rate", "unit").cell(row).value == "379.1725714285714");
  CHECK(count("", "n").cell(row).html == "1,234,567");
  CHECK(share("", "share").cell(row).html == "1.23%");
  CHECK(interval("", "low", "high").cell(row).html == "[1.000, 2.500]");
  CHECK(figure("", "none").cell(row).html.empty());
  CHECK(figure("", "missing").cell(row).html.empty());
  CHECK(interval("", "low", "none").cell(row).html.empty());
  CHECK(counted(0) == "0");
  CHECK(counted(999) == "999");
  CHECK(counted(1000) == "1,000");
  CHECK(counted(-1000) == "-1,000");
}

TEST_CASE("a table has no column that is empty in every row, and is nothing without rows") {
  const json rows = {{{"a", "1"}, {"b", ""}}, {{"a", ""}, {"b", ""}}};
  const auto html = table("t", "T", {words("A", "a"), words("B", "b")}, rows);
  CHECK(html.find("<th scope=\"col\">A</th>") != html.npos);
  CHECK(html.find(">B<") == html.npos);
  CHECK(table("t", "T", {words("A", "a")}, json::array()).empty());
  CHECK(section("s", "S", "").empty());
  CHECK(items({}).empty());
  CHECK(facts({{"name", ""}}).empty());
}

TEST_CASE("progress is never more than all of it, and says what is not known") {
  CHECK(progress(5, 10, "x").find("<progress max=\"10\" value=\"5\"") != std::string::npos);
  CHECK(progress(12, 10, "x").find("value=\"10\"") != std::string::npos);
  CHECK(progress(12, 10, "x").find("12 of 10") != std::string::npos);
  CHECK(progress(3, 0, "x").find("<progress ") == std::string::npos);
}

TEST_CASE("what is picked stays picked") {
  const auto html = form("/", {{"verdict", "Verdict", "", {"", "slower", "faster"}, true}}, [](const std::string&) { return "faster"; }, "Show");
  CHECK(html.find("<option value=\"faster\" selected>") != html.npos);
  CHECK(html.find("<option value=\"slower\">") != html.npos);
  CHECK(html.find("<label for=\"verdict\">") != html.npos);
}
