#include "cli/resolve/unsolvable.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "advisor/check/check_json.hpp"
#include "campaigns/no_stack.hpp"
#include "cli/output/print.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {

std::string unsolvable_text(const std::string& project, const resolver::Unsolvable& why, const std::string& what) {
  return fmt::format("{}: {}\n{}\n", project, what, why.text());
}

void print_unsolvable(const std::string& project, const resolver::Unsolvable& why, const std::string& what, bool json) {
  if (!json) return workspace::write_out(unsolvable_text(project, why, what));
  nlohmann::json document = {{"project", project},
                             {"clash", why.clash},
                             {"tree", advisor::reasons_json(why.tree)},
                             {"so", why.so},
                             {"notes", why.notes},
                             {"fixes", why.fixes}};
  if (what == no_valid_stack) document["valid_stacks"] = "0";
  print_json(document);
}

void answering_no_stack(const std::function<void()>& run, Globals& globals) {
  try {
    run();
  } catch (const campaigns::NoStack& none) {
    const auto whose = none.target.empty() ? none.project : fmt::format("{}, target {}", none.project, none.target);
    print_unsolvable(globals.json ? none.project : whose, none.why, no_valid_stack, globals.json);
    globals.exit_code = 1;
  }
}

}  // namespace stackx::cli
