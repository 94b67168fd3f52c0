// Amun inspection specifications and Dependency Monkey contexts (Project Thoth): one JSON object, of which
// only the base image is required.
//
//   { "base": "quay.io/thoth-station/s2i-thoth-ubi8-py36", "identifier": "tf-matmul", "batch_size": 20,
//     "packages": ["which"], "python_packages": ["micropipenv[toml]"], "package_manager": "micropipenv",
//     "python": {"requirements": PIPFILE, "requirements_locked": PIPFILE_LOCK},
//     "build": {"requests": {"cpu": "1", "memory": "4Gi", "hardware": {...}}}, "run": {"requests": ...},
//     "environment": [{"name", "value"}], "files": [{"path", "content"}], "script": TEXT_OR_URL, ... }
//
// As Amun has it (openapi.yaml and dockerfile.py of thoth-station/amun-api, read 2026-11-21), and what real documents
// do: numbers as text, members that are null or missing, Pipfile and Pipfile.lock as objects or as text, keys
// that begin with '@' (ignored). Every other unknown key is an error: it may be a misspelt one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "specs/python/lock_file.hpp"
#include "specs/python/project.hpp"

namespace stackx::specs {

struct AmunHardware {
  std::optional<std::int64_t> cpu_family, cpu_model, physical_cpus;
  std::string processor;
};

struct AmunRequests {
  std::optional<double> cpus, memory_bytes;
  AmunHardware hardware;
};

struct AmunFile {
  std::string path, content;
};

struct AmunSpecification {
  std::filesystem::path file;
  std::string identifier, base;
  std::uint64_t batch_size = 1;
  std::string package_manager = "micropipenv";
  std::vector<std::string> packages, python_packages;
  std::optional<PythonProject> requirements;  // the Pipfile
  std::shared_ptr<const Node> locked;         // the Pipfile.lock; null without one
  std::string python;  // "3.6", as Pipfile or lock have it; "" if neither does
  std::map<std::string, std::string> environment;
  std::vector<AmunFile> files;
  AmunRequests build, run;
  std::string script;   // a text or a URL; "" without one
  bool update = false;  // of all system packages, by update_string where there is one
  std::string update_string;

  bool script_is_url() const;
  // Markers are held against this Python and platform.
  std::optional<Lock> lock(const std::string& python_version,
                           const std::string& platform = "linux x86_64") const;
};

AmunSpecification parse_amun(const Node& document);
AmunSpecification load_amun(const std::filesystem::path& file);

// A JSON document without "$schema" that has a base image. False for what cannot be read.
bool is_amun_file(const std::filesystem::path& file);

}  // namespace stackx::specs
