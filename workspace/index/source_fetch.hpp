// Source archives for the inspector, from the indices that pip is configured with.
#pragma once

#include "inspector/python/python_installer.hpp"

namespace stackx::workspace {

// Asks pip for its settings when the first archive is wanted.
inspector::FetchSource source_fetch();

}  // namespace stackx::workspace
