// The rows of an SQLite file that SQLite cannot read any more: page by page, as its file format lays
// them down (sqlite.org/fileformat2.html, "B-tree Pages", "Record Format").
//
// SQLite reads from a table's root downwards, so one destroyed page near the root hides all that is
// below it. Here trees are walked as far as they hold; leaf pages that no tree reaches are read too and
// told by the shape of their records. Nothing is believed: every number is checked against the file's
// bounds, what does not fit is counted and left out, and the caller proves what it takes (salvage.hpp).
// Rejected: probing by ranges of row numbers through SQLite, which loses what a destroyed inner page
// hides; the sqlite3 shell's `.recover`, which Debian's library has no code for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace stackx::store {

struct BlobValue {
  std::string bytes;
};
using Value = std::variant<std::monostate, std::int64_t, double, std::string, BlobValue>;

struct Record {
  std::int64_t row = 0;  // of tables with row numbers
  std::vector<Value> values;
};

class PageFile {
 public:
  // Throws Error if the file cannot be read or is smaller than a page.
  explicit PageFile(const std::filesystem::path& file);
  ~PageFile();
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;

  std::uint32_t pages() const { return pages_; }
  std::uint32_t page_size() const { return page_size_; }
  std::uint32_t user_version() const;  // as the head of the file says
  std::map<std::string, std::uint32_t>
  roots();  // of tables and indexes, as far as the schema can be read

  using Visit = std::function<void(const Record&)>;
  // The records of the tree below `root`; a page is visited once in this object's life.
  void walk(std::uint32_t root, const Visit& visit);
  // Records with row numbers on leaf pages that no walk came by.
  void rest(const Visit& visit);

  std::uint64_t unreadable() const {
    return unreadable_;
  }  // pages and cells that hold no records any more

 private:
  struct Tree;
  std::string_view page(std::uint32_t number) const;  // from 1
  void read_cells(std::string_view page, std::size_t header, bool has_rows, bool inner,
                  const Visit& visit);
  bool read_cell(std::string_view page, std::size_t at, bool has_rows, const Visit& visit);
  bool read_payload(std::string_view page, std::size_t at, std::uint64_t size, bool has_rows,
                    std::string& payload);

  int descriptor_ = -1;
  std::string_view bytes_;  // the file, mapped
  std::uint32_t pages_ = 0, page_size_ = 4096, usable_ = 4096;
  std::vector<bool> visited_;
  std::vector<std::uint8_t> overflows_;  // how often a page was read as the rest of a record
  std::size_t readable_ = 0;             // bytes that records of the page in hand may still take
  std::uint64_t unreadable_ = 0;
};

}  // namespace stackx::store
