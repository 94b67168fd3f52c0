// Numbers as sentences, texts that follow a version, names of changes, and what timers are told.
#include <catch2/catch.hpp>

#include "watch/change.hpp"
#include "watch/refresh/releases.hpp"
#include "watch/report/wording.hpp"
#include "watch/timer.hpp"

using namespace stackx::watch;
using stackx::analysis::Comparison;
using stackx::analysis::Verdict;

namespace {

Comparison compared(Verdict verdict, double ratio, double low, double high) {
  Comparison comparison;
  comparison.verdict = verdict;
  comparison.ratio = ratio;
  comparison.interval = stackx::analysis::Interval{low, high, 0.95};
  comparison.pairs = 7;
  return comparison;
}

}  // namespace

TEST_CASE("watch wording: ratios as people say them") {
  CHECK(faster_than(compared(Verdict::faster, 1.12, 1.10, 1.14)) == "12% [10, 14] faster than");
  CHECK(faster_than(compared(Verdict::faster, 1.031, 1.015, 1.045)) == "3.1% [1.5, 4.5] faster than");
  CHECK(faster_than(compared(Verdict::slower, 0.48, 0.47, 0.50)) == "52% [50, 53] slower than");
  CHECK(faster_than(compared(Verdict::faster, 2.1, 2.0, 2.2)) == "2.1 times [2.0, 2.2] as fast as");
  CHECK(faster_than(compared(Verdict::equivalent, 1.001, 0.996, 1.006)) == "as fast as");
  CHECK(at_most(compared(Verdict::equivalent, 1.001, 0.992, 1.006)) == "within 0.8%");
  CHECK(interval_text(compared(Verdict::faster, 1.12, 1.05, 1.14)) == "x1.12 [1.050, 1.14]");
}

TEST_CASE("watch wording: a text that follows the version follows the next one") {
  CHECK(following("0.3.34", "0.3.34.481.3", "0.3.35.1.0") == "0.3.35");
  CHECK(following("2026.2", "2026.2.0", "2026.10.1") == "2026.10");
  CHECK(following("2026.2.0", "2026.2.0", "2026.3.0") == "2026.3.0");
  CHECK(following("2026", "2026.2.0", "2027.0") == "2027");
  CHECK(following("3.2.0", "2023.2.0", "2023.3.0") == "3.2.0");  // of its own: nobody knows how it goes on
  CHECK(following("*", "1.0", "2.0") == "*");
  CHECK(following("1.2.3", "1.2.3.4", "5.6") == "5.6");
}

TEST_CASE("watch wording: changes") {
  const stackx::specs::Stack a{{{"numpy", "1.26"}, {"scipy", "1.11"}, {"old", "1"}}}, b{{{"numpy", "2.0"}, {"scipy", "1.14"}, {"new", "3"}}};
  const auto all = changes(a, b);
  CHECK(text(all[1]) == "numpy 1.26 -> 2.0");
  CHECK(text(all) == "new 3 instead of old 1 with numpy 1.26 -> 2.0, scipy 1.11 -> 1.14");
  CHECK(short_text(all) == "new 3 (+2)");
  CHECK(company_of(all) == "numpy 1.26 -> 2.0, scipy 1.11 -> 1.14");
  CHECK(company_of({all[1]}) == "");
  CHECK(changes(a, a).empty());
}

TEST_CASE("watch timers: what would end a word, a line or a command is taken as it is") {
  const TimerAsked asked{"", "my project/ä", {"watch", "a b.json", "--pi", "x '$HOME' 100% \"q\" \\"}, "/opt/stackx", "/home/u/my %p", {{"STACKX_DB", "/data/s x.db"}}};
  auto of = [&](const char* kind) {
    auto one = asked;
    one.kind = kind;
    return timer_text(one);
  };
  const auto systemd = of("systemd");
  CHECK(systemd.find("ExecStart=\"/opt/stackx\" \"watch\" \"a b.json\" \"--pi\" \"x '$$HOME' 100%% \\\"q\\\" \\\\\"\n") != systemd.npos);
  CHECK(systemd.find("WorkingDirectory=/home/u/my %%p\n") != systemd.npos);
  CHECK(systemd.find("Environment=\"STACKX_DB=/data/s x.db\"\n") != systemd.npos);
  CHECK(systemd.find("/stackx-watch-my-project-") != systemd.npos);
  const auto cron = of("cron");
  CHECK(cron.find("100\\%") != cron.npos);
  CHECK(cron.find("STACKX_DB='/data/s x.db' /opt/stackx watch 'a b.json'") != cron.npos);
  for (const auto& kind : timer_kinds()) CHECK(of(kind.c_str()).ends_with('\n'));
}

TEST_CASE("watch timers: two watches of one project have two names, a GPU is asked for, secrets are not written") {
  TimerAsked asked{"systemd", "speed", {"watch", "."}, "/opt/stackx", "/home/u/speed", {{"HTTPS_PROXY", "http://proxy:3128"}}};
  const auto named = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  const auto first = named(timer_text(asked));
  asked.about = "another workload";
  CHECK(named(timer_text(asked)) != first);
  asked.with_secrets = {"PIP_INDEX_URL"};
  const auto holds = [&](const char* kind, const char* words) {
    asked.kind = kind;
    return timer_text(asked).find(words) != std::string::npos;
  };
  CHECK(holds("systemd", "loginctl enable-linger"));
  CHECK(holds("systemd", "HTTPS_PROXY=http://proxy:3128"));
  for (const char* kind : {"systemd", "cron", "cronjob", "github"}) CHECK(holds(kind, "PIP_INDEX_URL"));
  CHECK(holds("cronjob", "Set here and not there: PIP_INDEX_URL, HTTPS_PROXY."));
  CHECK_FALSE(holds("cronjob", "nvidia.com/gpu"));
  asked.on_gpu = true;
  CHECK(holds("cronjob", "nvidia.com/gpu: \"1\""));
  asked.words = {"watch", ".", "--index-url", "https://me:pass@host/simple"};
  CHECK(holds("cron", "has a secret in it"));
}
