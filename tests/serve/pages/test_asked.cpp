// How a page asks: its address becomes the question's, and the command that asks the same.
#include "serve/pages/asked.hpp"

#include <catch2/catch.hpp>

#include "serve/pages/pages.hpp"

using namespace stackx::serve;
using namespace stackx::serve::pages;

namespace {

Target target(const std::string& text) { return read_target(text).value(); }

// Answers everything with what it is given.
struct Parrot : Asker {
  std::string route(const Target&) const override { return "x"; }
  Answer answer(const Target& asked, const Form&) const override {
    last = to_text(asked);
    return given;
  }
  std::string openapi() const override { return "{}"; }
  Answer given;
  mutable std::string last;
};

const std::filesystem::path no_store = "/nowhere/at/all.db";

}  // namespace

TEST_CASE("the command that asks the same") {
  CHECK(command_of(target("/v1/query/best?hw=v100&limit=5")) == "stackx query best --hw v100 --limit 5");
  CHECK(command_of(target("/v1/advise?hw=NVIDIA%20V100&workload=matmul:m=512")) == "stackx advise --hw 'NVIDIA V100' --workload matmul:m=512");
  CHECK(command_of(target("/v1/hardware/v100")) == "stackx hw show v100");
  CHECK(command_of(target("/v1/workloads")) == "stackx workload list");
  CHECK(command_of(target("/v1/query/best?hw=%27%3B%20rm%20-rf%20~%3B%27")) == "stackx query best --hw ''\\''; rm -rf ~;'\\'''");
  CHECK(command_of(target("/v1/query/coverage?project=mine")).empty());  // known by that name to the server alone
}

TEST_CASE("parameters that say nothing are not handed on") {
  CHECK(handed_on(target("/regressions?hw=&workload=matmul&component=a&component=b")) ==
        Parameters{{"workload", "matmul"}, {"component", "a"}, {"component", "b"}});
  CHECK(handed_on(target("/regressions?limit="), "100") == Parameters{{"limit", "100"}});
  CHECK(handed_on(target("/regressions?limit=7"), "100") == Parameters{{"limit", "7"}});
}

TEST_CASE("which addresses are pages") {
  CHECK(Pages::route(target("/")) == "/");
  CHECK(Pages::route(target("/campaigns")) == "/campaigns");
  CHECK(Pages::route(target("/hardware/v100")) == "/hardware/NAME");
  CHECK(Pages::route(target("/stacks/0123")) == "/stacks/ID");
  CHECK(Pages::route(target("/static/page.css")) == "/static/page.css");
  for (const char* text : {"/stacks", "/static", "/static/page.html", "/hardware/a/b", "/v1/advise", "/nowhere", "/regressions/x", "/report/x"}) CHECK(Pages::route(target(text)).empty());
}

TEST_CASE("a page never throws, whatever it is answered with") {
  Parrot parrot;
  const Pages pages(parrot, no_store);
  for (const char* body : {"", "null", "{}", "[]", "{\"rows\":[{}],\"total\":1,\"notes\":[]}", "{\"answer\":null}", "not json", "{\"error\":7}"})
    for (const int status : {200, 400, 500})
      for (const char* address : {"/", "/?hw=a", "/campaigns", "/campaigns/x", "/hardware", "/hardware/x", "/workloads", "/workloads/x", "/stacks/x", "/regressions", "/coverage",
                                  "/failures", "/sources", "/report?hw=x"}) {
        INFO(address << " " << status << " " << body);
        parrot.given = {.status = status, .body = body};
        const auto answer = pages.answer(target(address));
        CHECK(answer.status >= 200);
        CHECK((answer.status < 400 || answer.content_type == "text/html; charset=utf-8"));
        CHECK(answer.body.find("<!DOCTYPE html>") == 0);
      }
}

TEST_CASE("a refusal keeps its status and its words") {
  Parrot parrot;
  parrot.given = {.status = 400, .body = R"({"error":"--hw \"<x>\": no such hardware","exit_code":2})"};
  const auto answer = Pages(parrot, no_store).answer(target("/regressions?hw=%3Cx%3E"));
  CHECK(answer.status == 400);
  CHECK(answer.body.find("--hw &quot;&lt;x&gt;&quot;: no such hardware") != answer.body.npos);
  CHECK(parrot.last == "/v1/query/regressions?hw=%3Cx%3E&limit=100");
  CHECK(Pages::refusal(401, "expected a <token>").find("expected a &lt;token&gt;") != std::string::npos);
}
