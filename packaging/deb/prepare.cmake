# CPack runs this between installing into its tree and packing it: what Debian has otherwise than other systems.
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
set(from ${CMAKE_CURRENT_LIST_DIR})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Pages and changelog are compressed, without a time in them.
file(GLOB pages ${share}/man/man1/*.1)
if(pages)
  run(gzip -9nf ${pages})
endif()
file(READ ${from}/changelog changelog)
file(WRITE ${share}/doc/stackx/changelog "${changelog}")
run(gzip -9nf ${share}/doc/stackx/changelog)

# zsh looks for packages' functions in a folder of Debian's own.
if(EXISTS ${share}/zsh/site-functions)
  file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
endif()

# The license is one that every Debian holds; those of the libraries are in a folder beside.
file(REMOVE ${share}/doc/stackx/LICENSE)
file(GLOB licences RELATIVE ${share}/doc/stackx/licences ${share}/doc/stackx/licences/*)
list(TRANSFORM licences PREPEND "  ")
list(JOIN licences "\n" licences)
file(READ ${from}/copyright copyright)
file(WRITE ${share}/doc/stackx/copyright "${copyright}${licences}\n")
file(MAKE_DIRECTORY ${share}/lintian/overrides)
file(COPY_FILE ${from}/lintian-overrides ${share}/lintian/overrides/stackx)
