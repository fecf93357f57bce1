# Every library mistro uses, with the Debian package that brings it and the reason for it.
# libcurl (net) and libcrypto (digests) are not linked: they are loaded on first use, because
# linking libcurl alone costs every command some 10 ms and 8 MB before main.
find_package(PkgConfig REQUIRED)
pkg_check_modules(uv REQUIRED IMPORTED_TARGET libuv)            # libuv1-dev: the event loop
pkg_check_modules(jansson REQUIRED IMPORTED_TARGET jansson)     # libjansson-dev: JSON values
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)       # libyaml-dev: settings and plans
pkg_check_modules(sqlite REQUIRED IMPORTED_TARGET sqlite3)      # libsqlite3-dev: run log
pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8)    # libpcre2-dev: schema `pattern`
find_library(stemmer stemmer REQUIRED)                          # libstemmer-dev: stems of words
pkg_check_modules(edit REQUIRED IMPORTED_TARGET libedit)        # libedit-dev: line editing
pkg_check_modules(curl REQUIRED libcurl)                        # libcurl4-openssl-dev: headers only
pkg_check_modules(crypto REQUIRED libcrypto)                    # libssl-dev: headers only
pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)       # libcmocka-dev: unit tests
