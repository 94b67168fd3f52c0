// Names whose words are run together or apart: "rtx4090", "H100PCIe", "a100-80g", "A100 80 GB". A name is cut into
// words of a label, each used once, so that "a10080gb" is "a100" and "80gb" and never "a10" and "080gb".
//
// A word that makes another product of a name ("ti", "laptop") is never left out or made up: an RTX 4090 is no RTX 4090
// Laptop GPU. Rejected: comparing without separators by what stands anywhere in a label, which finds the L4 in "l40".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stackx::specs {

std::vector<std::string> words_of(const std::string& words);  // of "-tesla-v100-" (hardware_words)
std::string glued(std::string_view name);                     // "Tesla V100" -> "teslav100"
bool is_glued(const std::string& label, std::string_view name);  // whether glued(label) is `name`

// Whether `word` stands in a label; "80g" is its "80gb", "sxm" any "sxm4".
bool has_word(const std::string& label, const std::string& word);
// Whether all of `name` (as glued() has it) is made of these words.
bool is_cut_of(std::string_view name, const std::vector<std::string>& words);

// Whether one of the names has a word like "ti", "super" or "laptop" that the other lacks.
bool another_product(const std::string& words, const std::string& label);

}  // namespace stackx::specs
