// The pip of this machine, asked for its settings (pypi/pip_settings.hpp).
#pragma once

#include <string>

#include "pypi/pip_settings.hpp"

namespace stackx::workspace {

// `python` and `index_url` as for pypi::pip_settings.
pypi::PipSettings pip_settings(const std::string& python, const std::string& index_url);

}  // namespace stackx::workspace
