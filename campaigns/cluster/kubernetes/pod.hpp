// What one pod of a Job says of itself, in words: reads a v1 Pod as the API server gives it, of any version and any age.
//
// Lenient: what is missing or of another type is "", for a word less must not hide the rest. Which block it runs is not
// guessed: a pod without its index or its blocks is an Error(bad_input).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "campaigns/cluster/scheduler.hpp"

namespace stackx::campaigns::cluster {

// A member within members; null where there is none.
const nlohmann::json& member(const nlohmann::json& value, std::initializer_list<const char*> path);
std::string text_member(const nlohmann::json& value, std::initializer_list<const char*> path);
// The condition of that type whose status is `status`; null.
const nlohmann::json& condition(const nlohmann::json& object, const char* type, const char* status = "True");

// Which block each index of a Job runs, by the annotations of the Job or of a pod: of several nodes, one block several.
Blocks blocks_of_indices(const nlohmann::json& object);

struct Pod {
  std::string name, node, created, deleted;  // `deleted`: when it is to be gone, at the latest; "" if it is not being deleted
  std::string job;                           // its Job's name
  std::uint64_t block = 0;
  TaskState state = TaskState::waiting;
  std::string why, advice;

  bool is_live() const { return state != TaskState::ended; }
  Task task() const { return {block, state, name, node, why, advice}; }
};

Pod pod_from(const nlohmann::json& pod);

}  // namespace stackx::campaigns::cluster
