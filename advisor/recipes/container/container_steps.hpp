// What is done in a container, from its base to the PI, whoever writes it down: a Containerfile or one `docker run`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/project/workload.hpp"

namespace stackx::advisor {

// Another base than the stack's own, for stacks whose packages an image brings or whose files no catalog knows.
struct ContainerBase {
  std::string image;                // OCI reference
  std::vector<std::string> system;  // packages for apt-get
  std::string program;              // its Python; "" for none: the PI is stackx-pi
  std::vector<std::string> pip;     // what follows `pip install`, pinned, without hashes
  std::string site = "-";           // where to: "-": the Python's own site-packages
  std::string cuda = {};            // OCI reference of an image whose CUDA and cuDNN are copied into this base
  std::map<std::string, std::string> variables = {};
};

struct ContainerText {
  std::string script;       // text of a Python program to run as the PI; "" for the PIs of stackx
  std::string head;         // comment lines in place of stack and workload
  std::optional<ContainerBase> base;
  std::string import_test = {};  // program for `python -c` that runs in place of a PI
};

struct ContainerSteps {
  struct Run {
    std::vector<std::string> words;  // a command; with `file` the lines that are written there
    std::string file = {};
  };
  std::string from, cuda;                        // the base; where CUDA is copied from, "" for nowhere
  std::vector<std::string> notes;                // comments
  std::map<std::string, std::string> variables;  // without control characters: those are words of `entry`
  std::vector<Run> runs;
  std::string context;  // what is brought to /opt/stackx: "python", "stackx-pi"; "" for nothing
  std::vector<std::string> entry;
  std::string program;  // its Python; "" for none
};

// Throws Error(bad_input) for stacks that no container can have (something at a path of this machine).
ContainerSteps container_steps(const specs::Stack& stack, const specs::Workload& workload,
                               const specs::Catalog& catalog, const ContainerText& text = {});

// Docker's image of that Python on Debian 12 (glibc 2.36); on Debian 13 where packages need a newer glibc, on what
// there was of Pythons older than 3.7. Throws Error(bad_input) where there is none.
std::string python_image(const std::string& python, const std::string& glibc = {});

}  // namespace stackx::advisor
