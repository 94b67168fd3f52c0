// A page's way to what is known: the questions that everybody can ask, and the store where none tells.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "serve/asker.hpp"

namespace stackx::serve::pages {

// Shown as the page's answer, with its status: 400 and the words of the command line, 404, 500.
struct Refusal {
  int status = 400;
  std::string words;
};

using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Reply {
  Target target;
  int status = 200, exit_code = 0;
  nlohmann::json document;  // of JSON Lines an array
  std::string words;        // of an error

  bool ok() const { return status == 200; }
};

class Asked {
 public:
  Asked(const Asker& asker, const std::filesystem::path& store) : asker_(asker), store(store) {}

  Reply ask(std::vector<std::string> path, Parameters parameters = {}) const;
  // Throws Refusal where that does not answer.
  Reply must(std::vector<std::string> path, Parameters parameters = {}) const;
  Answer raw(const Target& target, Form::Kind kind) const { return asker_.answer(target, {kind}); }
  std::vector<std::string> projects() const { return asker_.projects(); }

 private:
  const Asker& asker_;

 public:
  const std::filesystem::path& store;
};

// Those of the page's address that say something, and `limit` where they do not.
Parameters handed_on(const Target& page, std::string_view limit = "");

// "stackx query best --hw v100": what asks the same on the command line; "" where it cannot (a project has its name here).
std::string command_of(const Target& question);

// "The same as JSON, and on the command line", below what a reply was made into.
std::string as_asked(const Reply& reply);

}  // namespace stackx::serve::pages
