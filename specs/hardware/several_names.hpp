// Several accelerators in one text: "v100,l40s,b200", "h100 + v100", "v100 b200". Read as one name (accelerator.hpp), which looks
// for a name inside more words, they would be whichever stands there at the greatest length. A host's processor beside its GPU
// ("EPYC 7763 + A100") is one machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stackx::specs {

class Accelerators;

// The names, each once; nothing where the text names one, or none. In a list with commas an unknown name counts, too: "h100,b2000".
std::vector<std::string> several_names(std::string_view text, const Accelerators& accelerators);

// Which names no more than one: "v100", "host".
bool is_one_word(std::string_view text);

// Of a processor beside its GPU the GPU: "V100" of "EPYC 7763 + V100"; "" of all else.
std::string gpu_beside_processor(std::string_view text, const Accelerators& accelerators);

}  // namespace stackx::specs
