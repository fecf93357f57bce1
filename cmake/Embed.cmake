# Defaults, prompts, schemas and migrations become part of the binary, so that it runs alone.
# Each file is an entry of `embedded_assets` (infrastructure/config/embedded_assets.h) under its
# path in the tree; a file of the same path in a settings folder overrides it at run time.
file(GLOB_RECURSE asset_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
  config/*.yml config/*.txt config/*.json config/*.md data/migrations/*.sql data/schemas/*.json data/references/*.json
  data/words/*.txt data/verbs/*.txt)
set(MISTRO_EMBEDDED_ASSETS ${CMAKE_BINARY_DIR}/embedded_assets.c)
list(TRANSFORM asset_files PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE asset_paths)
add_custom_command(OUTPUT ${MISTRO_EMBEDDED_ASSETS}
  COMMAND ${CMAKE_COMMAND} -DOUT=${MISTRO_EMBEDDED_ASSETS} "-DFILES=${asset_files}"
    -DROOT=${CMAKE_SOURCE_DIR} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
  DEPENDS ${asset_paths} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
  VERBATIM)
