// Roff, and the tree of commands as pages and scripts have it.
#include <catch2/catch.hpp>

#include <filesystem>
#include <set>
#include <string>

#include "cli/manual/command_tree.hpp"
#include "cli/manual/completions.hpp"
#include "cli/manual/man_page.hpp"
#include "cli/manual/names.hpp"
#include "cli/manual/roff.hpp"

using namespace stackx::cli;
using manual::Kind;

namespace {

// A tree with all that declarations can hold; its words are those that the writers must quote.
manual::Command nasty_tree() {
  manual::Command root, below;
  root.path = root.name = "tool";
  root.help = "A tool";
  root.needs_command = true;
  below.path = "tool do-it";
  below.name = "do-it";
  below.help = "Does it's \"work\" [really]; $HOME `x`";
  below.manual = {"A \\ and a .dot.\n\n.SH At the beginning", {{"How", "tool do-it --way='a b'"}}};
  manual::Argument way, file;
  way.names = {"-w", "--way"};
  way.value = "TEXT";
  way.kind = Kind::words;
  way.words = {"slow", "fast"};
  way.help = "'quoted' [brackets]: $(sh) \\";
  file.names = {"file"};
  file.value = "FILE";
  file.kind = Kind::files;
  file.required = file.repeated = true;
  below.options.push_back(way);
  below.positionals.push_back(file);
  root.commands.push_back(below);
  return root;
}

}  // namespace

TEST_CASE("roff: what a shell must be able to read comes out as it is") {
  CHECK(manual::roff("--read-seed") == "\\-\\-read\\-seed");
  CHECK(manual::roff("a\\b") == "a\\eb");
  CHECK(manual::roff("'x' \"y\" `z` ^ ~") == "\\(aqx\\(aq \\(dqy\\(dq \\(gaz\\(ga \\(ha \\(ti");
  CHECK(manual::roff("\xc3\x97 \xe2\x94\x94") == "\\[u00D7] \\[u2514]");
}

TEST_CASE("roff: no text becomes a request") {
  CHECK(manual::roff(".SH x") == "\\&.SH x");
  CHECK(manual::roff("'br") == "\\(aqbr");
  CHECK(manual::roff("one\n.two") == "one .two");
  CHECK(manual::roff_lines("one\n\n.two\n'three") == "one\n\\&\n\\&.two\n\\(aqthree\n");
}

TEST_CASE("roff: words in backquotes are bold, a lone one stays") {
  CHECK(manual::roff_marked("see `hw list`: x") == "see \\fBhw list\\fR: x");
  CHECK(manual::roff_marked("`a` and `b`") == "\\fBa\\fR and \\fBb\\fR");
  CHECK(manual::roff_marked("a ` b") == "a \\(ga b");
}

TEST_CASE("what completes a value is said by its name") {
  CHECK(manual::kind_of("FILE") == Kind::files);
  CHECK(manual::kind_of("REQUIREMENT|FILE") == Kind::files);
  CHECK(manual::kind_of("FILE|SHA256") == Kind::files);
  CHECK(manual::kind_of("OTHER.db...") == Kind::files);
  CHECK(manual::kind_of("DIR") == Kind::directories);
  CHECK(manual::kind_of("MODEL") == Kind::hardware);
  CHECK(manual::kind_of("WORKLOAD") == Kind::workload);
  CHECK(manual::kind_of("NAME[:KEY=VALUE,...]") == Kind::workload);
  for (const char* other : {"NAME", "TEXT", "N", "", "X.Y", "PROFILE", "MODELS"}) CHECK(manual::kind_of(other) == Kind::other);
}

TEST_CASE("a brief help ends where its first thought does") {
  CHECK(manual::brief("Rows; 0: all") == "Rows");
  CHECK(manual::brief("Rows of the table (0: all)") == "Rows of the table");
  CHECK(manual::brief("X.Y of Python. Else all") == "X.Y of Python");
  CHECK(manual::brief("") == "");
}

