// What no index has as a wheel that everybody may take: what comes as a source archive alone (how it is compiled when it is
// installed, or which ready binary its build downloads in place of that, as flash-attn's does; what nobody can say of it), and
// what is on a page of links.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/check/world/python_world.hpp"
#include "advisor/facts/knowledge.hpp"
#include "specs/catalog/stack.hpp"

namespace stackx::advisor {

// Sentences on `name` in the version of the stack; `python`: "3.12".
std::vector<std::string> how_it_is_compiled(const Knowledge& knowledge, const Question& question, const specs::Stack& stack,
                                            const std::string& name, const std::string& python);

// What was asked for, is built here, and of which nobody read what it requires: for which Pythons it is, its build decides. Its name, or "".
std::string unread_archive(const Knowledge& knowledge, const Question& question, const PythonWorld& world, const specs::Stack& chosen);

// A sentence where that is known to use a GPU, and nobody says which: then what it brings decides. "" otherwise.
std::string undecided_by_archive(const Knowledge& knowledge, const Question& question, const PythonWorld& world, const specs::Stack& chosen);

// cupy, which the index has as source alone: what that is, and the wheels of it, where there are some. Nothing where no fact tells.
struct Unlisted {
  std::string name, text, wheels;
};
std::optional<Unlisted> told_of_unlisted(const Knowledge& knowledge, const Question& question);

// Builds whose being there was concluded from others': pip has the last word.
std::vector<std::string> unseen_builds(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen);

// Of a jaxlib that is on JAX's own page alone; "".
std::string where_jaxlib_is(const specs::Stack& stack);

}  // namespace stackx::advisor
