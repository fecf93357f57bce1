# What `cmake --install` brings. Manual pages and completions are made of the binary's own help and of
# docs/ by the target `share`. What is built with sanitizers is not made to be installed.
include(GNUInstallDirs)
file(GLOB page_makers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/share/*)
set(page_texts ${CMAKE_SOURCE_DIR}/docs/plans.md ${CMAKE_SOURCE_DIR}/docs/events.md
  ${CMAKE_SOURCE_DIR}/docs/configuration.md ${CMAKE_SOURCE_DIR}/debian/changelog)
set(share ${CMAKE_BINARY_DIR}/share)
add_custom_command(OUTPUT ${share}.made
  COMMAND sh ${CMAKE_SOURCE_DIR}/cmake/share/build.sh $<TARGET_FILE:mistro> ${CMAKE_SOURCE_DIR} ${share}
  COMMAND ${CMAKE_COMMAND} -E touch ${share}.made
  DEPENDS mistro ${page_makers} ${page_texts}
  VERBATIM)
if(MISTRO_SANITIZE)
  add_custom_target(share DEPENDS ${share}.made)
else()
  add_custom_target(share ALL DEPENDS ${share}.made)
endif()

install(TARGETS mistro RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${share}/ DESTINATION ${CMAKE_INSTALL_DATADIR} OPTIONAL)
install(FILES data/schemas/plan.json DESTINATION ${CMAKE_INSTALL_DATADIR}/mistro/schemas)
install(DIRECTORY examples/systemd/ DESTINATION ${CMAKE_INSTALL_DATADIR}/systemd/user
  PATTERN system EXCLUDE) # these need an account and a database: a package would start them at once
install(DIRECTORY examples/systemd/system DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/systemd)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN DEVELOPMENT.md EXCLUDE PATTERN tour.md EXCLUDE PATTERN manual-tests.md EXCLUDE
  REGEX "/pictures/.*[^g]$" EXCLUDE) # what draws them
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS
  PATTERN systemd EXCLUDE)
