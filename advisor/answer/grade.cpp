#include "advisor/answer/grade.hpp"

namespace stackx::advisor {

const char* to_string(Grade grade) {
  switch (grade) {
    case Grade::newest:
      return "NEWEST";
    case Grade::predicted:
      return "PREDICTED";
    case Grade::published:
      return "PUBLISHED";
    case Grade::measured_elsewhere:
      return "MEASURED ELSEWHERE";
    case Grade::measured:
      return "MEASURED";
  }
  return "?";
}

std::vector<std::string> required_grades() { return {"measured", "published", "predicted"}; }

bool satisfies(Grade grade, std::string_view required) {
  if (required == "measured") return grade >= Grade::measured_elsewhere;
  if (required == "published") return grade >= Grade::published;
  if (required == "predicted") return grade >= Grade::predicted;
  return true;
}

}  // namespace stackx::advisor
