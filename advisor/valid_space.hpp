// What can run on some hardware at all: the stacks of the catalogs that the resolver calls valid.
//
// The first part of `advise`, and what its other parts rest on: a published or locked stack names
// three components of ten, and the valid stack nearest to it has the rest.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "resolver/resolver.hpp"
#include "specs/project/project.hpp"

namespace stackx::advisor {

// The newest version of a component that is in a valid stack, and what keeps the newer ones out.
struct NewestVersion {
  std::string component;
  std::string version;
  std::uint64_t newer = 0;  // versions after it in the catalog, none of them in a stack
  std::string first_out;    // the oldest of those
  std::string why;          // a sentence; "" if there is none newer
};

// The valid stack that agrees best with one that names some components.
struct NearestStack {
  specs::Stack stack;
  // component -> (named, here) where they differ; here is "" if the stack has no such component.
  std::map<std::string, std::pair<std::string, std::string>> differs;
  std::vector<std::string> unknown;  // components named that no catalog has
};

class ValidSpace {
 public:
  // Throws as Resolver does.
  ValidSpace(specs::Project project, specs::Catalog catalog);

  const specs::Project& project() const { return project_; }
  const specs::Catalog& catalog() const { return catalog_; }
  const resolver::Resolver& resolver() const { return *resolver_; }
  const resolver::BigInt& count() const { return count_; }

  // Drivers and runtimes first, then packages; hardware, images and settings, which have no newest,
  // are left out.
  std::vector<NewestVersion> newest() const;
  // The latest stack that computes with the same library (tensorflow, torch, cublas, ...) as this one;
  // there must be a stack.
  specs::Stack latest_like(const specs::Stack& stack) const;
  // The newest with another major version of that library; the same stack if there is none.
  specs::Stack latest_before(const specs::Stack& stack) const;
  // The component of the stack that computes; "" if it has none of those known.
  static std::string library_of(const specs::Stack& stack);
  // Images of the catalog that are in a stack and hold just its CUDA and, if it has one, its cuDNN.
  std::vector<std::string> images_with(const specs::Stack& stack) const;
  // There must be a stack. Agreement counts by component: what computes first, then CUDA, cuDNN,
  // NCCL, Python, the driver; a version that differs in its last number only agrees more than one
  // that differs in its first. What is not named is as new as it can be.
  NearestStack nearest(const specs::Stack& named) const;
  // The versions of the component that are in a stack, ascending; none if there is no such component.
  std::vector<std::string> possible(const std::string& component) const;
  // Stacks that hold the version; both must be of the space.
  resolver::BigInt share(const std::string& component, const std::string& version) const {
    return shares().at(component).at(version);
  }

 private:
  const std::map<std::string, std::map<std::string, resolver::BigInt>>& shares() const;
  std::string at_a_glance(const std::string& component, const std::string& version,
                          int depth) const;

  specs::Project project_;
  specs::Catalog catalog_;
  std::unique_ptr<resolver::Resolver> resolver_;
  resolver::BigInt count_;
  mutable std::map<std::string, std::map<std::string, resolver::BigInt>> shares_;
};

// How many of the leading numbers of two versions agree ("9.0.103" and "9.0.176": 2); all of them
// and one more if the texts are equal. "7" agrees with "7.6.2" in one number.
std::size_t agreement(const std::string& a, const std::string& b);

}  // namespace stackx::advisor
