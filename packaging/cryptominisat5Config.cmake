# CryptoMiniSat as packaging/libraries built it, under the name that Debian's package has for it.
set(prefix ${CMAKE_CURRENT_LIST_DIR}/../../..)
add_library(cryptominisat5 STATIC IMPORTED)
set_target_properties(cryptominisat5 PROPERTIES IMPORTED_LOCATION ${prefix}/lib/libcryptominisat5.a
  INTERFACE_INCLUDE_DIRECTORIES ${prefix}/include INTERFACE_LINK_LIBRARIES ${prefix}/lib/libpicosat.a)
