#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "specs/error.hpp"
#include "specs/format/draft.hpp"
#include "specs/format/output_file.hpp"
#include "specs/format/text_file.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/place.hpp"

namespace fs = std::filesystem;
using namespace stackx;
using specs::Draft;
using specs::Existing;

namespace {

struct DraftPlace : tests::Place {
  DraftPlace() : Place("draft") {}
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path())) names.insert(entry.path().filename());
    return names;
  }
};

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// In a process of its own, which ends without a word: as one that was killed.
template <typename Work>
void as_if_killed(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace

TEST_CASE("draft: nothing is in its place before it is put there, and nothing beside it after") {
  const DraftPlace place;
  {
    Draft draft(place / "a");
    draft.write("half");
    CHECK_FALSE(fs::exists(place / "a"));
    draft.write(" and half");
    draft.put_in_place();
  }
  CHECK(content(place / "a") == "half and half");
  { Draft(place / "a").write("given up"); }
  CHECK(content(place / "a") == "half and half");
  CHECK(place.names() == std::set<std::string>{"a"});
}

TEST_CASE("draft: writers to one place do not meet, and the last one's stays or the first one's") {
  const DraftPlace place;
  Draft one(place / "a"), two(place / "a"), three(place / "a");
  CHECK(std::set{one.path(), two.path(), three.path()}.size() == 3);
  one.write("one");
  two.write("two");
  three.write("three");
  two.put_in_place();
  CHECK(content(place / "a") == "two");
  one.put_in_place();
  CHECK(content(place / "a") == "one");
  CHECK_THAT(tests::message_of([&] { three.put_in_place(Existing::kept); }),
             Catch::Contains("exists already"));
  CHECK(content(place / "a") == "one");
}

TEST_CASE(
    "draft: what a killed writer left is taken over, emptied, and not what a living one has") {
  const DraftPlace place;
  for (const auto kind : {Draft::Kind::file, Draft::Kind::directory}) {
    const auto target = place / (kind == Draft::Kind::file ? "file" : "directory");
    as_if_killed([&] {
      Draft draft(target, kind);
      if (kind == Draft::Kind::file)
        draft.write("much that is left");
      else
        std::ofstream(draft.path() / "left") << "much";
      _exit(0);
    });
    const fs::path left = place / (kind == Draft::Kind::file ? ".file.1.stackx-draft" : ".directory.1.stackx-draft");
    REQUIRE(fs::exists(left));
    Draft next(target, kind);
    CHECK(next.path() == left);
    CHECK(fs::is_empty(left));
    CHECK(Draft(target, kind).path() != left);
  }
}

TEST_CASE("draft: what was left behind can be finished; what is at work cannot") {
  const DraftPlace place;
  const fs::path part = place / ".a.1.stackx-draft";
  as_if_killed([&] {
    Draft draft(place / "a");
    draft.write("whole");
    _exit(0);
  });
  REQUIRE(fs::exists(part));
  {
    auto left = Draft::left_behind(part, place / "a");
    REQUIRE(left);
    CHECK_FALSE(Draft::left_behind(part, place / "a"));
    left->put_in_place();
  }
  CHECK(content(place / "a") == "whole");
  Draft at_work(place / "a");
  CHECK_FALSE(Draft::left_behind(part, place / "a"));
  CHECK_FALSE(Draft::left_behind(place / ".none.1.stackx-draft", place / "none"));
}

TEST_CASE("draft: what stands where a draft would is left alone") {
  const DraftPlace place;
  fs::create_symlink(place / "precious", place / ".a.1.stackx-draft");
  std::ofstream(place / "precious") << "mine";
  REQUIRE(mkfifo((place / ".a.2.stackx-draft").c_str(), 0600) == 0);
  fs::create_directory(place / ".a.3.stackx-draft");
  fs::create_hard_link(place / "precious", place / ".a.4.stackx-draft");
  Draft draft(place / "a");
  CHECK(draft.path() == place / ".a.5.stackx-draft");
  draft.write("x");
  draft.put_in_place();
  CHECK(content(place / "precious") == "mine");
  CHECK(fs::is_fifo(place / ".a.2.stackx-draft"));
}

TEST_CASE("draft: what others leave under usual names is theirs") {
  const DraftPlace place;
  for (const char* name : {"a.part", "a.2.part", "a.tmp", ".a.part"}) std::ofstream(place / name) << "mine";
  Draft draft(place / "a");
  draft.write("x");
  draft.put_in_place();
  for (const char* name : {"a.part", "a.2.part", "a.tmp", ".a.part"}) CHECK(content(place / name) == "mine");
  CHECK(place.names() == std::set<std::string>{"a", "a.part", "a.2.part", "a.tmp", ".a.part"});
}

TEST_CASE("draft: a name may be as long as the file system has it") {
  const DraftPlace place;
  std::string umlauts;
  for (int i = 0; i < 127; ++i) umlauts += "\xc3\xbc";
  for (const std::string& name : {std::string(255, 'x'), std::string(254, 'x') + "y", umlauts + "z"}) {
    Draft one(place / name.c_str()), two(place / name.c_str());
    CHECK(one.path() != two.path());
    CHECK(one.path().filename().string().size() <= 255);
    one.write(name);
    one.put_in_place();
    CHECK(content(place / name.c_str()) == name);
  }
  const Draft one(place / std::string(255, 'x').c_str()), other(place / (std::string(254, 'x') + "y").c_str());
  CHECK(one.path().filename().string().ends_with(".1.stackx-draft"));
  CHECK(other.path().filename().string().ends_with(".1.stackx-draft"));  // they are told apart
}

TEST_CASE("draft: a directory takes its place with what is in it, onto an empty one too") {
  const DraftPlace place;
  fs::create_directory(place / "a");
  {
    Draft draft(place / "a", Draft::Kind::directory);
    fs::create_directory(draft.path() / "in");
    std::ofstream(draft.path() / "in" / "file") << "text";
    draft.put_in_place();
  }
  CHECK(content(place / "a" / "in" / "file") == "text");
  Draft second(place / "a", Draft::Kind::directory);
  std::ofstream(second.path() / "other") << "text";
  CHECK_THAT(tests::message_of([&] { second.put_in_place(); }),
             Catch::Contains("cannot be put in place"));
  CHECK(fs::exists(place / "a" / "in" / "file"));
}

TEST_CASE("draft: modes are those that the user's umask gives") {
  const DraftPlace place;
  const mode_t before = umask(027);
  Draft draft(place / "a");
  draft.put_in_place();
  umask(before);
  CHECK((fs::status(place / "a").permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read));
}

TEST_CASE("draft: many threads replace one file, which is whole whenever it is read") {
  const DraftPlace place;
  const fs::path file = place / "a";
  constexpr int writers = 8, times = 40;
  std::atomic<int> at_work = writers;
  std::vector<std::thread> threads;
  for (int i = 0; i < writers; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < times; ++k)
        if (!specs::replace_text_file(file, std::string(100'000, static_cast<char>('a' + i))))
          std::abort();
      --at_work;
    });
  std::set<std::size_t> sizes;
  bool mixed = false;
  while (at_work > 0) {
    const bool there = fs::exists(file);
    const auto text = content(file);
    if (!there) continue;
    sizes.insert(text.size());
    mixed = mixed || text.find_first_not_of(text.substr(0, 1)) != text.npos;
  }
  for (auto& thread : threads) thread.join();
  CHECK_FALSE(mixed);
  CHECK(sizes == std::set<std::size_t>{100'000});
  CHECK(place.names() == std::set<std::string>{"a"});
}

TEST_CASE("output file: what is no file is written and stays") {
  const DraftPlace place;
  {
    specs::OutputFile out("/dev/null");
    out.write("text");
    out.finish();
  }
  CHECK(fs::is_character_file("/dev/null"));
  specs::OutputFile full("/dev/full");
  CHECK_THAT(tests::message_of([&] { full.write("text"); }),
             Catch::StartsWith("/dev/full: cannot be written: No space"));
  CHECK_THAT(tests::message_of([&] { specs::OutputFile((place / "no/such").string()); }),
             Catch::Contains("no/such: cannot be made: there is no directory"));
}
