# add_layer(NAME <layer> [MAY_USE <layers…>] [HEADERS <third-party headers…>|ANY] [LIBS <libs…>]
#           [EXCLUDE <sub-folder>] [GENERATED <sources…>] [PURE])
# One static library per layer with an include root of its own, so that a header of a layer that
# may not be used does not exist for the compiler. Four tests hold the rule where paths cannot:
#   layer.<name>.includes  every #include names an allowed header
#   layer.<name>.links     the whole archive links with nothing but what the layer may use
#   layer.<name>.symbols   (PURE) no clock, file, environment or chance: nm against an allow list
#   layer.<name>.headers   every header compiles alone
function(add_layer)
  cmake_parse_arguments(L "PURE" "NAME;EXCLUDE" "MAY_USE;HEADERS;LIBS;GENERATED" ${ARGN})
  set(dir ${CMAKE_SOURCE_DIR}/${L_NAME})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.c)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${dir}/*.h)
  if(L_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${dir}/${L_EXCLUDE}/")
    list(FILTER headers EXCLUDE REGEX "${dir}/${L_EXCLUDE}/")
  endif()
  set(root ${CMAKE_BINARY_DIR}/roots/${L_NAME})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${dir} ${root}/${L_NAME} SYMBOLIC)

  add_library(${L_NAME} STATIC ${sources} ${L_GENERATED})
  set_target_properties(${L_NAME} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${L_NAME} PUBLIC ${root})
  target_link_libraries(${L_NAME} PUBLIC ${L_MAY_USE} ${L_LIBS})
  target_compile_options(${L_NAME} PRIVATE ${MISTRO_WARNINGS})

  add_test(NAME layer.${L_NAME}.includes COMMAND ${CMAKE_COMMAND} -DDIR=${dir} "-DEXCLUDE=${L_EXCLUDE}"
    "-DLAYERS=${L_NAME};${L_MAY_USE}" "-DHEADERS=${L_HEADERS}"
    -DROOMS=${CMAKE_SOURCE_DIR}/docs/tour.md
    -P ${CMAKE_SOURCE_DIR}/cmake/CheckIncludes.cmake)

  file(WRITE ${CMAKE_BINARY_DIR}/empty_main.c "int main(void)\n{\n    return 0;\n}\n")
  add_executable(links_${L_NAME} EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/empty_main.c)
  target_link_libraries(links_${L_NAME} PRIVATE
    -Wl,--whole-archive ${L_NAME} -Wl,--no-whole-archive ${L_MAY_USE} ${L_LIBS})
  add_test(NAME layer.${L_NAME}.links
    COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target links_${L_NAME})

  if(L_PURE)
    add_test(NAME layer.${L_NAME}.symbols COMMAND ${CMAKE_COMMAND} -DARCHIVE=$<TARGET_FILE:${L_NAME}>
      -DALLOWED=${CMAKE_SOURCE_DIR}/cmake/pure_symbols.txt -P ${CMAKE_SOURCE_DIR}/cmake/CheckSymbols.cmake)
    set_tests_properties(layer.${L_NAME}.symbols PROPERTIES LABELS layers)
  endif()

  set(alone "")
  foreach(header IN LISTS headers)
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${header})
    string(MAKE_C_IDENTIFIER ${name} id)
    set(file ${CMAKE_BINARY_DIR}/headers/${id}.c)
    if(NOT EXISTS ${file})
      file(WRITE ${file} "#include \"${name}\"\n")
    endif()
    list(APPEND alone ${file})
  endforeach()
  if(alone)
    add_library(headers_${L_NAME} OBJECT EXCLUDE_FROM_ALL ${alone})
    target_link_libraries(headers_${L_NAME} PRIVATE ${L_NAME} ${L_LIBS})
    target_compile_options(headers_${L_NAME} PRIVATE ${MISTRO_WARNINGS})
    add_test(NAME layer.${L_NAME}.headers
      COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target headers_${L_NAME})
    set_tests_properties(layer.${L_NAME}.headers PROPERTIES LABELS layers RUN_SERIAL ON)
  endif()
  set_tests_properties(layer.${L_NAME}.includes PROPERTIES LABELS layers)
  set_tests_properties(layer.${L_NAME}.links PROPERTIES LABELS layers RUN_SERIAL ON)
endfunction()
