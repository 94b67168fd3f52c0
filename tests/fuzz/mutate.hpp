// Mutations of valid documents, which get past a parser's first look: what is changed are values, keys, members, rows,
// numbers, dates, units and nesting, not bytes.
//
// JSON, JSON lines, logs with JSON in them, Python literals, CSV, TOML and plain lists have in common what is needed
// here: texts in quotes, numbers, words, groups in brackets, items between separators, lines. So one scanner serves all
// formats, and finds pieces in a document that is broken already. Rejected: a document model for each format, which cannot
// say a key twice, 1e999, or half a document.
//
// Deterministic: the same random numbers, documents and order give the same mutations on every machine.
#pragma once

#include <string>
#include <vector>

#include "specs/random.hpp"

namespace stackx::fuzz {

// A few changes to `text`; pieces of `others` may be put in. Never empty-handed: a text without pieces gets some.
std::string mutated_document(specs::Random& random, const std::string& text,
                             const std::vector<std::string>& others);

// Bytes changed, removed, doubled, pieces of others inserted, numbers in binary formats.
std::string mutated_bytes(specs::Random& random, const std::string& text,
                          const std::vector<std::string>& others);

// One or the other: bytes alone for binary documents.
std::string mutated(specs::Random& random, const std::string& text,
                    const std::vector<std::string>& others);

}  // namespace stackx::fuzz
