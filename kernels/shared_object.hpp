// A shared library opened at run time.
//
// Opened with RTLD_NOW (what is missing fails here, not in the middle of a measurement) and
// RTLD_LOCAL. MKL, whose libmkl_rt opens its layers itself, works with RTLD_LOCAL as well (tried:
// 2021.4 to 2026.2, all four threading layers). Never closed: thread pools live in it.
//
// Wheels put a library's partners (libiomp5.so, libtbb.so.12) into the same directory but set no
// run path. A dependency that the dynamic linker does not find is therefore looked for beside the
// library.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace stackx::kernels {

struct LoadError : std::runtime_error {  // exit status 3
  using runtime_error::runtime_error;
};

class SharedObject {
 public:
  explicit SharedObject(const std::string& path);  // throws LoadError

  const std::string& path() const { return path_; }  // absolute, links resolved

  // A function that the library or one of its dependencies exports; nullptr if there is none.
  template <typename Function>
  Function* find(const std::string& name) const {
    return reinterpret_cast<Function*>(address(name));
  }
  template <typename Function>
  Function* require(const std::string& name) const {
    return reinterpret_cast<Function*>(required_address(name));
  }

  // Its symbols may be used by what is opened later: for libraries whose plugins rely on that (Open
  // MPI's).
  void make_global() const;

  // Opens `name` beside the library, else wherever the dynamic linker finds it; throws LoadError.
  // For what a library would open itself later, and end the process if it cannot.
  SharedObject partner(const std::string& name) const;

 private:
  void* address(const std::string& name) const;
  void* required_address(const std::string& name) const;
  std::string path_,
      directory_;  // the directory as given: links to a file elsewhere still have their neighbours
  void* handle_;
};

// The files of all shared objects in this process, absolute, in load order.
std::vector<std::string> mapped_files();

}  // namespace stackx::kernels
