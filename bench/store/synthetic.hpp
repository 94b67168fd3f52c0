// A made-up knowledge base: documents as `stackx inspect` writes them, any number, from a seed.
//
// Their shape is that of real matrix multiplications (6.6 KB, 50 samples, a tail that repeats the
// numbers); the times are made up: a rate per stack, host and workload, a level per campaign, log-normal
// noise between inspections and within. One in a hundred crashed. They come campaign by campaign,
// 40 stacks x 10 rounds; every panel (workload on a device) cycles through its stacks, so that a series
// holds about 50 inspections however large the store is. Or all are of one panel of 16 stacks, in campaigns
// of 250 rounds: what one question has to read grows with the store. They are sealed, and valid: the first of
// each campaign is read by the strict reader.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace stackx::bench {

struct Size {
  std::uint64_t inspections;
  int devices, workloads, stacks;  // stacks of each panel
  int arms = 40, rounds = 10;      // of a campaign
};
Size size_of(std::uint64_t inspections);
Size one_panel(std::uint64_t inspections);

void generate(const Size& size, std::uint64_t seed,
              const std::function<void(const std::string& line)>& put);

}  // namespace stackx::bench
