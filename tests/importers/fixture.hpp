// What the importers' tests share.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "importers/importer.hpp"
#include "importers/literal.hpp"
#include "specs/error.hpp"

namespace stackx::importers {

inline Origin origin() {
  Origin origin;
  origin.source.url = "https://example.org/results";
  origin.source.revision = "0123abc";
  origin.source.date = "2021-05-20";
  origin.source.read = "2026-11-21";
  return origin;
}

inline Imported read(const std::string& text, const std::string& format = "auto") {
  return import_text(text, "file", format, origin());
}

// Exactly one result, and no remark.
inline specs::Published only(const Imported& imported) {
  for (const auto& remark : imported.remarks) UNSCOPED_INFO(remark);
  REQUIRE(imported.remarks.empty());
  REQUIRE(imported.results.size() == 1);
  return imported.results.front();
}

inline std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::bad_input);
    return error.what();
  }
  FAIL("nothing was refused");
  return "";
}

inline std::string refused(const std::string& text, const std::string& format = "auto") {
  return refusal([&] { read(text, format); });
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

inline bool remarked(const Imported& imported, const std::string& part) {
  for (const auto& remark : imported.remarks)
    if (has(remark, part)) return true;
  for (const auto& remark : imported.remarks) UNSCOPED_INFO(remark);
  return false;
}

}  // namespace stackx::importers
