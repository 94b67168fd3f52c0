// Stacks as published results name them, in the component names that the catalogs use.
//
// Sources write "nvidia_driver", "pytorch", "container": here they become driver, torch, ngc, so that
// two rows of one stack are one stack and can be sought among the valid ones. What is no part of a
// stack (operating system, kernel, MPI, a host's CPU) is kept beside it: it is said, but two results
// that differ in it only are of one stack. A framework that is told in a sentence ("TensorFlow v1.12")
// becomes its component where the sentence gives a version. Names that are not in the table stay.
#pragma once

#include <map>
#include <string>

#include "specs/catalog/stack.hpp"

namespace stackx::analysis {

struct PublishedStack {
  specs::Stack stack;  // driver, cuda, cudnn, torch, ngc, ...
  std::map<std::string, std::string>
      besides;  // os, linux_kernel, openmpi, framework as written, ...
};
PublishedStack published_stack(const std::map<std::string, std::string>& components);

// "pytorch:19.05-py3" -> "pytorch-19.05", as the catalog of NGC images has it.
std::string ngc_version(const std::string& image);

}  // namespace stackx::analysis
