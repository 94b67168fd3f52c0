// What extras bring: of a package's releases some have one, others had it once or not yet, or call it otherwise.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

class Extras {
 public:
  Extras(const Knowledge& knowledge, const Question& question) : knowledge_(knowledge), question_(question) {}  // both outlive this

  // Why nobody can use the release with that extra, in words that follow "it": "it has no extra rocm, which is called rocm7-local now".
  // "": he can, or nobody knows. pip warns, and installs the package without: of an extra that brings a GPU's part, and where one is
  // looked for that does, that is not what was asked for. An extra that brings nothing anywhere says nothing.
  std::string failure(const specs::Package& package, const specs::PackageRelease& release, const std::string& extra) const;

  // The release brings nothing by that name, and others do.
  bool is_missing(const specs::Package& package, const specs::PackageRelease& release, const std::string& extra) const;

 private:
  bool brings_something(const specs::Package& package, const specs::PackageRelease& release, const std::string& extra) const;
  std::string lacking(const specs::Package& package, const specs::PackageRelease& release, const std::string& extra) const;
  std::string new_name(const specs::Package& package, const specs::PackageRelease& release, const std::string& extra) const;

  struct Span {
    const specs::PackageRelease *first, *last;  // that bring something by it; null: none
  };
  const Span& span(const specs::Package& package, const std::string& extra) const;

  const Knowledge& knowledge_;
  const Question& question_;
  mutable std::map<std::pair<std::string, std::string>, Span> spans_;
};

}  // namespace stackx::advisor
