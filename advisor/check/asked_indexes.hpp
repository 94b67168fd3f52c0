// Which indexes the installer of a question is to look at: as files name them, and options. Only PyTorch's have other builds of
// a release than the usual one, so they alone count.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/question.hpp"

namespace stackx::specs {
struct PackageList;
}

namespace stackx::advisor {

class AskedIndexes {
 public:
  void look_at(const specs::PackageList& list);
  void look_beside_the_usual(const std::string& url);
  void look_instead_of_the_usual(const std::string& url);

  // Into the question, with remarks on what is taken from where.
  void tell(Question& question);

 private:
  std::string label_of(const std::string& url);
  void look_first(const std::string& url);
  void take_from_its_own(const std::string& package, const std::string& name, const std::string& url);

  PyTorchIndex pytorch_;
  bool another_ = false;               // index is named for all: a mirror, or the usual one by name
  std::set<std::string> elsewhere_;     // packages with an index of their own that is none of PyTorch's
  std::vector<std::string> remarks_;
};

}  // namespace stackx::advisor
