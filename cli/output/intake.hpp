// What a store did not take of a stream of documents, and why.
#pragma once

#include <nlohmann/json.hpp>

#include "store/store.hpp"

namespace stackx::cli {

// To stderr: a line for each of the first thousand, and how many more there are.
void print_reasons(const store::Intake& intake);

// "refused": those lines; "refused_documents": how many.
void add_refused(nlohmann::json& document, const store::Intake& intake);

}  // namespace stackx::cli
