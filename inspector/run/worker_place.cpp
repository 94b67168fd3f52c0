#include "inspector/run/worker_place.hpp"

namespace stackx::inspector {

Environment words_of(const WorkerPlace& place) {
  return {{"RANK", std::to_string(place.rank)},
          {"WORLD_SIZE", std::to_string(place.size)},
          {"LOCAL_RANK", "0"},
          {"MASTER_ADDR", place.address},
          {"MASTER_PORT", std::to_string(place.port)}};
}

Environment hints_of(const WorkerPlace& place) {
  if (place.interface.empty()) return {};
  return {{"GLOO_SOCKET_IFNAME", place.interface}};
}

}  // namespace stackx::inspector
