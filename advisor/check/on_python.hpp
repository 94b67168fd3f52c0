// A question as it stands on one Python, and the Pythons on which the answer is the same.
//
// Where none is named, the one on which the packages are newest is meant; another counts if it takes the same versions of what was asked for.
// Rejected: the newest Python that there is, which most packages reach a year later.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/judge.hpp"
#include "advisor/check/on_gpu.hpp"
#include "advisor/check/question.hpp"
#include "advisor/check/world/python_world.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

struct OnPython {
  PythonWorld world;
  Judged judged;
  OnGpu gpu;
  bool yes(const Question& question) const {
    return judged.runs && (!question.gpu || (gpu.for_cpus.empty() && gpu.unknown.empty() && !gpu.used.empty()));
  }
};

OnPython on_python(const Knowledge& knowledge, const Question& question, const std::string& python);

// Nothing that is asked for is known, on any Python.
bool knows_none(const Knowledge& knowledge, const Question& question, const OnPython& here);

struct OnTheirPython {
  OnPython here;
  std::vector<std::string> pythons;  // all on which it is a yes, the newest first; none where one was named
};
// `with_others`: of what is in no certain version, too, those on which the same is a yes; each is judged anew.
OnTheirPython on_their_python(const Knowledge& knowledge, const Question& question, bool with_others);

}  // namespace stackx::advisor
