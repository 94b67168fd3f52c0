// What is published about a workload on some hardware, summed up: how many results, on which
// models, from which sources. Named where nothing is measured; it ranks nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "specs/result/published.hpp"
#include "store/store.hpp"

namespace stackx::advisor {

struct PublishedNote {
  std::size_t results = 0;
  std::vector<std::pair<std::string, std::size_t>> hardware;  // model and results, most first
  std::vector<std::pair<specs::Source, std::size_t>> sources;  // and results, most first
};

PublishedNote published_note(const std::vector<specs::Published>& published);

// Some lines, the longest lists cut short; "" if there is nothing.
std::string to_text(const PublishedNote& note, const std::string& workload, const std::string& hw, std::size_t width);
nlohmann::json to_json(const PublishedNote& note);

}  // namespace stackx::advisor
