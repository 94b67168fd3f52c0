#include "advisor/candidate/have.hpp"

#include <catch2/catch.hpp>

#include "tests/specs/message_of.hpp"

namespace stackx::advisor {
namespace have_tests {

TEST_CASE("have: what a machine keeps, as people write it") {
  const auto have = read_have("driver=535.183.01,python=3.11,cuda==11.8,glibc=2.31");
  CHECK(have.driver == "535.183.01");
  CHECK(have.cuda == "11.8");
  CHECK(have.text() == "driver 535.183.01, python 3.11, cuda 11.8, glibc 2.31");
  CHECK(have.any());
  CHECK_FALSE(read_have("").any());
}

TEST_CASE("have: what is not of that form is refused with what is") {
  CHECK(tests::message_of([] { read_have("cudnn=9"); }) ==
        "--have \"cudnn=9\": expected driver, python, cuda or glibc with a version, as in driver=535.183.01,python=3.11");
  CHECK(tests::message_of([] { read_have("cuda"); }) == "--have \"cuda\": expected cuda=VERSION, as in cuda=11.8");
  CHECK(tests::message_of([] { read_have("cuda=eleven"); }) == "--have \"cuda=eleven\": expected cuda=VERSION, as in cuda=11.8");
  // A range can be made of a release alone: 3.11rc1 and 3.11+x once ended the program.
  for (const char* version : {"x", "3.11rc1", "3.11+x", "3.11.*", "1!3", "nan", "", "3..11"})
    CHECK(tests::message_of([&] { read_have(std::string("python=") + version); }) ==
          "--have \"python=" + std::string(version) + "\": expected python=VERSION, as in python=3.11");
  CHECK(tests::message_of([] { read_have("cuda=11.8,cuda=12"); }) == "--have: cuda is given twice");
}

}  // namespace have_tests
}  // namespace stackx::advisor
