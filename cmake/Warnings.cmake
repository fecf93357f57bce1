# Warnings, hardening and sanitizers, the same for gcc and clang.
set(MISTRO_WARNINGS -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -Wold-style-definition -Wundef -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2
  -Wconversion -Wswitch-enum -Wvla -Wframe-larger-than=16384)
if(MISTRO_WERROR)
  list(APPEND MISTRO_WARNINGS -Werror)
endif()

add_compile_definitions(_GNU_SOURCE)
add_compile_options(-g -fno-omit-frame-pointer)
if(CMAKE_BUILD_TYPE STREQUAL Release)
  # Assertions stay: they guard against our own mistakes and cost next to nothing.
  set(CMAKE_C_FLAGS_RELEASE "-O2")
  add_compile_definitions(MISTRO_RELEASE=1)
  add_compile_options(-D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE)
  add_link_options(-pie -Wl,--as-needed -Wl,-O1)
  # Smaller by a tenth: C unwinds nothing, debuggers have tables of their own; relocations are packed
  # (glibc 2.36). And the same bytes in whichever folder it is built.
  add_compile_options(-fno-asynchronous-unwind-tables -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
  add_link_options(-Wl,-z,pack-relative-relocs)
endif()
if(MISTRO_SANITIZE)
  add_compile_options(-fsanitize=${MISTRO_SANITIZE} -fno-sanitize-recover=all -O1)
  add_link_options(-fsanitize=${MISTRO_SANITIZE})
  # Instrumented frames are larger; the bound is kept by the other builds.
  list(APPEND MISTRO_WARNINGS -Wno-frame-larger-than)
endif()
if(MISTRO_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(MISTRO_VALGRIND)
  add_compile_definitions(MISTRO_VALGRIND=1)
endif()
