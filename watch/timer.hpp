// What starts passes: a timer that the user already has, told the same command. stackx schedules nothing itself.
//
//   systemd   a service and its timer, for `systemctl --user`
//   cron      a line of a crontab
//   cronjob   a CronJob of Kubernetes, with the store on a volume claim
//   github    a workflow of GitHub Actions, with the store in its cache and the report in the job's summary
// What is set here and matters is carried by those that start on this machine, and named by the others. A secret is never written
// from the environment, and one that the command itself has is pointed out.
// Exit codes 10 and 11 (advice changed, regression) are no failure of the pass, and each timer is told so in its way. Rejected:
// installing them, which needs rights and a taste that only the user has.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stackx::watch {

struct TimerAsked {
  std::string kind;                        // of timer_kinds()
  std::string project;                     // its name
  std::vector<std::string> words;          // "watch", "project.json", "--budget", "30m": as they were given
  std::filesystem::path program, directory;  // this stackx, and where it was started
  std::map<std::string, std::string> environment;  // what a pass reads and a timer starts without
  std::string about = {};                          // tells two watches of one project apart: workload, program, device
  bool on_gpu = false;
  std::vector<std::string> with_secrets = {};      // variables that are not in `environment`, since a secret stands in them
};

// What is set here of what a pass reads: where store and cache are, pip's settings, proxies, certificates, which GPUs, PATH.
void add_environment(TimerAsked& asked);

std::vector<std::string> timer_kinds();
std::string timer_text(const TimerAsked& asked);

}  // namespace stackx::watch
