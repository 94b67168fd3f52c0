// Numbers of blocks as Slurm writes array indices: "0-3,7". Ascending, each once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::campaigns::cluster {

using Blocks = std::vector<std::uint64_t>;

std::string text_of(const Blocks& blocks);

// Throws Error(bad_input) for what is no such list, or names more than specs::most_blocks.
Blocks blocks_from(std::string_view text);

}  // namespace stackx::campaigns::cluster
