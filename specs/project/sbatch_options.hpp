// Which options a line of #SBATCH holds, as sbatch reads it: a line may hold several, names may be abbreviated, values may stand
// in the same word or the next, and one-letter options may share a word (getopt_long).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stackx::specs {

// Names as written: "--arr=0-9 -HN4" has "--arr", "-H", "-N".
std::vector<std::string> sbatch_options(std::string_view line);

// "--nodes", "--no" and "--nod" may all mean --nodes; `option` is a whole name, long or of one letter.
bool may_mean(std::string_view written, std::string_view option);

// Asks for memory itself: --mem, --mem-per-cpu, --mem-per-gpu.
bool asks_for_memory(std::string_view line);

}  // namespace stackx::specs
