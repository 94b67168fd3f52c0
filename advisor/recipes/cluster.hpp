// What both writers for clusters make of names: texts that their readers take as one word.
#pragma once

#include <string>

#include "advisor/recipes/parts.hpp"

namespace stackx::advisor {

// At most 63 of [a-z0-9-], beginning and ending with a letter or digit (RFC 1123): "stackx-matmul-0123456789ab".
std::string job_name(const Recipe& recipe, const RecipeParts& parts);
// The name of the image that the recipe's Containerfile makes: "localhost/stackx:0123456789ab".
std::string image_name(const RecipeParts& parts);
// "v100" of v100-sxm2-16gb: what Slurm sites usually call the GPU in their GRES; of a MIG instance "a100_1g.5gb", the card's with
// the profile, as Slurm's AutoDetect=nvml ends its names.
std::string gres_type(const Recipe& recipe);
// "Tesla-V100-SXM2-16GB": what NVIDIA's GPU feature discovery labels a node with, the driver's name with dashes; ""
// where no name of the catalog looks like the driver's.
std::string gpu_product(const Recipe& recipe);
std::string mig_profile(const Recipe& recipe);  // "1g.5gb" of a100-sxm4-40gb-mig-1g.5gb; "" of a whole card
unsigned threads(const RecipeParts& parts);     // the most that the workload and the stack's settings start, else 4
std::string memory_gib(const RecipeParts& parts);

}  // namespace stackx::advisor
