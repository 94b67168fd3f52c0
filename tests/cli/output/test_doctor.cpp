#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/output/doctor.hpp"
#include "tests/workspace/doctor/machine.hpp"

using namespace stackx::cli;
using namespace stackx::workspace;
using namespace stackx::workspace::testing;

TEST_CASE("the page of a doctor: the answer, the findings, what to do", "[doctor]") {
  const Findings findings{{"programs", Status::ok, "both run", "", ""},
                          {"catalogs", Status::ok, "facts as of 2026-11-22", "", ""},
                          {"sandbox", Status::poor, "bubblewrap not found", "what is measured sees your files", "apt-get install bubblewrap"},
                          {"package index", Status::poor, "host does not answer", "", "Look at the network"},
                          {"GPU", Status::none, "none here", "", ""}};
  CHECK(doctor_text(findings, 80) ==
        "This machine can advise, check, resolve and measure (without a sandbox, CPU); it\n"
        "cannot fetch packages or measure GPUs; whether it can run containers was not\n"
        "found out.\n"
        "\n"
        "ok       programs       both run\n"
        "ok       catalogs       facts as of 2026-11-22\n"
        "poor     sandbox        bubblewrap not found\n"
        "poor     package index  host does not answer\n"
        "none     GPU            none here\n"
        "\n"
        "What to do:\n"
        " 1. apt-get install bubblewrap\n"
        "    (sandbox: what is measured sees your files)\n"
        " 2. Look at the network.\n"
        "    (package index)\n");
}

TEST_CASE("a good machine has nothing to do; lines keep to the width, commands stay whole", "[doctor]") {
  CHECK_THAT(doctor_text(good_machine(), 80), !Catch::Contains("What to do"));
  auto findings = good_machine();
  std::string long_text, command = "stackx";
  for (int i = 0; i < 40; ++i) long_text += "words ", command += " --option";
  findings[3] = {"sandbox", Status::poor, long_text, long_text, command};
  std::istringstream lines(doctor_text(findings, 60));
  int wide = 0;
  for (std::string line; std::getline(lines, line);) wide += line.size() > 60 ? 1 : 0;
  CHECK(wide == 1);  // the command
}

TEST_CASE("the document of a doctor", "[doctor]") {
  const auto document = doctor_json(with(good_machine(), "store", Status::broken));
  CHECK(document["$schema"] == "stackx/doctor/1");
  CHECK(document["basic"] == false);
  CHECK(document["cannot"] == nlohmann::json{"keep results"});
  CHECK(document["findings"].size() == 17);
  CHECK(document["findings"][4]["status"] == "broken");
}
