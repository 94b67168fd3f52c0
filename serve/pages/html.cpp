#include "serve/pages/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/report/html.hpp"

namespace stackx::serve::pages {

std::string escaped(std::string_view text) { return analysis::escape_html(text); }

std::string prose(std::string_view sentence) {
  std::string html;
  while (true) {
    const auto begin = sentence.find('`');
    const auto end = begin == sentence.npos ? begin : sentence.find('`', begin + 1);
    if (end == sentence.npos) return html + escaped(sentence);
    html += escaped(sentence.substr(0, begin)) + "<code>" + escaped(sentence.substr(begin + 1, end - begin - 1)) + "</code>";
    sentence.remove_prefix(end + 1);
  }
}

std::string link(std::string_view address, std::string_view words) {
  return fmt::format("<a href=\"{}\">{}</a>", escaped(address), escaped(words));
}

std::string outside_link(const std::string& url, std::string_view words) {
  const bool web = url.starts_with("https://") || url.starts_with("http://");
  return web ? fmt::format("<a href=\"{}\" rel=\"noreferrer external\">{}</a>", escaped(url), escaped(words)) : escaped(words);
}

std::string paragraph(std::string_view words, const char* kind) {
  if (words.empty()) return "";
  return fmt::format("<p{}>{}</p>\n", *kind ? fmt::format(" class=\"{}\"", kind) : "", prose(words));
}

std::string alert(std::string_view words) { return "<p class=\"warning\" role=\"alert\">" + prose(words) + "</p>\n"; }

std::string items(const std::vector<std::string>& html) {
  std::string list;
  for (const auto& one : html) list += "<li>" + one + "</li>\n";
  return list.empty() ? "" : "<ul>\n" + list + "</ul>\n";
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& names_and_html) {
  std::string list;
  for (const auto& [name, html] : names_and_html)
    if (!html.empty()) list += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), html);
  return list.empty() ? "" : "<dl class=\"facts\">\n" + list + "</dl>\n";
}

std::string copied(std::string_view command) {
  return fmt::format("<div class=\"command\"><pre tabindex=\"0\"><code>{}</code></pre></div>\n", escaped(command));
}

std::string section(const std::string& id, std::string_view title, const std::string& html, bool live) {
  if (html.empty()) return "";
  return fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\"{1}>\n<h2 id=\"{0}-title\">{2}</h2>\n{3}</section>\n", escaped(id),
                     live ? " data-live" : "", escaped(title), html);
}

std::string details(std::string_view summary, const std::string& html) {
  return html.empty() ? "" : fmt::format("<details><summary>{}</summary>\n{}</details>\n", escaped(summary), html);
}

std::string progress(std::uint64_t done, std::uint64_t of, std::string_view label) {
  if (of == 0) return fmt::format("<span class=\"progress\">{}</span>", done);
  return fmt::format("<span class=\"progress\"><progress max=\"{1}\" value=\"{0}\" aria-label=\"{2}\"></progress> {3} of {1}</span>",
                     std::min(done, of), of, escaped(label), done);
}

std::string table(std::string_view name, std::string_view caption, const std::vector<Column>& columns, const nlohmann::json& rows) {
  if (rows.empty()) return "";
  std::vector<std::vector<Cell>> cells;
  std::vector<bool> used(columns.size());
  for (const auto& row : rows) {
    auto& line = cells.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      line.push_back(columns[i].cell(row));
      if (!line.back().html.empty()) used[i] = true;
    }
  }
  const auto kind = [&](std::size_t i) { return *columns[i].kind ? fmt::format(" class=\"{}\"", columns[i].kind) : ""; };
  std::string head, body;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (used[i]) head += fmt::format("<th scope=\"col\"{}>{}</th>", kind(i), escaped(columns[i].title));
  for (const auto& line : cells) {
    body += "<tr>";
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!used[i]) continue;
      const auto value = line[i].value.empty() ? "" : fmt::format(" data-value=\"{}\"", escaped(line[i].value));
      body += fmt::format("<td{}{}>{}</td>", kind(i), value, line[i].html);
    }
    body += "</tr>\n";
  }
  return fmt::format("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{1}\"><table id=\"table-{0}\">"
                     "<caption>{1}</caption>\n<thead><tr>{2}</tr></thead>\n<tbody>\n{3}</tbody></table></div>\n",
                     escaped(name), escaped(caption), head, body);
}

namespace {

std::string options_of(const std::vector<std::string>& choices, const std::string& chosen) {
  std::string html;
  for (const auto& one : choices)
    html += fmt::format("<option value=\"{}\"{}>{}</option>", escaped(one), one == chosen ? " selected" : "", one.empty() ? "any" : escaped(one));
  return html;
}

std::string suggestions(const std::vector<std::string>& choices) {
  std::string html;
  for (const auto& one : choices) html += fmt::format("<option value=\"{}\"></option>", escaped(one));
  return html;
}

std::string input_of(const Field& field, const std::string& value) {
  if (field.strict) return fmt::format("<select id=\"{0}\" name=\"{0}\">{1}</select>", field.name, options_of(field.choices, value));
  const bool suggests = !field.choices.empty();
  auto html = fmt::format("<input id=\"{0}\" name=\"{0}\" value=\"{1}\" placeholder=\"{2}\" autocomplete=\"off\" spellcheck=\"false\"{3}>",
                          field.name, escaped(value), escaped(field.hint), suggests ? fmt::format(" list=\"{}-list\"", field.name) : "");
  if (suggests) html += fmt::format("<datalist id=\"{}-list\">{}</datalist>", field.name, suggestions(field.choices));
  return html;
}

}  // namespace

std::string form(const std::string& address, const std::vector<Field>& fields, const std::function<std::string(const std::string&)>& value,
                 std::string_view button) {
  std::string html;
  for (const auto& field : fields)
    html += fmt::format("<div class=\"field\"><label for=\"{}\">{}</label>{}</div>\n", field.name, escaped(field.label), input_of(field, value(field.name)));
  return fmt::format("<form method=\"get\" action=\"{}\">\n{}<button>{}</button>\n</form>\n", escaped(address), html, escaped(button));
}

}  // namespace stackx::serve::pages
