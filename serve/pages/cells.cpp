#include "serve/pages/cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/text/table.hpp"
#include "serve/http/target.hpp"

namespace stackx::serve::pages {
namespace {

using Row = nlohmann::json;

constexpr std::size_t short_id = 12;

std::optional<double> number_in(const Row& row, const std::string& key) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// As the JSON has it, so that it compares.
std::string whole(const Row& row, const std::string& key) { return row.at(key).dump(); }

Column of_number(std::string title, std::string key, std::function<std::string(double, const Row&)> shown) {
  return {std::move(title),
          [key, shown = std::move(shown)](const Row& row) {
            const auto number = number_in(row, key);
            return number ? Cell{shown(*number, row), whole(row, key)} : Cell{};
          },
          "number"};
}

// Lines may break after commas; copied, the text is the same.
std::string breakable(const std::string& text) {
  std::string html;
  for (const char c : escaped(text)) (html += c) += c == ',' ? "<wbr>" : "";
  return html;
}

// "https://github.com/a/b" -> "github.com"
std::string site_of(const std::string& url) {
  const auto begin = url.find("://");
  return begin == url.npos ? url : url.substr(begin + 3, url.find('/', begin + 3) - begin - 3);
}

std::string percent(double share) { return fmt::format("{:.3g}%", 100 * share); }

// A segment cannot hold what would part it or lead out of it.
std::string below(const std::string& page, const std::string& name, const std::string& otherwise) {
  const bool fits = !name.empty() && name != "." && name != ".." && !name.contains('/');
  return fits ? page + '/' + percent_encoded(name) : page + '?' + otherwise + '=' + percent_encoded(name);
}

// "zen3 (AMD EPYC)" is asked for as "zen3".
std::string asked_as(const std::string& hardware) {
  const auto open = hardware.find(" (");
  const bool named = open != hardware.npos && hardware.ends_with(')') && !hardware.substr(0, open).contains(' ');
  return named ? hardware.substr(0, open) : hardware;
}

}  // namespace

std::string hardware_address(const std::string& name) { return below("/hardware", asked_as(name), "hw"); }
std::string workload_address(const std::string& name) { return below("/workloads", name.substr(0, name.find(':')), "workload"); }
std::string stack_address(const std::string& id) { return "/stacks/" + percent_encoded(id); }
std::string campaign_address(const std::string& id) { return below("/campaigns", id, "campaign"); }
std::string question_address(const std::string& hardware, const std::string& workload) {
  return fmt::format("/?hw={}&workload={}", percent_encoded(hardware), percent_encoded(workload));
}

std::string text_of(const Row& row, const std::string& key) {
  const auto found = row.is_object() ? row.find(key) : row.end();
  if (found == row.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump(-1, ' ', false, Row::error_handler_t::replace);
}

std::string counted(double number) {
  auto digits = fmt::format("{:.0f}", number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string components(const Row& stack) {
  std::string text;
  if (stack.is_object())
    for (const auto& [name, version] : stack.items())
      text += (text.empty() ? "" : ", ") + name + ' ' + (version.is_string() ? version.get<std::string>() : version.dump());
  return text;
}

Column words(std::string title, std::string key, const char* kind) {
  return {std::move(title), [key](const Row& row) { return Cell{escaped(text_of(row, key))}; }, kind};
}

Column count(std::string title, std::string key) {
  return of_number(std::move(title), std::move(key), [](double value, const Row&) { return counted(value); });
}

Column figure(std::string title, std::string key, std::string unit_key) {
  return of_number(std::move(title), std::move(key), [unit_key](double value, const Row& row) {
    const auto unit = unit_key.empty() ? "" : text_of(row, unit_key);
    return analysis::number(value) + (unit.empty() ? "" : ' ' + escaped(unit));
  });
}

Column share(std::string title, std::string key) {
  return of_number(std::move(title), std::move(key), [](double value, const Row&) { return percent(value); });
}

Column ratio(std::string title, std::string key) {
  return of_number(std::move(title), std::move(key), [](double value, const Row&) { return "×" + analysis::number(value); });
}

Column interval(std::string title, std::string low, std::string high, bool as_percent) {
  return {std::move(title),
          [=](const Row& row) {
            const auto from = number_in(row, low), to = number_in(row, high);
            if (!from || !to) return Cell{};
            const auto shown = [&](double value) { return as_percent ? percent(value) : analysis::number(value); };
            return Cell{fmt::format("[{}, {}]", shown(*from), shown(*to)), whole(row, low)};
          },
          "number"};
}

Column day(std::string title, std::string key) {
  return {std::move(title), [key](const Row& row) {
            const auto text = text_of(row, key);
            return text.empty() ? Cell{} : Cell{fmt::format("<time datetime=\"{}\">{}</time>", escaped(text), escaped(text.substr(0, 10))), text};
          }, "id"};
}

Column verdict(std::string title, std::string key) {
  return {std::move(title), [key](const Row& row) {
            auto text = text_of(row, key);
            if (text.empty()) return Cell{};
            auto kind = text;
            std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            return Cell{fmt::format("<span class=\"verdict {}\">{}</span>", escaped(kind), escaped(text))};
          }, ""};
}

Column hardware(std::string title, std::string key) {
  return {std::move(title), [key](const Row& row) {
            const auto name = text_of(row, key);
            return name.empty() ? Cell{} : Cell{link(hardware_address(name), name)};
          }, ""};
}

Column workload(std::string title, std::string key) {
  return {std::move(title), [key](const Row& row) {
            const auto name = text_of(row, key);
            if (name.empty()) return Cell{};
            return Cell{fmt::format("<a href=\"{}\">{}</a>", escaped(workload_address(name)), breakable(name)), name};
          }, "wide"};
}

Column stack(std::string title, std::string id_key, std::string components_key) {
  return {std::move(title), [=](const Row& row) {
            const auto id = text_of(row, id_key);
            const auto held = row.contains(components_key) ? components(row.at(components_key)) : "";
            if (id.empty()) return Cell{escaped(held)};
            return Cell{fmt::format("<a class=\"id\" href=\"{}\">{}</a>{}", escaped(stack_address(id)), escaped(id.substr(0, short_id)),
                                    held.empty() ? "" : " " + escaped(held)), id};
          }, "wide"};
}

Column outside(std::string title, std::string url_key, std::string words_key) {
  return {std::move(title), [=](const Row& row) {
            const auto url = text_of(row, url_key);
            const auto said = words_key.empty() ? std::string() : text_of(row, words_key);
            return Cell{outside_link(url, said.empty() ? site_of(url) : said), url};
          }, "wide"};
}

}  // namespace stackx::serve::pages
