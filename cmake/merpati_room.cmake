# merpati_room(NAME SHARDS … SOURCES … ALONE … HEADERS … TESTS … DEPENDS … LINKS …)
#
# One room: the static library `merpati_NAME`, and in developer builds the test program `NAME_test`.
# DEPENDS names the rooms that it may include (tools/tidy checks the includes), LINKS names external
# libraries. A room without SOURCES is header-only. With MERPATI_UNITY sixteen sources or tests
# are compiled as one, except those in ALONE, which share private names with others of the room.
# SHARDS is for tests that take longest: they start first, as so many tests, each of which runs a
# part.
function(merpati_room name)
  cmake_parse_arguments(ROOM "" "SHARDS" "SOURCES;ALONE;HEADERS;TESTS;DEPENDS;LINKS" ${ARGN})
  if(ROOM_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "room ${name}: unknown words ${ROOM_UNPARSED_ARGUMENTS}")
  endif()
  list(TRANSFORM ROOM_DEPENDS PREPEND merpati_)

  if(ROOM_SOURCES)
    add_library(merpati_${name} STATIC ${ROOM_SOURCES} ${ROOM_HEADERS})
    target_link_libraries(merpati_${name}
      PUBLIC ${ROOM_DEPENDS} ${ROOM_LINKS} PRIVATE merpati_warnings)
    target_include_directories(merpati_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    merpati_precompile(merpati_${name})
    if(MERPATI_UNITY)
      merpati_unite(merpati_${name} ${ROOM_ALONE})
    endif()
  else()
    add_library(merpati_${name} INTERFACE ${ROOM_HEADERS})
    target_link_libraries(merpati_${name} INTERFACE ${ROOM_DEPENDS} ${ROOM_LINKS})
    target_include_directories(merpati_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
  endif()

  if(MERPATI_DEVELOPER AND ROOM_TESTS)
    add_executable(${name}_test ${ROOM_TESTS})
    target_link_libraries(${name}_test PRIVATE
      merpati_${name} merpati_testing merpati_warnings merpati_test_options
      GTest::gmock GTest::gtest_main)
    merpati_precompile_test(${name}_test)
    if(MERPATI_UNITY)
      merpati_unite(${name}_test ${ROOM_ALONE})
    endif()
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES TIMEOUT 900)
    if(ROOM_SHARDS)
      merpati_shard(${name} ${ROOM_SHARDS})
    endif()
  endif()
endfunction()

# merpati_shard(NAME COUNT): the tests NAME, NAME_2 … NAME_COUNT. A report of GoogleTest has the
# name of its program, so each part has a name for the program.
function(merpati_shard name count)
  foreach(part RANGE 1 ${count})
    set(test ${name})
    if(part GREATER 1)
      set(test ${name}_${part})
      add_custom_command(TARGET ${name}_test POST_BUILD
        COMMAND ${CMAKE_COMMAND} -E create_symlink ${name}_test ${test}_test)
      add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_BINARY_DIR}/${test}_test)
    endif()
    math(EXPR index "${part} - 1")
    set_tests_properties(${test} PROPERTIES COST 1000 TIMEOUT 900
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# merpati_unite(TARGET ALONE…)
function(merpati_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

add_library(merpati_warnings INTERFACE)
target_compile_options(merpati_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough -Wswitch-enum
  # Designated initialisers name only some fields; the others keep their defaults.
  -Wno-missing-designated-field-initializers
  # In sources that are compiled as one, a local name may be that of another file's constant.
  $<$<BOOL:${MERPATI_UNITY}>:-Wno-shadow>
  $<$<BOOL:${MERPATI_DEVELOPER}>:-Werror>)

# Of tests alone. A target, because these options come after CMAKE_CXX_FLAGS and merpati_warnings.
# Tests are not optimised: with sanitizers that takes three times as long, and saves them little.
add_library(merpati_test_options INTERFACE)
target_compile_options(merpati_test_options INTERFACE -O0)
