// An index that needs no network: listings in JSON (PEP 691), metadata beside the files (PEP 658).
#pragma once

#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pypi/index/index.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::tests {

class FakeTransport : public pypi::Transport {
 public:
  std::map<std::string, std::string> bodies;  // by URL; others are answered 404
  std::vector<std::string> asked;             // URLs, in order
  bool reachable = true;
  std::map<std::string, pypi::Response> answers;  // by URL: others than 200 and 404

  void get(const std::vector<pypi::Request>& requests,
           const std::function<void(std::size_t, pypi::Response)>& done) override {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      asked.push_back(requests[i].url);
      if (!reachable) throw broken_environment(requests[i].url + ": no connection");
      const auto found = bodies.find(requests[i].url);
      pypi::Response response;
      response.status = found == bodies.end() ? 404 : 200;
      response.url = requests[i].url;
      response.content_type = "application/vnd.pypi.simple.v1+json";
      if (found != bodies.end()) response.body = found->second;
      if (const auto other = answers.find(requests[i].url); other != answers.end()) response = other->second;
      done(i, std::move(response));
    }
  }
};

// What is read is cached, but a listing not for long: refreshed() forgets it.
class FakeIndex {
 public:
  FakeIndex() : directory_(std::filesystem::temp_directory_path() / ("stackx-index-" + std::to_string(getpid()))) { forget(); }
  ~FakeIndex() { std::filesystem::remove_all(directory_); }
  FakeIndex(const FakeIndex&) = delete;

  FakeTransport transport;

  // "2024-07-24T01:02:03Z" and so on may be added as members of the file.
  void file(const std::string& project, const std::string& name, const std::string& metadata, specs::Json members = specs::Json::object()) {
    members["filename"] = name;
    members["url"] = "https://h/f/" + name;
    members["hashes"] = specs::Json::object();
    members["core-metadata"] = true;
    auto& files = listings_[project];
    std::erase_if(files, [&](const auto& one) { return one["filename"] == name; });
    files.push_back(members);
    if (!metadata.empty()) transport.bodies["https://h/f/" + name + ".metadata"] = "Metadata-Version: 2.1\n" + metadata;
    serve(project);
  }
  void withdraw(const std::string& project, const std::string& name) {
    std::erase_if(listings_[project], [&](const auto& one) { return one["filename"] == name; });
    serve(project);
  }
  void forget() {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  pypi::Cache cache() const { return pypi::Cache(directory_); }
  pypi::Index index() { return pypi::Index({"https://h/simple", false}, cache(), transport, nullptr); }
  // The same after a day: metadata is cached, listings are asked for again.
  pypi::Index later() {
    std::filesystem::remove_all(directory_ / "listings");
    transport.asked.clear();
    return index();
  }

 private:
  void serve(const std::string& project) {
    transport.bodies["https://h/simple/" + project + "/"] = specs::Json{{"files", listings_[project]}}.dump();
  }
  std::filesystem::path directory_;
  std::map<std::string, std::vector<specs::Json>> listings_;
};

}  // namespace stackx::tests
