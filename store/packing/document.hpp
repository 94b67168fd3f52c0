// Which part of the store holds which member of a result document, and the document put together
// again.
//
// Most of a document repeats. What describes the machine, the stack and the run's circumstances lives
// once, in rows that many inspections share; the samples and the place in the campaign have columns;
// all that is left, the rest, is packed (skeleton.hpp, program.hpp). Nothing is lost: the text below
// is the document byte for byte, and its SHA-256 is its id again. Rejected: the whole document as
// text in each row (fifty times the size), and a column for every member (a schema change whenever a
// document gains one).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>


namespace stackx::store {

// The members of a canonical object, with their keys: slices of `object`.
struct Member {
  std::string_view key, text;  // text: "key":value
};
std::vector<Member> members_of(std::string_view object);

bool is_context(std::string_view key);
bool is_rest(std::string_view key, bool single);  // single: of no campaign

// Canonical JSON of an object with those members of the canonical `document` that `wanted` names.
std::string members_text(std::string_view document,
                         const std::function<bool(std::string_view key)>& wanted);

// Canonical JSON of the object that has these members: slices "key":value, in any order.
std::string object_of(std::vector<Member> members);

// The document and its id, from the same without `id`.
struct Sealed {
  std::string id;  // 64 hex digits
  std::string document;
};
Sealed seal_text(const std::vector<Member>& members_without_id);

std::string json_text(std::string_view text);  // a JSON string

}  // namespace stackx::store
