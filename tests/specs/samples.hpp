// A host, an inspection and a plan with every field set, for tests.
#pragma once

#include "specs/project/plan.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::tests {

specs::Host sample_host();
specs::Inspection sample_inspection();  // sealed
specs::Plan sample_plan();              // sealed

}  // namespace stackx::tests
