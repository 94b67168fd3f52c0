// The standard library's commonest templates, optimised. Tests are compiled without optimisation, and of functions that several
// objects have the linker takes the first: without this one, which is linked before all others, the rooms under test would
// call the tests' unoptimised strings (test_advisor 69 s instead of 38, 123 CPU seconds instead of 67).
#include <map>
#include <set>
#include <string>
#include <vector>

template class std::basic_string<char>;
template class std::vector<std::string>;
template class std::map<std::string, std::string>;
template class std::set<std::string>;
