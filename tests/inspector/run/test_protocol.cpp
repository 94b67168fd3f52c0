#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "inspector/process/supervision.hpp"
#include "inspector/run/protocol.hpp"

using namespace stackx::inspector;
using stackx::specs::Outcome;

namespace {

std::string outcome_of(const std::string& text) {
  const auto parsed = parse_pi_output(text);
  return parsed ? "ok" : stackx::specs::to_string(parsed.error().outcome);
}

std::string reason_of(const std::string& text) {
  const auto parsed = parse_pi_output(text);
  return parsed ? "" : parsed.error().reason;
}

}  // namespace

TEST_CASE("everything that a PI says arrives", "[protocol]") {
  const auto parsed = parse_pi_output(R"( {
    "name": "matmul", "component": "blis",
    "parameters": {"m": 512, "dtype": "float32", "scale": 0.5, "fast": true},
    "samples_ns": [1, 9223372036854775807], "work": {"flop": 2.5e9, "bytes": 12, "items": 2},
    "check": {"reference": "double", "max_relative_error": 1e-7, "bound": 1e-5, "pass": true, "more": []},
    "loaded": {"blis": "0.9.0"}, "library": {"path": "/usr/lib/libblis.so.4", "kind": "blis"},
    "files": ["/usr/lib/libblis.so.4"], "notes": ["unknown keys are ignored"],
    "phases": [{"name": "check", "start_ns": 5, "duration_ns": 6}] } )"
                                      "\n");
  REQUIRE(parsed);
  CHECK(parsed->name == "matmul");
  CHECK(parsed->component == "blis");
  CHECK(parsed->parameters ==
        std::map<std::string, std::string>{
            {"m", "512"}, {"dtype", "float32"}, {"scale", "0.5"}, {"fast", "true"}});
  CHECK(parsed->samples_ns == std::vector<std::int64_t>{1, 9223372036854775807});
  CHECK(parsed->work.flop == 2.5e9);
  CHECK(parsed->work.bytes == 12);
  CHECK(parsed->work.items == 2);
  CHECK(parsed->check->max_relative_error == 1e-7);
  CHECK(parsed->check->bound == 1e-5);
  CHECK(parsed->loaded.at("blis") == "0.9.0");
  CHECK(parsed->library == "/usr/lib/libblis.so.4");
  CHECK(parsed->files == std::vector<std::string>{"/usr/lib/libblis.so.4"});
  CHECK(parsed->phases.at(0).duration_ns == 6);
  CHECK(parse_pi_output(R"({"samples_ns": [3], "library": "/x.so"})")->library == "/x.so");
  CHECK_FALSE(parsed->check->max_ulps);
  CHECK_FALSE(parsed->check->deterministic);
  const std::string digest(64, 'a');
  const auto bits = parse_pi_output(R"({"samples_ns": [3], "check": {"reference": "r", "max_relative_error": 0, "pass": true, "max_ulps": 2.5,
    "result_digest": ")" + digest + R"(", "inputs": "mine, seed 1", "deterministic": false}})");
  REQUIRE(bits);
  CHECK(bits->check->max_ulps == 2.5);
  CHECK(bits->check->result_digest == digest);
  CHECK(bits->check->inputs == "mine, seed 1");
  CHECK(bits->check->deterministic == false);
}

TEST_CASE("times that cannot be times are invalid samples", "[protocol]") {
  for (const char* samples : {"[]", "[0]", "[-1]", "[5, -0]", "[1.0]", "[1e3]", "[null]", "[NaN]",
                              "[nan]", "[Infinity]", "[-Infinity]", "[\"5\"]", "[true]", "[[5]]",
                              "[9223372036854775808]", "[18446744073709551615]"}) {
    INFO(samples);
    CHECK(outcome_of(R"({"samples_ns": )" + std::string(samples) + "}") == "invalid_samples");
  }
}

