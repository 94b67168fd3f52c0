#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cli/compare/compared.hpp"
#include "specs/error.hpp"

using namespace stackx;
using namespace stackx::cli;
using Catch::Contains;
using Kind = Compared::Kind;

namespace {

namespace fs = std::filesystem;

class Directory {
 public:
  Directory()
      : path_(fs::temp_directory_path() / ("stackx-compared-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return (path_ / name).string();
  }

 private:
  fs::path path_;
};

store::Measurement measured(std::map<std::string, std::string> components,
                            const std::string& campaign, const std::string& host,
                            const std::string& name) {
  store::Measurement m;
  m.stack.components = std::move(components);
  m.campaign = campaign;
  m.arm = m.stack.short_id();
  m.host = host;
  m.hostname = name;
  return m;
}

std::vector<store::Measurement> all() {
  const std::string first(64, 'a'), second = "ab" + std::string(62, '0');
  std::vector<store::Measurement> result = {
      measured({{"numpy", "1.26.4"}, {"threads", "1"}}, first, std::string(64, '1'), "node1"),
      measured({{"numpy", "2.2.0"}, {"threads", "1"}}, first, std::string(64, '1'), "node2"),
      measured({{"numpy", "2.2.0"}, {"threads", "2"}}, second, std::string(64, '2'), "big")};
  result.push_back(result[0]);
  result.back().sentinel = true;
  result.back().arm += "+A";
  return result;
}

Compared parse(const std::string& text) { return parse_compared(text, known_of(all()), {}); }

std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::bad_input);
    return error.what();
  }
  return "(no error)";
}

std::size_t held(const Compared& compared) {
  std::size_t count = 0;
  for (const auto& m : all()) count += holds(compared, m);
  return count;
}

}  // namespace

TEST_CASE("compared: ids by their beginning, with and without their kind") {
  const auto id = all()[1].stack.id();
  for (const auto& text : {id, id.substr(0, 12), "stack:" + id.substr(0, 9)}) {
    const auto found = parse(text);
    CHECK(found.kind == Kind::stack);
    CHECK(found.id == id);
    CHECK(found.text == text);
    CHECK(held(found) == 1);
  }
  CHECK(parse("campaign:aa").id == std::string(64, 'a'));
  CHECK(held(parse("campaign:aa")) == 3);
  CHECK(held(parse("campaign:ab")) == 1);
  CHECK_THAT(refusal("campaign:a"),
             Contains("could be campaign:aaaa") && Contains("campaign:ab00"));
  CHECK_THAT(refusal("campaign:c"), Contains("no such campaign") && Contains("ab00"));
  CHECK_THAT(refusal("campaign:"), Contains("no such campaign"));
  CHECK_THAT(refusal("stack:zz"), Contains("no stack by that name"));
  CHECK_THAT(refusal(""), Contains("COMPONENT=VERSION"));
}

TEST_CASE("compared: a sentinel by its arm's label, its stack without it") {
  const auto label = all()[3].arm;
  CHECK(parse(label).arm == label);
  CHECK(held(parse(label)) == 1);
  CHECK(held(parse(all()[0].stack.short_id())) == 2);  // collect() keeps the sentinel apart
}

TEST_CASE("compared: hosts by name or fingerprint") {
  CHECK(held(parse("node1")) == 2);
  CHECK(held(parse("host:node2")) == 1);
  CHECK(held(parse("host:1111")) == 3);  // both are of one make
  CHECK(held(parse("host:222")) == 1);
  CHECK_THAT(refusal("host:node"), Contains("node1, node2 (111111111111)") && Contains("big"));
}

TEST_CASE("compared: versions, equal as PEP 440 has it") {
  CHECK(held(parse("numpy=2.2.0")) == 2);
  CHECK(held(parse("numpy=2.2")) == 2);
  CHECK(held(parse("numpy==2.2")) == 2);
  CHECK(held(parse("stack:numpy=2.2,threads=2")) == 1);
  CHECK(parse("numpy=2.2,threads=2").versions ==
        std::map<std::string, std::string>{{"numpy", "2.2"}, {"threads", "2"}});
  CHECK_THAT(refusal("nunpy=2.2"), Contains("\"nunpy\"") && Contains("did you mean \"numpy\""));
  CHECK_THAT(refusal("numpy=9"),
             Contains("numpy 9 is in no measured stack; measured are 1.26.4, 2.2.0"));
  for (const char* text :
       {"numpy=", "=1", "numpy=2.2,", ",numpy=2.2", "numpy=2.2,threads", "numpy===2.2"}) {
    INFO(text);
    CHECK_THAT(refusal(text), Contains("expected COMPONENT=VERSION"));
  }
  CHECK_THAT(refusal("numpy=2.2,numpy=2.2"), Contains("named twice"));
}

TEST_CASE("compared: files are stores or locks by what is in them") {
  const Directory directory;
  const auto store = directory.file("results", std::string("SQLite format 3\0...", 19));
  const auto lock = directory.file("requirements.txt", "numpy==2.2\nflask==1.0\n");
  CHECK(parse(store).kind == Kind::store);
  CHECK(parse("store:" + store).file == store);
  CHECK(held(parse(store)) == 4);
  const auto found = parse(lock);
  CHECK(found.kind == Kind::lock);
  CHECK(found.versions == std::map<std::string, std::string>{{"numpy", "2.2"}});
  CHECK(found.unknown == std::vector<std::string>{"flask"});
  CHECK(held(found) == 2);
  CHECK(parse("lock:" + lock).kind == Kind::lock);
  CHECK_THAT(refusal("store:" + lock), Contains("no store"));
  CHECK_THAT(refusal("lock:" + store), Contains("a store, no lock"));
  CHECK_THAT(refusal("store:nowhere.db"), Contains("no such file"));
  CHECK_THAT(refusal(directory.file("requirements-web.txt", "flask==1.0\n")),
             Contains("none of its 1 packages"));
  CHECK_THAT(refusal(directory.file("requirements-open.txt", "numpy>=1\n")),
             Contains("requirements-open.txt"));
  CHECK_FALSE(compared_file("numpy=2.2", {}));
  CHECK_FALSE(compared_file("campaign:aa", {}));
}
