// What a container engine's command that failed says of a build: interrupted, too slow, no space, or failed.
#pragma once

#include <expected>
#include <string>

#include "inspector/process/process.hpp"
#include "inspector/python/wheels.hpp"

namespace stackx::inspector {

std::unexpected<BuildFailure> engine_failure(std::string reason, const Finished& finished);

}  // namespace stackx::inspector
