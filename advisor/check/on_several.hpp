// One question of several kinds of hardware: "v100,l40s,b200". A yes is one for all of them; one no is a no.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "advisor/check/asked.hpp"

namespace stackx::advisor {

struct CheckedOnSeveral {
  std::string subject;                // "torch==2.15.0", "torch, jax"; of more than a few words "it"
  bool several_packages = false;
  std::vector<std::string> hardware;  // as asked
  std::vector<Checked> checked;       // of each
  Answer answer() const;
  std::string text() const;  // without the answer's word and full stop: "torch==2.15.0 runs on L40S and B200, not on V100"
};

// Nothing where the request names one kind. The catalog that this took stays with the request: it is read once.
std::vector<std::string> several_asked(CheckRequest& request, const workspace::Context& context);
CheckedOnSeveral check_on_several(const CheckRequest& request, std::vector<std::string> hardware, const workspace::Context& context,
                                  pypi::Index* index = nullptr);

nlohmann::json to_json(const CheckedOnSeveral& several);

}  // namespace stackx::advisor
