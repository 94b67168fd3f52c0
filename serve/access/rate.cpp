#include "serve/access/rate.hpp"

#include <algorithm>

namespace stackx::serve {
namespace {

constexpr std::size_t most_names = 65'536;

}  // namespace

double Rate::tries_in(const Bucket& bucket, Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - bucket.at).count();
  return std::min(at_once_, bucket.tries + seconds * a_second_);
}

void Rate::forget_full(Clock::time_point now) {
  std::erase_if(buckets_, [&](const auto& one) { return tries_in(one.second, now) >= at_once_; });
}

bool Rate::left(const std::string& name, Clock::time_point now) const {
  if (a_second_ <= 0) return true;
  const auto found = buckets_.find(name);
  return found == buckets_.end() || tries_in(found->second, now) >= 1;
}

bool Rate::take(const std::string& name, Clock::time_point now) {
  if (a_second_ <= 0) return true;
  auto found = buckets_.find(name);
  if (found == buckets_.end()) {
    if (buckets_.size() >= most_names) forget_full(now);
    const bool full = buckets_.size() >= most_names;
    found = buckets_.try_emplace(full ? std::string() : name, Bucket{at_once_, now}).first;
  }
  Bucket& bucket = found->second;
  bucket = {tries_in(bucket, now), now};
  if (bucket.tries < 1) return false;
  bucket.tries -= 1;
  return true;
}

}  // namespace stackx::serve
