#include "serve/route.hpp"

#include "serve/pages/pages.hpp"

namespace stackx::serve {

bool writes(std::string_view method) { return method == "PUT" || method == "POST"; }

Route route_of(const Target& target, const Asker& asker) {
  if (target.is({"healthz"})) return {Place::health, {"GET", "HEAD"}};
  if (target.is({"metrics"})) return {Place::metrics, {"GET", "HEAD"}};
  if (target.is({"openapi.json"})) return {Place::openapi, {"GET", "HEAD"}};
  if (target.is({"v1", "documents"})) return {Place::documents, {"POST"}};
  if (target.path.size() == 3 && target.path[0] == "v1" && target.path[1] == "documents")
    return {Place::document, {"GET", "HEAD", "PUT"}};
  if (!asker.route(target).empty()) return {Place::question, {"GET", "HEAD"}};
  if (!Pages::route(target).empty()) return {Place::page, {"GET", "HEAD"}};
  return {};
}

std::string counted_as(const Target& target, const Asker& asker) {
  switch (route_of(target, asker).place) {
    case Place::nowhere: return "other";
    case Place::document: return "/v1/documents/ID";
    case Place::question: return asker.route(target);
    case Place::page: return Pages::route(target);
    default: return target.path_text();
  }
}

}  // namespace stackx::serve