TEST_CASE("what is not the protocol is bad output", "[protocol]") {
  for (
      const char* text :
      {"",
       "  \n",
       "not json",
       "{",
       R"({"samples_ns": [1])",
       "[1]",
       "3",
       "null",
       "{}",
       R"({"samples_ns": 5})",
       R"({"samples_ns": [1]} trailing)",
       R"({"samples_ns": [1], "samples_ns": [2]})",
       R"({"samples_ns": [1], "work": 5})",
       R"({"samples_ns": [1], "work": {"flop": -1}})",
       R"({"samples_ns": [1], "work": {"flop": NaN}})",
       R"({"samples_ns": [1], "work": {"flop": 1e999}})",
       R"({"samples_ns": [1], "parameters": {"a": {}}})",
       R"({"samples_ns": [1], "loaded": []})",
       R"({"samples_ns": [1], "files": [1]})",
       R"({"samples_ns": [1], "check": {}})",
       R"({"samples_ns": [1], "check": {"reference": "r", "pass": true, "max_relative_error": 0, "max_ulps": -1}})",
       R"({"samples_ns": [1], "check": {"reference": "r", "pass": true, "max_relative_error": 0, "result_digest": "abc"}})",
       R"({"samples_ns": [1], "check": {"reference": "r", "pass": true, "max_relative_error": 0, "deterministic": 1}})",
       R"({"samples_ns": [1], "check": {"reference": "r", "pass": true}})",
       R"({"samples_ns": [1], "check": {"reference": "r", "pass": 1, "max_relative_error": 0}})",
       R"({"samples_ns": [1], "phases": [{"name": "p", "start_ns": 1, "duration_ns": -1}]})",
       R"({"samples_ns": [1], "phases": [{"name": "p", "start_ns": 9223372036854775807, "duration_ns": 9223372036854775807}]})",
       R"({"unsupported": true})",
       "{\"samples_ns\": [1], \"name\": \"\xff\"}"}) {
    INFO(text);
    CHECK(outcome_of(text) == "bad_output");
    CHECK_FALSE(reason_of(text).empty());
  }
  const std::string deep(1'000'000, '[');
  CHECK(outcome_of(deep) == "bad_output");
}

TEST_CASE("more files than a process maps are bad output", "[protocol]") {
  const auto with = [](int count, const std::string& name) {
    std::string files;
    for (int i = 0; i < count; ++i) files += (i == 0 ? "\"" : ",\"") + name + "\"";
    return R"({"samples_ns": [1], "files": [)" + files + "]}";
  };
  CHECK(outcome_of(with(4096, "/a")) == "ok");
  CHECK(outcome_of(with(4097, "/a")) == "bad_output");
  CHECK(reason_of(with(4097, "/a")).find("/files: 4097 files; no process maps more than 4096") != std::string::npos);
  CHECK(outcome_of(with(4000, std::string(1000, '/'))) == "bad_output");
}

TEST_CASE("two documents are told from a syntax error", "[protocol]") {
  const std::string one = R"({"samples_ns": [1]})";
  CHECK(reason_of(one + "\n" + one).find("more than one") != std::string::npos);
  CHECK(reason_of(one + "{").find("more than one") != std::string::npos);
  CHECK(reason_of(one + " trailing").find("more than one") != std::string::npos);
  CHECK(reason_of("[1] [1]").find("more than one") != std::string::npos);
  CHECK(reason_of(R"({"samples_ns": [1)").find("more than one") == std::string::npos);
}

TEST_CASE("sixteen MiB of brackets cost little more than their bytes", "[protocol]") {
  const auto kib_used = [](const std::string& text) {  // at most, by another process
    const pid_t child = fork();
    if (child == 0) _exit(!text.empty() && parse_pi_output(text) ? 1 : 0);
    int status = 0;
    rusage usage{};
    REQUIRE(wait4(child, &status, 0, &usage) == child);
    CHECK(status == 0);
    return usage.ru_maxrss;
  };
  const std::string brackets(std::size_t{16} << 20, '[');
  CHECK(kib_used(brackets) - kib_used("") < 256 * 1024);
}

TEST_CASE("NaN within a string is text", "[protocol]") {
  const auto parsed =
      parse_pi_output(R"({"samples_ns": [1], "name": "NaN \" inf", "parameters": {"x": NaN}})");
  REQUIRE(parsed);
  CHECK(parsed->name == "NaN \" inf");
  CHECK(parsed->parameters.at("x") == "NaN");
}

