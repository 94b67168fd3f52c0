# Compiles for old systems: Zig's clang with the symbols of an old glibc and with its own libc++, and the static
# libraries that packaging/libraries built. Nothing of this machine's /usr is found, but programs.
#
# STACKX_PORTABLE is the folder that packaging/libraries filled: bin/ (compilers), prefix/ (glibc), prefix-musl/.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES STACKX_PORTABLE)
set(CMAKE_C_COMPILER ${STACKX_PORTABLE}/bin/cc)
set(CMAKE_CXX_COMPILER ${STACKX_PORTABLE}/bin/c++)
set(CMAKE_AR ${STACKX_PORTABLE}/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${STACKX_PORTABLE}/bin/ranlib CACHE FILEPATH "")
set(CMAKE_FIND_ROOT_PATH ${STACKX_PORTABLE}/prefix)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${STACKX_PORTABLE}/prefix/lib/pkgconfig)
set(ENV{PKG_CONFIG_PATH} "")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# The supervisor is static, and no glibc can be in a program that is to run everywhere.
set(SECCOMP ${STACKX_PORTABLE}/prefix-musl/lib/libseccomp.a CACHE FILEPATH "")
set(STACKX_STATIC_OPTIONS "--target=x86_64-linux-musl;-no-pie;-isystem;${STACKX_PORTABLE}/prefix-musl/include" CACHE STRING "")

# CMake's own modules name libarchive alone.
set(lib ${STACKX_PORTABLE}/prefix/lib)
set(CMAKE_CXX_STANDARD_LIBRARIES "${lib}/liblzma.a ${lib}/libbz2.a ${lib}/libzstd.a ${lib}/libz.a" CACHE STRING "")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-pie -Wl,--gc-sections -s")
# Two folders give the same bytes: Boost's and our own headers put __FILE__ into messages.
set(maps "-ffile-prefix-map=${STACKX_PORTABLE}/= -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")
# Boost 1.74 derives from std::unary_function, which C++17 took away.
set(CMAKE_CXX_FLAGS_INIT "-ffunction-sections -fdata-sections -Wno-unused-command-line-argument -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION ${maps}")
set(CMAKE_C_FLAGS_INIT "-ffunction-sections -fdata-sections")

set(STACKX_COLD -Os CACHE STRING "")
