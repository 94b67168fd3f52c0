// The pip of this machine, asked for its settings (pypi/pip_settings.hpp), and what they mean for an index.
#pragma once

#include <chrono>

#include "pypi/index/index.hpp"
#include "pypi/pip_settings.hpp"
#include "pypi/transfer/http.hpp"

namespace stackx::workspace {

// `patience`: for each time that pip is asked.
pypi::PipSettings pip_settings(const pypi::PipOptions& options, std::chrono::milliseconds patience = std::chrono::seconds(60));

pypi::HttpSettings http_settings(const pypi::PipSettings& settings);

// Throws Error(bad_input) where pip may look nowhere.
pypi::IndexSettings index_settings(const pypi::PipSettings& settings, bool offline);

}  // namespace stackx::workspace
