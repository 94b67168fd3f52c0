// What is said of words that the command line does not have.
#include "cli/manual/mistake.hpp"

#include <catch2/catch.hpp>

using namespace stackx::cli::manual;
using Catch::Matchers::Contains;

namespace {

Command tool() {
  Argument file, way, number, loud;
  file.names = {"names"};
  file.value = "FILE";
  file.help = "Files to read; others are not";
  file.required = file.repeated = true;
  way.names = {"-w", "--way"};
  way.value = "TEXT";
  way.words = {"slow", "fast"};
  number.names = {"--number"};
  number.value = "N";
  number.help = "How many. All, else";
  number.required = true;
  loud.names = {"--loud"};
  Command root, import, read;
  root.path = root.name = "tool";
  root.options = {loud};
  import.path = "tool import";
  import.name = "import";
  read.path = "tool import read";
  read.name = "read";
  read.positionals = {file};
  read.options = {way, number};
  import.commands = {read};
  root.commands = {import};
  return root;
}

std::string said(Mistake mistake) { return mistake_text(mistake, tool()); }

using MistakeKind = Mistake::Kind;
const std::vector<std::string> reading{"import", "read"};

}  // namespace

TEST_CASE("mistake: what is missing is called as it is typed, and the usage is shown") {
  const std::string usage = "\n  usage: tool import read FILE... --number N; more: tool import read --help";
  CHECK(said({MistakeKind::missing, reading, "names", "", {}, ""}) == "FILE... is missing: Files to read" + usage);
  CHECK(said({MistakeKind::missing, reading, "--number", "", {}, ""}) == "--number N is missing: How many" + usage);
  CHECK(said({MistakeKind::missing, {"import"}, "A subcommand", "", {}, ""}) ==
        "import: a command is missing; there is read\n  usage: tool import COMMAND; more: tool import --help");
  CHECK_THAT(said({MistakeKind::missing, {}, "A subcommand", "", {}, ""}), Contains("a command is missing; there is import\n"));
}

TEST_CASE("mistake: unexpected words") {
  CHECK(said({MistakeKind::unexpected, reading, "", "", {"--nubmer=3"}, ""}) == "import read has no option --nubmer; did you mean --number?");
  CHECK(said({MistakeKind::unexpected, reading, "", "", {"3", "--lod"}, ""}) == "import read has no option --lod; did you mean --loud?");
  CHECK(said({MistakeKind::unexpected, reading, "", "", {"-r"}, ""}) == "import read has no option -r; tool import read --help lists them");
  CHECK(said({MistakeKind::unexpected, {}, "", "", {"--xyzzy"}, ""}) == "tool has no option --xyzzy; tool --help lists them");
  CHECK_THAT(said({MistakeKind::unexpected, reading, "", "", {"other"}, ""}), Contains("\"other\" is one word too many\n  usage: tool import read"));
  CHECK(said({MistakeKind::unexpected, {"import"}, "", "", {"raed"}, ""}) == "no such command: import raed; did you mean import read?");
  CHECK(said({MistakeKind::unexpected, {}, "", "", {"xyzzyxyzzy"}, ""}) == "no such command: xyzzyxyzzy; there is import");
}

TEST_CASE("mistake: values, and options that do not go together") {
  CHECK(said({MistakeKind::no_value, reading, "--way", "", {}, ""}) == "--way needs a value: slow, fast");
  CHECK(said({MistakeKind::no_value, reading, "--number", "", {}, ""}) == "--number needs a value: N (How many)");
  CHECK(said({MistakeKind::takes_no_value, reading, "loud", "", {}, ""}) == "--loud takes no value: it is given, or not");
  CHECK(said({MistakeKind::too_often, reading, "--number", "", {}, ""}) == "--number: given several times; once is enough");
  CHECK(said({MistakeKind::needs, reading, "--way", "--number", {}, ""}) == "--way needs --number N; add it");
  CHECK(said({MistakeKind::excludes, reading, "--way", "--number", {}, ""}) == "--way and --number exclude each other; keep one");
  CHECK(said({MistakeKind::other, reading, "names", "", {}, "names: is none"}) == "FILE: is none");
  CHECK(said({MistakeKind::other, reading, "--way", "", {}, "--way: is none"}) == "--way: is none");
}