TEST_CASE("a page of a tree with everything that has to be quoted") {
  const auto root = nasty_tree();
  const auto pages = manual::man_pages(root, {"1.0", "2026-11-22"});
  REQUIRE(pages.size() == 2);
  CHECK(pages[1].name == "tool-do-it");
  const auto& text = pages[1].text;
  CHECK(text.starts_with(".TH \"TOOL\\-DO\\-IT\" 1 \"2026-11-22\" \"stackx 1.0\""));
  CHECK(text.contains("\n\\&.SH At the beginning\n"));
  CHECK_FALSE(text.contains("\n.SH At"));
  CHECK(text.contains("A \\e and a .dot.\n"));
  CHECK(text.contains("\\fB\\-w\\fR, \\fB\\-\\-way\\fR \\fBslow\\fR|\\fBfast\\fR\n"));
  CHECK(text.contains("\\fBtool do\\-it\\fR [\\fIOPTION\\fR]... \\fIFILE\\fR...\n"));
  CHECK(text.contains("tool do\\-it \\-\\-way=\\(aqa b\\(aq\n"));
}

TEST_CASE("scripts quote what help says") {
  const auto root = nasty_tree();
  CHECK(manual::zsh_completion(root).contains(R"('(-w --way)--way=['\''quoted'\'' \[brackets\]: $(sh) \\]:word:(slow fast)')"));
  CHECK(manual::fish_completion(root).contains(R"(-s w -l way -x -a 'slow fast' -d '\'quoted\' [brackets]: $(sh) \\')"));
  const auto bash = manual::bash_completion(root);
  CHECK(bash.contains("'do-it --way') _stackx_reply slow fast ;;"));
  CHECK(bash.contains("'do-it '[0-9]*) _stackx_paths -f ;;"));
  CHECK_FALSE(bash.contains("quoted"));  // bash shows no help
}

TEST_CASE("names of hardware: families first, each once, all that a shell can take") {
  const std::filesystem::path data = STACKX_SOURCE_DIR "/specs/data";
  const auto names = manual::hardware_names(data);
  std::set<std::string> seen;
  for (const auto& [name, what] : names) {
    CHECK(seen.insert(name).second);
    CHECK(name.find_first_of(" :='\"$\\;&|<>()[]{}*?~#!\t") == std::string::npos);
  }
  for (const char* name : {"host", "v100", "h100", "a100", "rtx-3080", "v100-sxm2-16gb", "sapphire-rapids", "spr", "zen4"}) CHECK(seen.contains(name));
  CHECK(names[0].name == "host");
}

TEST_CASE("names of workloads: parameters behind the colon, values behind the equals sign") {
  const std::filesystem::path data = STACKX_SOURCE_DIR "/specs/data";
  const auto of = [&](const char* begun) {
    std::set<std::string> names;
    for (const auto& one : manual::workload_names(data, begun)) names.insert(one.name);
    return names;
  };
  CHECK(of("").contains("matmul"));
  CHECK(of("").contains("gemm"));
  CHECK(of("matmul:").contains("matmul:dtype="));
  CHECK(of("matmul:m=1,").contains("matmul:m=1,k="));
  CHECK_FALSE(of("matmul:m=1,").contains("matmul:m=1,m="));
  CHECK(of("matmul:m=1,dtype=").contains("matmul:m=1,dtype=float16"));
  CHECK(of("matmul:nonsense=").empty());
  CHECK(of("nonsense:").empty());
}

TEST_CASE("names of catalogs: no other document of the directory") {
  std::set<std::string> names;
  for (const auto& one : manual::catalog_names(STACKX_SOURCE_DIR "/specs/data")) names.insert(one.name);
  CHECK(names.contains("blas.json"));
  for (const char* other : {"packages.json", "workloads.json", "upgrades.json", "reports.json"}) CHECK_FALSE(names.contains(other));
  CHECK(manual::catalog_names("/no/such/directory").empty());
}
