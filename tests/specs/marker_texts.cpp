#include "tests/specs/marker_texts.hpp"

#include <vector>

#include "tests/specs/version_texts.hpp"

namespace stackx::tests {
namespace {

using Words = std::vector<std::string>;

std::string pick(Random& random, const Words& words) { return words[random.below(words.size())]; }

std::string quoted(Random& random, const std::string& text) {
  return random.below(2) ? "\"" + text + "\"" : "'" + text + "'";
}

std::string space(Random& random) { return pick(random, {"", " ", " ", "  "}); }

// What one comparison is about: a variable and texts that it is compared with.
std::string comparison(Random& random) {
  static const Words orders{"==", "!=", "<", "<=", ">", ">="};
  static const Words variables{"python_version", "python_full_version", "implementation_version",
                               "platform_release"};
  static const Words versions{"2.7",   "3.7",  "3.8",   "3.10", "3.7.0", "3.8.1", "3.*",
                              "3.8.*", "3.8a", "3.8,3", "",     "posix", "5.10"};
  static const Words texts{"os_name",
                           "os.name",
                           "sys_platform",
                           "sys.platform",
                           "platform_system",
                           "platform_machine",
                           "platform.machine",
                           "platform_python_implementation",
                           "implementation_name",
                           "python_implementation",
                           "platform_version"};
  static const Words values{"posix", "nt",     "linux",   "linux2",  "win32", "darwin",
                            "Linux", "x86_64", "CPython", "cpython", "",      "posix nt"};
  static const Words extras{"gpu", "GPU", "test_all", "Test.All", "docs"};
  std::string left, operation, right;
  switch (random.below(4)) {
    case 0:
      left = pick(random, variables);
      right = quoted(random, pick(random, versions));
      operation =
          random.below(5) ? pick(random, orders) : pick(random, {"~=", "===", "in", "not in"});
      break;
    case 1:
      left = pick(random, texts);
      right = quoted(random, pick(random, values));
      operation = random.below(3) ? pick(random, orders) : pick(random, {"in", "not in"});
      break;
    case 2:
      left = "extra";
      right = quoted(random, pick(random, extras));
      operation = pick(random, {"==", "==", "!="});
      break;
    default:
      left = quoted(random, pick(random, extras));
      right = pick(random, {"extras", "dependency_groups"});
      return left + " " + pick(random, {"in", "not  in"}) + " " + right;
  }
  if (random.below(4) == 0) std::swap(left, right);
  const bool word = operation.ends_with("in");
  return left + (word ? " " : space(random)) + operation + (word ? " " : space(random)) + right;
}

std::string marker(Random& random, int depth) {
  std::string text;
  for (std::uint64_t left = 1 + random.below(3); left > 0; --left) {
    const bool deeper = depth > 0 && random.below(3) == 0;
    text += deeper ? "(" + space(random) + marker(random, depth - 1) + space(random) + ")"
                   : comparison(random);
    if (left > 1) text += random.below(2) ? " and " : " or ";
  }
  return text;
}

std::string extras(Random& random) {
  std::string text = "[" + space(random);
  for (std::uint64_t left = random.below(4); left > 0; --left)
    text += pick(random, {"gpu", "Test_All", "a.b-c", "x1"}) + space(random) +
            (left > 1 ? "," + space(random) : "");
  return text + "]";
}

}  // namespace

std::string marker_text(Random& random) { return marker(random, 3); }

std::string requirement_text(Random& random) {
  std::string text = space(random) + pick(random, {"requests", "Flask", "zope.interface", "a__b-.c",
                                                   "ruamel.yaml", "x", "7zip"});
  if (random.below(3) == 0) text += space(random) + extras(random);
  if (random.below(10) == 0) {
    text += space(random) + "@" + space(random) + "https://example.org/a-1.0.whl#sha256=00";
    if (random.below(2)) text += " ; " + marker(random, 1);
    return text;
  }
  if (random.below(4)) {
    const std::string versions = pep440_specifier(random);
    text += random.below(4) ? space(random) + versions : " (" + versions + ")";
  }
  if (random.below(3) == 0) text += space(random) + ";" + space(random) + marker(random, 1);
  return text + space(random);
}

}  // namespace stackx::tests
