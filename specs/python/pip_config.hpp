// pip's configuration, as `pip config list` prints it: global.index-url='https://...', values quoted as Python does.
//
// The order is pip's: variables (":env:."), then the section of the command `install`, then "global"; an empty value
// counts for nothing. What may be several stands between blanks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stackx::specs {

class PipConfig {
 public:
  // `listed`: what `pip config list` printed, "" where there is no pip to ask; `environment`: its $PIP_... count first.
  explicit PipConfig(const std::string& listed, const std::map<std::string, std::string>& environment = {});

  std::string text(const std::string& key) const;  // "index-url"; "" where nothing is set
  std::vector<std::string> list(const std::string& key) const;
  // Throw Error(bad_input) for what pip refuses, too.
  bool flag(const std::string& key) const;  // false where nothing is set
  std::optional<double> number(const std::string& key) const;

 private:
  std::map<std::string, std::string> values_;
};

// Whether pip could list more than the variables: with PIP_CONFIG_FILE=/dev/null it reads no file, and need not be started.
bool pip_reads_files(const std::map<std::string, std::string>& environment);

}  // namespace stackx::specs
