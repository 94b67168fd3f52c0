// Cells of the rows that questions answer with, by the name of a member.
//
// Numbers are shown with four significant digits and keep all of theirs in data-value, which the script sorts by and tests
// compare with the command line. A member that is missing or null is an empty cell.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "serve/pages/html.hpp"

namespace stackx::serve::pages {

// Addresses of what has a page of its own.
std::string hardware_address(const std::string& name);
std::string workload_address(const std::string& name);  // of its family, where it has parameters
std::string stack_address(const std::string& id);
std::string campaign_address(const std::string& id);
std::string question_address(const std::string& hardware, const std::string& workload);  // "/?hw=...&workload=..."

std::string text_of(const nlohmann::json& row, const std::string& key);  // "" for what is none
std::string counted(double number);                                     // 12,345
std::string components(const nlohmann::json& stack);                     // "numpy 1.26.4, openblas 0.3.23"

Column words(std::string title, std::string key, const char* kind = "");
Column count(std::string title, std::string key);
Column figure(std::string title, std::string key, std::string unit_key = "");  // with the unit beside it
Column share(std::string title, std::string key);
Column ratio(std::string title, std::string key);
Column interval(std::string title, std::string low, std::string high, bool percent = false);
Column day(std::string title, std::string key);
Column verdict(std::string title, std::string key);
Column hardware(std::string title, std::string key);
Column workload(std::string title, std::string key);
Column stack(std::string title, std::string id_key = "stack_id", std::string components_key = "stack");
Column outside(std::string title, std::string url_key, std::string words_key = "");

}  // namespace stackx::serve::pages
