// An Amun inspection specification, or a Pipfile.lock alone, as a job of ours: a project, a catalog and a workload in
// memory, that mean the same as they did for Amun.
//
//   locked packages   components at their one version; artifacts are the files of the index that pip uses whose SHA-256
//                     the lock names (index URLs in it are names: mirrors differ, hashes do not)
//   Python, base      the catalog's image with that Python, else an interpreter of this machine, else `unsupported`;
//                     --relax python takes the nearest and resolves the Pipfile anew: no longer the locked stack
//   script            one of Thoth's own by name (specs/thoth/pi.hpp); a Python text is run as it is; nothing is fetched
//   environment       a setting that exports it
//   packages          Debian packages of the image by specs/data/debian-names.json
//   run requests      limits of memory and CPUs; CPU family and model must be this machine's
//   batch_size        rounds
// What is done differently, or cannot be, is said on stderr, never silently dropped.
#pragma once

#include "campaigns/job.hpp"
#include "specs/thoth/amun.hpp"

namespace stackx::campaigns {

Job load_thoth(const specs::AmunSpecification& specification, const JobOptions& options,
               const workspace::Context& context);

}  // namespace stackx::campaigns
