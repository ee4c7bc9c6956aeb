# merpati_precompile(TARGET): in a build with MERPATI_PRECOMPILED_HEADERS, TARGET uses library
# headers that are compiled once for all rooms; otherwise does nothing. Sources still include what
# they use, because other builds have no precompiled header.
#
# Clang accepts a precompiled header only if the same macros are defined, so in such a build every
# room gets the definitions of all libraries named here.
# The target merpati_precompiled makes the header itself; clang-tidy needs it. It exists always.
if(NOT MERPATI_PRECOMPILED_HEADERS)
  function(merpati_precompile target)
  endfunction()
  add_custom_target(merpati_precompiled)
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
