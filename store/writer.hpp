// Writes prepared documents: finds or makes the rows that they share, then their own.
//
// One transaction at a time, taken with BEGIN IMMEDIATE; between transactions nothing is held. What
// it remembers of row numbers is forgotten when another process has written in between, or when a
// transaction is given up.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "store/packing/prepared.hpp"
#include "store/rows.hpp"
#include "store/store.hpp"

namespace stackx::store {

class Writer {
 public:
  explicit Writer(Connection& connection) : connection_(connection), shared_(connection) {}

  class Transaction {
   public:
    explicit Transaction(Writer& writer);
    ~Transaction();  // gives up what was not committed
    Transaction(const Transaction&) = delete;
    void commit();  // after a flush

   private:
    Writer& writer_;
    bool open_ = true;
  };

  // Where the document will stand, as far as that can be said: 0 outside of campaigns.
  std::int64_t place(const Prepared& document);
  // Error(bad_input) if another document stands in its place: the transaction can go on, but what the document made (a
  // series without sums) is to be rolled back.
  Ingest insert(const Prepared& document);

  // Writes counts and stale marks, so that summaries can be made before the commit: of these series.
  std::set<std::int64_t> flush();

  // Row numbers, made where there are none. `id`: as the stack or workload says.
  std::int64_t stack(const specs::Stack& stack, const std::string& id);
  std::int64_t workload(const specs::Workload& workload, const std::string& id);
  std::int64_t campaign(const std::string& name);
  std::int64_t hardware(const std::string& model, const std::string& microarchitecture);

  SharedRows& shared() { return shared_; }

 private:
  struct Template {
    std::int64_t row = 0;
    Program program;
    std::string bytes;
  };
  struct Templates {  // of one skeleton
    std::int64_t row = 0;
    std::string hash;
    std::vector<Template> all;
  };
  struct Condition {
    std::int64_t row = 0;
    std::uint64_t digest = 0;
  };
  struct Arm {
    std::int64_t row = 0, series = 0;
    std::uint64_t digest = 0;
    std::vector<std::int64_t> rivals;  // arms that run another stack under the same label
  };

  void forget();
  // The row that `make` finds or makes, asked once for each key.
  template <typename Make>
  std::int64_t remember(std::string key, Make make);

  std::int64_t host(const KnownHost& host);
  std::int64_t context(const std::string& document, const std::string& hash);
  std::int64_t device(const Prepared& document);
  std::int64_t series(const Prepared& document);
  Templates& templates(const std::string& skeleton);
  static Program next_program(const Templates& templates, const Skeleton& numbers,
                              const std::vector<std::int64_t>& samples);
  const Template& fitting(Templates& templates, const Prepared& document);
  Condition condition(const Prepared& document, const Templates& templates, const Template& fits);
  const Arm& arm(const Prepared& document, std::int64_t series, std::int64_t block);

  std::vector<std::int64_t> rivals(const std::string& label, std::int64_t campaign,
                                   std::int64_t block, std::int64_t own);

  Ingest insert_at(std::int64_t row, const Arm& arm, const Prepared& document);
  Ingest insert_single(const Prepared& document, std::int64_t series);
  std::optional<std::int64_t> key_at(std::int64_t row);
  [[noreturn]] void refuse(std::int64_t row, const Prepared& document);
  void count(const Prepared& document, std::int64_t series);

  Connection& connection_;
  SharedRows shared_;
  std::int64_t data_version_ = -1;
  std::unordered_map<std::string, std::int64_t> rows_;
  std::unordered_map<std::string, std::string> hashes_;
  std::unordered_map<std::string, Templates> templates_;
  std::unordered_map<std::string, Condition> conditions_;
  std::unordered_map<std::string, Arm> arms_;
  // What the end of the transaction writes.
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> counts_;  // campaign: done, failed
  std::set<std::int64_t> touched_;                                        // series
};

}  // namespace stackx::store
