// Which inspections stand for all, where more were measured than an answer can read.
//
// Up to `most` inspections all are read. Beyond, a stratum (a series, its sentinels apart) gives as many as
// make `most` in all: small strata are whole, the others give equally many, `least` at the least, `each` at the
// most. Which, is decided by a number that seed, campaign and round make (no row is looked at for it), the
// smallest first: a uniform sample without replacement of the stratum's rounds, the same on every machine and in
// every store, and the same rounds for all arms of a campaign, so that what was paired stays paired.
//
// Time goes with what is read: an arm costs two seeks that say which rounds it has, a round one hash. No row is
// scanned and nothing is kept in the store for it. But where rounds are missing between an arm's first and last, more
// than one in eight of a series, the series' row numbers are listed once: else two documents a block would cost 4,096
// hashes, and count as many. Rejected: an index on the documents' hashes (23 bytes an
// inspection, and each arm would give other rounds: no pairs are left); a maintained reservoir (would have to
// be changed by every document, and merges); every n-th round (machines have periods, too).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/rows.hpp"
#include "store/store.hpp"

namespace stackx::store {

// An arm's rounds in one block, or a run of them: rows `first` to `last`, perhaps with few holes.
struct Extent {
  std::uint64_t campaign = 0;  // a seed of its name
  std::int64_t first = 0, last = 0;
  std::uint64_t round_of_first = 0;
  std::uint64_t rows() const { return static_cast<std::uint64_t>(last - first + 1); }
};
struct Stratum {
  std::vector<Extent> extents;
  std::uint64_t rows = 0;  // at most so many inspections
};

// Of these series, empty arms left out. `campaign`: only those whose name begins so.
std::vector<Stratum> strata_of(Connection& connection, const std::vector<std::int64_t>& series,
                               const std::string& campaign, std::uint64_t seed);

std::uint64_t rows_of(const std::vector<Stratum>& strata);

// How many inspections a stratum gives at most.
std::uint64_t share_of(const std::vector<Stratum>& strata, const Sampling& sampling);

// Gives rows to `take`, which says false where there is none or it is not wanted, until each stratum has given
// its share or has no more. How often `take` was called.
std::uint64_t draw(const std::vector<Stratum>& strata, std::uint64_t share,
                   const std::function<bool(std::int64_t row)>& take);

// The sample, verified, with load and steal. `host`: only inspections there.
Excerpt drawn(Connection& connection, SharedRows& shared, const std::vector<Stratum>& strata,
              const Sampling& sampling, const Yardsticks& yardsticks, const std::optional<std::string>& host = {});

}  // namespace stackx::store
