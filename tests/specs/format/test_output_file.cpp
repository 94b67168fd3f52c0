#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "specs/error.hpp"
#include "specs/format/output_file.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/place.hpp"

namespace fs = std::filesystem;
using namespace stackx;
using Catch::Matchers::Contains;
using specs::OutputFile;

namespace output_file_tests {

struct OutputPlace : tests::Place {
  OutputPlace() : Place("output") {}
  std::string operator/(const char* name) const { return (path() / name).string(); }
};

void put(const std::string& name, std::string_view text) {
  OutputFile file(name);
  file.write(text);
  file.finish();
}

std::string content(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(name, std::ios::binary).rdbuf();
  return text.str();
}

std::string output_refusal(const std::string& name) {
  return tests::message_of([&] { put(name, "new"); });
}

mode_t mode_of(const std::string& name) {
  struct stat status {};
  REQUIRE(stat(name.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

TEST_CASE("output file: a database is not replaced, nor behind a link") {
  const OutputPlace place;
  const std::string store("SQLite format 3\0and pages", 25);
  put(place / "s.db", "x");
  std::ofstream(place / "s.db", std::ios::binary) << store;
  fs::create_symlink("s.db", place / "link");
  for (const char* name : {"s.db", "link"}) CHECK_THAT(output_refusal(place / name), Contains("is a database, perhaps the store"));
  CHECK(content(place / "s.db") == store);
}

TEST_CASE("output file: what is replaced keeps its mode, and a link what it leads to") {
  const OutputPlace place;
  put(place / "secret", "old");
  REQUIRE(chmod((place / "secret").c_str(), 0600) == 0);
  fs::create_symlink("secret", place / "link");
  fs::create_symlink("fresh", place / "dangling");
  put(place / "link", "new");
  put(place / "dangling", "made");
  CHECK(fs::is_symlink(place / "link"));
  CHECK(content(place / "secret") == "new");
  CHECK(mode_of(place / "secret") == 0600);
  CHECK(fs::is_symlink(place / "dangling"));
  CHECK(content(place / "fresh") == "made");
  fs::create_symlink("circle", place / "circle");
  CHECK_THAT(output_refusal(place / "circle"), Contains("leads in a circle"));
}

TEST_CASE("output file: a descriptor is written where it stands, whatever it is; one that is closed is no success") {
  const OutputPlace place;
  const int file = ::open((place / "log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(file >= 0);
  REQUIRE(::write(file, "before ", 7) == 7);
  put("/dev/fd/" + std::to_string(file), "after");
  CHECK(content(place / "log") == "before after");
  ::close(file);
  CHECK_THAT(output_refusal("/dev/fd/" + std::to_string(file)), Contains("cannot be written: Bad file descriptor"));
  const int reading = ::open("/dev/null", O_RDONLY | O_CLOEXEC);  // as stdout is where it was closed
  CHECK_THAT(output_refusal("/proc/self/fd/" + std::to_string(reading)), Contains("Bad file descriptor"));
  ::close(reading);
}

TEST_CASE("output file: a pipe that does not wait is waited for") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
  std::size_t got = 0;
  std::thread reader([&] {
    char buffer[4096];
    while (got < 1'000'000) {
      const ssize_t n = ::read(ends[0], buffer, sizeof buffer);
      if (n > 0) got += static_cast<std::size_t>(n);
    }
  });
  put("/dev/fd/" + std::to_string(ends[1]), std::string(1'000'000, 'x'));
  reader.join();
  CHECK(got == 1'000'000);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("output file: a directory that is missing, or in which nothing can be made, is named") {
  const OutputPlace place;
  CHECK_THAT(output_refusal(place / "none/a.csv"),
             Contains("there is no directory " + (place / "none") + "; make it first"));
  CHECK_THAT(output_refusal("/proc/stackx.csv"), Contains("/proc"));
}

}  // namespace output_file_tests
