# merpati_precompile(TARGET): in a build with MERPATI_PRECOMPILED_HEADERS, TARGET uses library
# headers that are compiled once for all rooms; otherwise does nothing. Sources still include what
# they use, because other builds have no precompiled header.
# merpati_precompile_test(TARGET): the same for a test program, with GoogleTest's headers.
#
# Clang accepts a precompiled header only if the same macros are defined, so in such a build every
# room gets the definitions of all libraries named here.
# The targets merpati_precompiled and merpati_precompiled_tests make the headers themselves;
# clang-tidy needs them. In builds for developers they exist always.
if(NOT MERPATI_PRECOMPILED_HEADERS)
  function(merpati_precompile target)
  endfunction()
  function(merpati_precompile_test target)
  endfunction()
  add_custom_target(merpati_precompiled)
  add_custom_target(merpati_precompiled_tests)
  return()
endif()

add_library(merpati_precompiled_libraries INTERFACE)
target_link_libraries(merpati_precompiled_libraries INTERFACE
  merpati_asio Boost::json Boost::url fmt::fmt)

file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cpp CONTENT "")
add_library(merpati_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
target_link_libraries(merpati_precompiled PRIVATE merpati_precompiled_libraries merpati_warnings)
target_precompile_headers(merpati_precompiled PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/precompiled_headers.hpp)

function(merpati_precompile target)
  target_link_libraries(${target} PRIVATE merpati_precompiled_libraries)
  target_precompile_headers(${target} REUSE_FROM merpati_precompiled)
endfunction()

if(MERPATI_DEVELOPER)
  # A program itself, because programs and libraries are compiled with different options.
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled_tests.cpp CONTENT "int main() {}\n")
  add_executable(merpati_precompiled_tests ${CMAKE_BINARY_DIR}/precompiled_tests.cpp)
  target_link_libraries(merpati_precompiled_tests PRIVATE
    merpati_precompiled_libraries merpati_warnings merpati_test_options GTest::gmock)
  target_precompile_headers(merpati_precompiled_tests PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/precompiled_test_headers.hpp)
endif()

function(merpati_precompile_test target)
  target_link_libraries(${target} PRIVATE merpati_precompiled_libraries)
  target_precompile_headers(${target} REUSE_FROM merpati_precompiled_tests)
endfunction()
