// kubectl as it is installed and configured here: which cluster and login is its own business ($KUBECONFIG, contexts).
//
// It runs where the user stands, for a $KUBECONFIG may name files from there. Never waits for ever: requests end after 30
// seconds, the program after two minutes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inspector/process/process.hpp"
#include "specs/project/cluster.hpp"

namespace stackx::campaigns::cluster {

struct KubectlAnswer {
  bool ok = false;
  std::string out;
  std::string err;     // what it said, as it said it
  std::string reason;  // what went wrong in words, with what to do; "" if it is ok
};

class Kubectl {
 public:
  explicit Kubectl(const specs::KubernetesTarget& target);

  KubectlAnswer ask(const inspector::Words& words) const;
  std::string typed() const;  // "kubectl --context=gpu --namespace=bench", as a person would begin

 private:
  inspector::Words begin_;
};

// The lines in which kubectl says what is wrong: without warnings and its parts' own notes, which stand beside every answer.
std::vector<std::string_view> complaints_in(std::string_view err);

// What to do about what kubectl said; "" where its words say all.
std::string kubectl_advice(const std::string& said);

}  // namespace stackx::campaigns::cluster
