// What the precompiled header of the tests belongs to (CMakeLists.txt): catch_main.cpp must do without.
