#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "specs/error.hpp"
#include "specs/format/input_file.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/place.hpp"

namespace fs = std::filesystem;
using namespace stackx;
using Catch::Matchers::Contains;
using specs::InputFile;

namespace {

struct InputPlace : tests::Place {
  InputPlace() : Place("input") {}
};

std::string read_whole(const fs::path& file) { return InputFile(file, "a list").whole(1 << 20); }
std::string input_refusal(const fs::path& file) {
  return tests::message_of([&] { read_whole(file); });
}

}  // namespace

TEST_CASE("input file: what never ends or is none is refused by name") {
  const InputPlace place;
  CHECK(input_refusal("/dev/zero") == "/dev/zero: is a device; expected a list");
  CHECK(input_refusal("/dev/urandom") == "/dev/urandom: is a device; expected a list");
  CHECK_THAT(tests::message_of([] { specs::Node::parse_file("/dev/zero"); }),
             Contains("is a device; expected a JSON file"));
  CHECK_THAT(tests::message_of([] { specs::read_text_file("/dev/zero", "a text"); }),
             Contains("is a device; expected a text"));
  CHECK(read_whole("/dev/null").empty());
  CHECK_THAT(input_refusal(place / ""), Contains("is a directory; expected a list"));
  CHECK_THAT(input_refusal(place / "none"), Contains("none: no such file; check the path"));
  CHECK_THAT(input_refusal(place / "nowhere/none"), Contains("nowhere/none: no such file; check the path"));
  std::ofstream(place / "requirements.txt") << "numpy\n";
  CHECK(input_refusal(place / "requirments.txt") ==
        (place / "requirments.txt").string() + ": no such file; did you mean \"" + (place / "requirements.txt").string() + "\"?");
  fs::create_symlink(place / "loop", place / "loop");
  CHECK_THAT(input_refusal(place / "loop"), Contains("Too many levels of symbolic links"));
  CHECK_THAT(input_refusal(place / std::string(5000, 'x').c_str()), Contains("File name too long"));
  std::ofstream(place / "large") << std::string((1 << 20) + 1, 'x');
  CHECK_THAT(input_refusal(place / "large"), Contains("larger than 1 MiB; expected a list"));
}

TEST_CASE("input file: a file of the kernel that never ends is left, and one that ends is read") {
  CHECK_THAT(read_whole("/proc/self/status"), Contains("Pid:"));
  std::ifstream allowed("/proc/kmsg");
  if (!allowed || ::access("/proc/kmsg", R_OK) != 0) return;
  const int log = ::open("/proc/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (log < 0) return;
  ::close(log);
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THAT(input_refusal("/proc/kmsg"), Contains("has no end") || Contains("larger than"));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

TEST_CASE("input file: a stdin that does not wait is waited for") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
  const int before = ::dup(STDIN_FILENO);
  REQUIRE(::dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
  std::thread writer([&] {
    for (const char* part : {"one ", "two"}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      CHECK(::write(ends[1], part, std::string_view(part).size()) > 0);
    }
    ::close(ends[1]);
  });
  const std::string text = tests::message_of([&] { throw bad_input(InputFile("-", "a list", true).whole(100)); });
  writer.join();
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(ends[0]);
  CHECK(text == "one two");
}

TEST_CASE("input file: a pipe is read to its end, whenever its writer comes within seconds") {
  const InputPlace place;
  const fs::path pipe = place / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::ofstream out(pipe);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // open, and silent
    for (int i = 0; i < 20'000; ++i) out << "line " << i << std::endl;
  });
  const std::string text = read_whole(pipe);
  writer.join();
  CHECK(text.ends_with("line 19999\n"));
  CHECK(std::ranges::count(text, '\n') == 20'000);
}

TEST_CASE(
    "input file: a pipe whose writer wrote nothing is empty; one into which nobody writes ends, "
    "too") {
  const InputPlace place;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[1]);
  CHECK(read_whole("/dev/fd/" + std::to_string(ends[0])).empty());
  ::close(ends[0]);
  const fs::path pipe = place / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THAT(input_refusal(pipe), Contains("nobody writes"));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}
