#include "pypi/index/listing.hpp"

#include <fmt/format.h>
#include <libxml/HTMLparser.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "pypi/transfer/local_file.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/printable.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::pypi {

const char* const kListingTypes =
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, "
    "text/html;q=0.01";

namespace {

using Json = nlohmann::json;

[[noreturn]] void unreadable(const std::string& url, const std::string& why) {
  throw broken_environment(
      fmt::format("{}: {}; expected a project's page of a package index (PEP 503 or PEP 691): is "
                  "the index URL right? It usually ends in /simple",
                  shown_url(url), specs::printable(why)));
}

// "name=value" of a URL's fragment or of a metadata attribute.
std::string sha256_in(const std::string& text) {
  const auto at = text.find("sha256=");
  return at == text.npos ? "" : text.substr(at + 7, 64);
}

File with_url(const std::string& page, const std::string& reference) {
  File file;
  file.url = resolve_url(page, reference);
  const auto hash = file.url.find('#');
  if (hash != file.url.npos) {
    file.sha256 = sha256_in(file.url.substr(hash));
    file.url.resize(hash);
  }
  return file;
}

// "2019-11-08", and what may follow.
bool is_time(const std::string& text) {
  constexpr std::string_view shape = "0000-00-00";
  return text.size() >= shape.size() && specs::is_printable(text) &&
         std::ranges::equal(shape, std::string_view(text).substr(0, shape.size()), [](char wanted, char c) {
           return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
         });
}

enum class Kind { project, links, local_links };

std::string fault_of(const File& file, Kind kind) {
  if (file.name.find('/') != file.name.npos || !specs::is_printable(file.name)) return "its name is none of a file";
  if (file.url.empty()) return "its link is none";
  const bool local = kind == Kind::local_links && is_file_url(file.url);
  if (!local && !is_web_url(file.url)) return "its link is neither http nor https";
  if (!file.sha256.empty() && !specs::is_sha256(file.sha256)) return "its SHA-256 is none";
  return "";
}

// An entry as it was read -> as the others may rely on it.
File judged(File file, Kind kind) {
  if (kind != Kind::project) file.name = file_name_in(file.url);
  file.sha256 = specs::lowered(file.sha256);
  file.metadata_sha256 = specs::lowered(file.metadata_sha256);
  if (!is_time(file.uploaded)) file.uploaded.clear();
  file.requires_python = specs::printable(file.requires_python);
  file.fault = fault_of(file, kind);
  return file;
}

// --- HTML ---

std::optional<std::string> attribute(const xmlNode* node, const char* name) {
  const std::unique_ptr<xmlChar, decltype(xmlFree)> value(
      xmlGetProp(node, reinterpret_cast<const xmlChar*>(name)), xmlFree);
  if (!value) return std::nullopt;
  return reinterpret_cast<const char*>(value.get());
}

std::string text_of(const xmlNode* node) {
  const std::unique_ptr<xmlChar, decltype(xmlFree)> text(xmlNodeGetContent(node), xmlFree);
  std::string result = text ? reinterpret_cast<const char*>(text.get()) : "";
  std::erase_if(result, [](unsigned char c) { return c <= ' '; });
  return result;
}

File file_of(const xmlNode* anchor, const std::string& base) {
  File file = with_url(base, *attribute(anchor, "href"));
  file.name = text_of(anchor);
  file.uploaded = attribute(anchor, "data-upload-time").value_or("");
  file.requires_python = attribute(anchor, "data-requires-python").value_or("");
  file.yanked = attribute(anchor, "data-yanked").has_value();
  auto metadata = attribute(anchor, "data-core-metadata");
  if (!metadata) metadata = attribute(anchor, "data-dist-info-metadata");
  file.has_metadata = metadata && *metadata != "false";
  if (metadata) file.metadata_sha256 = sha256_in(*metadata);
  return file;
}

// In document order, without recursion: broken pages nest deeply.
const xmlNode* next(const xmlNode* node) {
  if (node->children) return node->children;
  while (node && !node->next) node = node->parent;
  return node ? node->next : nullptr;
}

bool is(const xmlNode* node, const char* tag) {
  return node->type == XML_ELEMENT_NODE &&
         xmlStrcasecmp(node->name, reinterpret_cast<const xmlChar*>(tag)) == 0;
}

// Other bytes than UTF-8 would come out as they came in.
Listing from_html(const std::string& page, const std::string& url, Kind kind) {
  const auto body = specs::to_utf8(page);
  const std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)> document(
      htmlReadMemory(body.data(), static_cast<int>(body.size()), url.c_str(), "utf-8",
                     HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                         HTML_PARSE_NONET | HTML_PARSE_COMPACT),
      &xmlFreeDoc);
  const xmlNode* root = document ? xmlDocGetRootElement(document.get()) : nullptr;
  if (!root) unreadable(url, "the page is empty or no HTML");
  Listing listing;
  std::string base = url;
  for (const xmlNode* node = root; node; node = next(node)) {
    if (is(node, "base")) {
      if (const auto href = attribute(node, "href")) base = resolve_url(url, *href);
    } else if (is(node, "a") && attribute(node, "href")) {
      listing.files.push_back(judged(file_of(node, base), kind));
    }
  }
  return listing;
}

// --- JSON ---

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

void read_metadata(File& file, const Json& value) {
  file.has_metadata = value.is_object() || (value.is_boolean() && value.get<bool>());
  if (value.is_object()) file.metadata_sha256 = text_at(value, "sha256");
}

File file_of(const Json& entry, const std::string& url) {
  File file = with_url(url, text_at(entry, "url"));
  file.name = text_at(entry, "filename");
  if (entry.contains("hashes") && entry["hashes"].is_object())
    file.sha256 = text_at(entry["hashes"], "sha256");
  file.uploaded = text_at(entry, "upload-time");
  file.requires_python = text_at(entry, "requires-python");
  if (entry.contains("size") && entry["size"].is_number_unsigned())
    file.size = entry["size"].get<std::uint64_t>();
  if (const auto yanked = entry.find("yanked"); yanked != entry.end())
    file.yanked = yanked->is_string() || (yanked->is_boolean() && yanked->get<bool>());
  for (const char* key : {"data-dist-info-metadata", "dist-info-metadata", "core-metadata"})
    if (const auto found = entry.find(key); found != entry.end()) read_metadata(file, *found);
  return file;
}

Listing from_json(const std::string& body, const std::string& url, Kind kind) {
  Listing listing;
  try {
    const Json document = Json::parse(body);
    for (const auto& entry : document.at("files"))
      if (entry.is_object()) listing.files.push_back(judged(file_of(entry, url), kind));
  } catch (const Json::exception& error) {
    unreadable(url, fmt::format("the page is no JSON after PEP 691: {}", error.what()));
  }
  return listing;
}

Listing parse(const std::string& body, const std::string& content_type, const std::string& url, Kind kind) {
  if (content_type.find("json") != content_type.npos) return from_json(body, url, kind);
  if (content_type.empty() || content_type.find("html") != content_type.npos) return from_html(body, url, kind);
  unreadable(url, fmt::format("the page is of type \"{}\"", content_type));
}

}  // namespace

Listing parse_listing(const std::string& body, const std::string& content_type, const std::string& url) {
  return parse(body, content_type, url, Kind::project);
}

Listing parse_links(const std::string& body, const std::string& content_type, const std::string& url) {
  return parse(body, content_type, url, is_file_url(url) ? Kind::local_links : Kind::links);
}

}  // namespace stackx::pypi
