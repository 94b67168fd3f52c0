// The pip of this machine, asked for its settings (pypi/pip_settings.hpp).
#pragma once

#include <chrono>
#include <string>

#include "pypi/pip_settings.hpp"

namespace stackx::workspace {

// `python` and `index_url` as for pypi::pip_settings. `patience`: for each time that pip is asked.
pypi::PipSettings pip_settings(const std::string& python, const std::string& index_url,
                               std::chrono::milliseconds patience = std::chrono::seconds(60));

}  // namespace stackx::workspace
