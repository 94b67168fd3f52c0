# cmake -DSOURCE=DIR -DFILE=build_commit.cpp [-DCOMMIT=TEXT] -P build_commit.cmake: writes the commit that SOURCE is at as a
# function, only if that changes the file. Without git, in an unpacked archive (also one inside another checkout): "".
# ".git" is a directory, in a worktree a file.
if(NOT COMMIT AND EXISTS ${SOURCE}/.git)
  find_program(GIT git)
  if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=7 HEAD OUTPUT_VARIABLE COMMIT ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${GIT} -C ${SOURCE} --no-optional-locks status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
    if(COMMIT AND changes)
      string(APPEND COMMIT "+changes")
    endif()
  endif()
endif()
if(NOT "${COMMIT}" MATCHES "^[A-Za-z0-9._+-]*$")
  message(FATAL_ERROR "STACKX_COMMIT: expected a commit, found ${COMMIT}")
endif()
set(text "namespace stackx::cli {\nconst char* build_commit() { return \"${COMMIT}\"; }\n}  // namespace stackx::cli\n")
set(before "")
if(EXISTS ${FILE})
  file(READ ${FILE} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${FILE} "${text}")
endif()
