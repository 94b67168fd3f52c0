// pip's configuration as pip prints it: its order, its quotes, its words for yes and no.
#include <catch2/catch.hpp>

#include "specs/error.hpp"
#include "specs/python/pip_config.hpp"

using namespace stackx;
using specs::PipConfig;
using Words = std::vector<std::string>;

TEST_CASE("variables count before the section of install, and that before global; what is empty does not", "[specs]") {
  const std::string listed =
      "global.index-url='https://a/simple'\n"
      "install.index-url='https://b/simple'\n"
      "download.index-url='https://c/simple'\n"
      "global.timeout='60'\n"
      ":env:.timeout='7'\n";
  CHECK(PipConfig(listed).text("index-url") == "https://b/simple");
  CHECK(PipConfig(listed, {{"PIP_INDEX_URL", "https://d"}}).text("index-url") == "https://d");
  CHECK(PipConfig(listed, {{"PIP_INDEX_URL", ""}}).text("index-url") == "https://b/simple");
  CHECK(PipConfig(listed).number("timeout") == 7);
  CHECK(PipConfig("rubbish\n=\nglobal.index-url=\n").text("index-url").empty());
}

TEST_CASE("several stand between blanks, and are quoted as Python quotes", "[specs]") {
  CHECK(PipConfig("global.find-links='/a\\n/b  file:///c'\n").list("find-links") == Words{"/a", "/b", "file:///c"});
  CHECK(PipConfig("global.find-links=\"/it's\"\n").list("find-links") == Words{"/it's"});
  CHECK(PipConfig("global.find-links='C:\\\\x'\n").list("find-links") == Words{"C:\\x"});
  CHECK(PipConfig("").list("find-links").empty());
}

TEST_CASE("yes and no are pip's words, and another one is an error that names the key", "[specs]") {
  for (const char* word : {"1", "true", "Yes", "on", "T", "y"}) CHECK(PipConfig("", {{"PIP_NO_INDEX", word}}).flag("no-index"));
  for (const char* word : {"", "0", "false", "No", "off", "F", "n"})
    CHECK_FALSE(PipConfig("", {{"PIP_NO_INDEX", word}}).flag("no-index"));
  CHECK_THROWS_WITH(PipConfig("", {{"PIP_NO_INDEX", "perhaps"}}).flag("no-index"),
                    Catch::Matchers::Contains("no-index") && Catch::Matchers::Contains("perhaps"));
  CHECK_THROWS_AS(PipConfig("", {{"PIP_TIMEOUT", "soon"}}).number("timeout"), Error);
  CHECK_THROWS_AS(PipConfig("", {{"PIP_TIMEOUT", "-1"}}).number("timeout"), Error);
}

TEST_CASE("pip need not be asked for files that it is told not to read", "[specs]") {
  CHECK(specs::pip_reads_files({}));
  CHECK(specs::pip_reads_files({{"PIP_CONFIG_FILE", "/etc/pip.conf"}}));
  CHECK_FALSE(specs::pip_reads_files({{"PIP_CONFIG_FILE", "/dev/null"}}));
}
