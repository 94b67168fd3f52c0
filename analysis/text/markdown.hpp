// Foreign text in Markdown: titles, names, versions and URLs of documents, which may be made to become links or HTML.
#pragma once

#include <string>
#include <string_view>

namespace stackx::analysis {

// Nothing but text, also in a cell of a table and where HTML is allowed.
std::string escape_markdown(std::string_view text);

// The same of our own sentences: what stands between two backticks stays code ("a plain `pip install torch` brings").
std::string markdown_sentence(std::string_view text);

// [title](<url>), also in a cell; of what is no page of the web only the text: nobody should follow it by a click.
std::string markdown_link(std::string_view title, std::string_view url);

}  // namespace stackx::analysis
