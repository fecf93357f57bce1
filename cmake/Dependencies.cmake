# Every library mistro uses, with the Debian package that brings it and the reason for it.
# libcurl (net), libcrypto (signatures of logins), libmicrohttpd (web) and libpq (postgres) are not
# linked: they are loaded on first use, because linking libcurl alone costs every command some 10 ms
# and 8 MB before main.
find_package(PkgConfig REQUIRED)
pkg_check_modules(uv REQUIRED IMPORTED_TARGET libuv)            # libuv1-dev: the event loop
pkg_check_modules(jansson REQUIRED IMPORTED_TARGET jansson)     # libjansson-dev: JSON values
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)       # libyaml-dev: settings and plans
pkg_check_modules(sqlite REQUIRED IMPORTED_TARGET sqlite3)      # libsqlite3-dev: run log
pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8)    # libpcre2-dev: schema `pattern`
find_library(stemmer NAMES stemmer REQUIRED)                    # libstemmer-dev: stems of words
pkg_check_modules(edit REQUIRED IMPORTED_TARGET libedit)        # libedit-dev: line editing
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc) # libutf8proc-dev: NFC
pkg_check_modules(nettle REQUIRED IMPORTED_TARGET nettle)       # nettle-dev: SHA-256
pkg_check_modules(curl REQUIRED libcurl)                        # libcurl4-openssl-dev: headers only
pkg_check_modules(crypto REQUIRED libcrypto)                    # libssl-dev: headers only
pkg_check_modules(microhttpd REQUIRED libmicrohttpd)            # libmicrohttpd-dev: headers only
pkg_check_modules(libpq REQUIRED libpq)                         # libpq-dev: headers only
if(BUILD_TESTING)
  pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)     # libcmocka-dev: unit tests
endif()

# The dynamic linker's work on these libraries is most of what a short command costs. With
# MISTRO_ARCHIVES the archives that the packages bring as well are linked instead, where they are.
function(link_archives name) # and the archives, those it needs behind it; libm for sqlite3
  foreach(archive IN LISTS ARGN)
    find_library(${archive}_archive lib${archive}.a)
    if(NOT ${archive}_archive)
      return()
    endif()
    list(APPEND archives ${${archive}_archive})
  endforeach()
  set_target_properties(PkgConfig::${name} PROPERTIES INTERFACE_LINK_LIBRARIES "${archives};m")
endfunction()
# Debian 12 has libutf8proc2 and Debian 13 has libutf8proc3: with the archive one package serves both.
link_archives(utf8proc utf8proc)
if(MISTRO_ARCHIVES)
  link_archives(uv uv_a)
  link_archives(jansson jansson)
  link_archives(yaml yaml)
  link_archives(sqlite sqlite3)
  link_archives(pcre2 pcre2-8)
  link_archives(edit edit tinfo bsd md)
  link_archives(nettle nettle)
  find_library(stemmer_archive libstemmer.a)
  if(stemmer_archive)
    # Its list of languages refers to all of them, 330 KB of tables that the dynamic linker would go
    # through at every start. In a copy of the list only the languages of the tool index are wanted.
    set(wanted "")
    foreach(language english french german italian spanish)
      list(APPEND wanted "--weaken-symbol=!${language}_UTF_8_*")
    endforeach()
    set(languages ${CMAKE_BINARY_DIR}/stemmer_languages.o)
    execute_process(COMMAND ${CMAKE_AR} p ${stemmer_archive} libstemmer.o
      OUTPUT_FILE ${languages} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${CMAKE_OBJCOPY} --wildcard ${wanted} "--weaken-symbol=*_env"
      "--weaken-symbol=*_stem" ${languages} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${CMAKE_NM} ${languages} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    if(NOT symbols MATCHES "U english_UTF_8_stem" OR NOT symbols MATCHES "w dutch_UTF_8_stem")
      message(FATAL_ERROR "the archive of libstemmer is not as expected: see cmake/Dependencies.cmake")
    endif()
    set(stemmer ${languages} ${stemmer_archive})
  endif()
endif()
