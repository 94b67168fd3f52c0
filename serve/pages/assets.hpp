// The files of serve/pages/, put into the program when it is built (assets.cpp.in).
#pragma once

#include <string_view>

namespace stackx::serve::pages {

std::string_view frame();   // frame.html, with {{...}} as analysis/report/page_template.hpp has them
std::string_view style();   // page.css
std::string_view script();  // page.js

}  // namespace stackx::serve::pages
