// Where an address leads, by which methods, and what metrics call it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/asker.hpp"

namespace stackx::serve {

enum class Place { nowhere, health, metrics, openapi, document, documents, question, page };

struct Route {
  Place place = Place::nowhere;
  std::vector<std::string_view> methods = {};
};

Route route_of(const Target& target, const Asker& asker);
bool writes(std::string_view method);  // PUT, POST
// What metrics count by: never a word of a request that leads nowhere.
std::string counted_as(const Target& target, const Asker& asker);

}  // namespace stackx::serve
