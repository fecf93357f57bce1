# Defaults, prompts, schemas and migrations become part of the binary, so that it runs alone.
# Each file is an entry of `embedded_assets` (infrastructure/config/embedded_assets.h) under its
# path in the tree; a file of the same path in a settings folder overrides it at run time.
file(GLOB_RECURSE asset_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
  config/*.yml config/*.txt config/*.json config/*.md data/migrations/*.sql data/schemas/*.json data/references/*.json
  data/words/*.txt data/verbs/*.txt)

# files: relative to the source tree. OUT becomes an array of struct embedded_file
# (domain/base/embedded_file.h), declared in HEADER.
function(embed_files out header array files)
  list(TRANSFORM files PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} "-DFILES=${files}" -DROOT=${CMAKE_SOURCE_DIR}
      -DHEADER=${header} -DARRAY=${array} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${paths} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    VERBATIM)
endfunction()

set(MISTRO_EMBEDDED_ASSETS ${CMAKE_BINARY_DIR}/embedded_assets.c)
embed_files(${MISTRO_EMBEDDED_ASSETS} infrastructure/config/embedded_assets.h embedded_assets
  "${asset_files}")

# The lexical analyst's rules are pure and have no port for files: its glossaries are part of it.
file(GLOB glossary_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} data/glossary/*.txt)
set(MISTRO_GLOSSARIES ${CMAKE_BINARY_DIR}/lexical_glossaries.c)
embed_files(${MISTRO_GLOSSARIES} application/orchestrators/lexical/lexical_words.h
  lexical_glossaries "${glossary_files}")

# What is in the files of words, as tables. add_word_tables has to come behind the layer domain.
file(GLOB word_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} data/verbs/*.txt data/words/*.txt)
set(MISTRO_WORD_TABLES ${CMAKE_BINARY_DIR}/word_tables.c)
function(add_word_tables)
  add_executable(make_word_tables cmake/make_word_tables.c application/finding/word_table.c)
  target_include_directories(make_word_tables PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(make_word_tables PRIVATE domain)
  target_compile_options(make_word_tables PRIVATE ${MISTRO_WARNINGS})
  list(TRANSFORM word_files PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
  add_custom_command(OUTPUT ${MISTRO_WORD_TABLES}
    COMMAND make_word_tables ${CMAKE_SOURCE_DIR} ${word_files} > ${MISTRO_WORD_TABLES}
    DEPENDS make_word_tables ${paths} VERBATIM)
endfunction()

# The metaschemas of JSON Schema, under their URIs: data of the specification, without its titles
# and comments.
file(GLOB_RECURSE metaschema_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
  data/metaschemas/*.json)
set(MISTRO_METASCHEMAS ${CMAKE_BINARY_DIR}/schema_metaschemas.c)
embed_files(${MISTRO_METASCHEMAS} domain/schema/json_schema_internal.h schema_metaschemas
  "${metaschema_files}")
set(MISTRO_CATEGORIES ${CMAKE_BINARY_DIR}/schema_categories.c)
embed_files(${MISTRO_CATEGORIES} domain/schema/json_schema_internal.h schema_categories
  data/unicode_categories.txt)

# What agents say when they say nothing.
set(MISTRO_SAYINGS ${CMAKE_BINARY_DIR}/consensus_sayings.c)
embed_files(${MISTRO_SAYINGS} domain/consensus/consensus_internal.h consensus_sayings
  "data/consensus/openings.txt;data/consensus/sayings.txt;data/consensus/words.txt")

# The definitions of the workspace's tools, and the help of the commands.
file(GLOB tool_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} data/tools/*.json)
set(MISTRO_WORKSPACE_TOOLS ${CMAKE_BINARY_DIR}/workspace_definitions.c)
embed_files(${MISTRO_WORKSPACE_TOOLS} infrastructure/workspace/workspace_tools.h
  workspace_definitions "${tool_files}")
file(GLOB help_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} data/help/*)
set(MISTRO_COMMAND_HELP ${CMAKE_BINARY_DIR}/command_help_files.c)
embed_files(${MISTRO_COMMAND_HELP} presentation/cli/command.h command_help_files "${help_files}")

# What pages look like, and the parts of the script that draws a plot.
file(GLOB style_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} data/pages/*.css)
set(MISTRO_PAGE_STYLES ${CMAKE_BINARY_DIR}/page_styles.c)
embed_files(${MISTRO_PAGE_STYLES} domain/text/html_page.h page_styles "${style_files}")
file(GLOB plot_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} data/figure/*.txt data/figure/matplotlib/*.py)
set(MISTRO_PLOT_FILES ${CMAKE_BINARY_DIR}/plot_files.c)
embed_files(${MISTRO_PLOT_FILES} application/figure/plot/plot.h plot_files "${plot_files}")

# What pages that are served have beside: their style and their script.
file(GLOB web_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} data/web/*)
set(MISTRO_WEB_FILES ${CMAKE_BINARY_DIR}/web_files.c)
embed_files(${MISTRO_WEB_FILES} presentation/web/pages_internal.h web_files "${web_files}")

# The sentences of events.
set(MISTRO_EVENT_SENTENCES ${CMAKE_BINARY_DIR}/event_sentences.c)
embed_files(${MISTRO_EVENT_SENTENCES} presentation/cli/events/event_text.h event_sentences
  data/events.txt)