TEST_CASE("a failed check needs no samples, and may have no finite error", "[protocol]") {
  for (const char* error : {"0.5", "NaN", "Infinity"}) {
    const auto parsed =
        parse_pi_output(R"({"samples_ns": [], "check": {"reference": "r", "bound": 1e-6,
      "pass": false, "max_relative_error": )" +
                        std::string(error) + "}}");
    REQUIRE(parsed);
    CHECK_FALSE(parsed->check->pass);
    CHECK(parsed->check->max_relative_error >= 0.5);
  }
}

TEST_CASE("what cannot be done is unsupported, with the PI's reason", "[protocol]") {
  CHECK(outcome_of(R"({"name": "matmul", "unsupported": "no int8"})") == "unsupported");
  CHECK(reason_of(R"({"unsupported": "no int8"})") == "no int8");
}

TEST_CASE("Thoth's output is one sample", "[protocol]") {
  const auto parsed = parse_pi_output(R"({
    "@parameters": {"framework": "tensorflow", "name": "matmul", "reps": 20000, "matrix_size": 512},
    "@result": {"rate": 50.0, "elapsed": 5.35822336},
    "tensorflow_buildinfo": null })");
  REQUIRE(parsed);
  CHECK(parsed->samples_ns == std::vector<std::int64_t>{5358223});
  CHECK(parsed->work.flop == Approx(50e9 * 5.35822336e-3));
  CHECK(parsed->parameters.at("matrix_size") == "512");
  CHECK(outcome_of(R"({"@result": {"rate": NaN, "elapsed": 1}})") == "invalid_samples");
  CHECK(outcome_of(R"({"@result": {"rate": 1, "elapsed": -1}})") == "invalid_samples");
  CHECK(outcome_of(R"({"@result": {"rate": 1, "elapsed": 0}})") == "invalid_samples");
  CHECK(outcome_of(R"({"@result": {"rate": 1e300, "elapsed": 9e12}})") == "invalid_samples");
  CHECK(outcome_of(R"({"@result": {"rate": 1}})") == "bad_output");
}

TEST_CASE("known secrets are taken out of a report's words, and its numbers stay", "[protocol]") {
  const Secrets secrets({{"A_TOKEN", "t0ken-of-a"}, {"B_PASSWORD", "123456"}});
  auto parsed = parse_pi_output(R"({"samples_ns": [123456], "parameters": {"x": "\u00740ken-of-a", "t0ken-of-a": 1},
    "loaded": {"blas": "t0ken-of-a"}, "phases": [{"name": "t0ken-of-a", "start_ns": 1, "duration_ns": 1}],
    "check": {"reference": "a t0ken-of-a", "max_relative_error": 0, "bound": 1, "pass": true}, "files": ["/t0ken-of-a"]})");
  REQUIRE(parsed);
  mask(*parsed, secrets);
  CHECK(parsed->parameters == std::map<std::string, std::string>{{"x", "***"}, {"***", "1"}});
  CHECK(parsed->loaded.at("blas") == "***");
  CHECK(parsed->phases[0].name == "***");
  CHECK(parsed->check->reference == "a ***");
  CHECK(parsed->samples_ns[0] == 123456);
  CHECK(parsed->files[0] == "/t0ken-of-a");  // looked for on the disk, and not kept
}

TEST_CASE("the supervisor's report survives the way, and half of it is nothing", "[supervision]") {
  Supervision report;
  report.end = Supervision::End::memory;
  report.status = 11;
  report.start_ns = 1'795'197'040'878'090'915;
  report.duration_ns = 516'725'099;
  report.peak_bytes = std::uint64_t{1} << 40;
  report.left = 3;
  report.user_us = 202'858;
  report.involuntary = 59;
  const auto text = to_text(report);
  const auto read = supervision_from(text);
  REQUIRE(read);
  CHECK(to_text(*read) == text);
  CHECK(read->end == Supervision::End::memory);
  CHECK(read->peak_bytes == report.peak_bytes);
  for (std::size_t size = 0; size < text.size(); ++size) {
    CHECK_FALSE(supervision_from(text.substr(0, size)));
  }
  CHECK_FALSE(supervision_from("end=99\n" + text.substr(text.find('\n') + 1)));
}
