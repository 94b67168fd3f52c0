// What people call a model of which there are sizes and versions: "meta-llama/Llama-3.1-8B-Instruct", "qwen2.5-7b", "gpt-oss-120b".
//
//   ORGANISATION/KIND-VERSION-SIZE-MORE: words that '-', '_' or '.' part; KIND are those before the first with a digit, whose letters
//   belong to it ("llama3"). SIZE is a number of parameters, "70b". Of experts ("8x7b") nobody can tell it from the name.
//   Where MORE names a kind of quantisation, that says how many bits a parameter takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stackx::specs {

struct ModelName {
  std::string kind;                // "llama"
  std::optional<double> billions;  // of parameters
  std::optional<int> bits;         // that the name says a parameter takes: 8 of "-FP8", 4 of "-AWQ"
};

// Nothing for a name without kind, or without a digit.
std::optional<ModelName> model_name(std::string_view text);

// "-llama-3.1-8b-instruct-": without the organisation.
std::string hyphenated_model(std::string_view text);

// What the parameters alone take: 140 GB of 70 billion at 16 bits.
double weight_gb(double billions, int bits);

}  // namespace stackx::specs
