// What earlier passes have told, so that nothing is told twice: kept in the store itself, as plans that nobody runs.
//
// Such a plan belongs to the project "watch-ID-told" and has an arm for each thing that was told:
//   campaign/ID   the campaign is over, and the report of it was written
//   given-up/ID   the campaign is over without its verdicts: what it measured is new again
//   verdict/ID    a newcomer's end (FASTER, SLOWER, could not be built, ...) in a campaign that goes on
//   invalid/ID    a stack that was measured is not valid any more
//   advice/ID     this stack is advised: what the next pass calls "before"
// ID are twelve digits of the campaign's or the stack's id. It is written after the report was, so a pass that is killed in
// between tells again rather than never. Plans travel with `export`, `merge` and back-ups as all documents do.
// Rejected: a file beside the store, which a merge or a back-up leaves behind; an inspection that failed for "not valid any
// more", which every other command would count as a failure of that stack.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specs/catalog/stack.hpp"
#include "specs/project/workload.hpp"
#include "store/spool.hpp"
#include "store/store.hpp"

namespace stackx::watch {

class Told {
 public:
  Told(const store::Store& store, const std::string& watch);  // "watch-3f2a09c1d2e4"

  bool campaign(const std::string& id) const { return has("campaign/" + id.substr(0, 12)); }
  bool gave_up(const std::string& campaign) const;  // this pass, or an earlier one
  bool verdict(const std::string& campaign, const specs::Stack& stack) const {
    return has("verdict/" + campaign.substr(0, 12) + "/" + stack.short_id());
  }
  const std::optional<specs::Stack>& advice() const { return advice_; }  // the last that was told
  bool invalid(const specs::Stack& stack) const { return has("invalid/" + stack.short_id()); }

  // What this pass tells; nothing is kept before keep().
  void add_campaign(const std::string& id, const specs::Stack& advised) { fresh_.emplace_back("campaign/" + id.substr(0, 12), advised); }
  void add_given_up(const std::string& id, const specs::Stack& advised) {
    add_campaign(id, advised);
    fresh_.emplace_back("given-up/" + id.substr(0, 12), advised);
  }
  void add_verdict(const std::string& campaign, const specs::Stack& stack) {
    fresh_.emplace_back("verdict/" + campaign.substr(0, 12) + "/" + stack.short_id(), stack);
  }
  void add_advice(const specs::Stack& stack) { fresh_.emplace_back("advice/" + stack.short_id(), stack); }
  void add_invalid(const specs::Stack& stack) { fresh_.emplace_back("invalid/" + stack.short_id(), stack); }
  void keep(store::Store& store, store::Spool& spool, const specs::Workload& workload, const std::string& created) const;

 private:
  bool is_news(const std::string& label, const specs::Stack& stack) const;
  bool has(const std::string& label) const { return labels_.contains(label); }

  std::string project_;
  std::set<std::string> labels_;
  std::optional<specs::Stack> advice_;
  std::vector<std::pair<std::string, specs::Stack>> fresh_;
};

}  // namespace stackx::watch
