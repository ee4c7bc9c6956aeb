# Finds all libraries on the system. `./dev` installs their packages; nothing is downloaded at
# configure time. Rooms name these targets in LINKS.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json url)
find_package(OpenSSL 3.0 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(prometheus-cpp REQUIRED COMPONENTS core)
find_package(date 3.0 REQUIRED)  # Time zones; libstdc++ 12 has none.
find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(pq REQUIRED IMPORTED_TARGET libpq>=15)
pkg_check_modules(cares REQUIRED IMPORTED_TARGET libcares)
pkg_check_modules(qrcodegen REQUIRED IMPORTED_TARGET qrcodegencpp)
pkg_check_modules(magic REQUIRED IMPORTED_TARGET libmagic)
pkg_check_modules(yaml_cpp REQUIRED IMPORTED_TARGET yaml-cpp)  # Only for the build.

if(MERPATI_DEVELOPER)
  find_package(GTest REQUIRED)
else()
  # The allocator of the installed program: the gateway mostly frees memory on another thread than
  # the one that allocated it. Builds for tests use the sanitizers' allocator.
  find_package(mimalloc REQUIRED)
endif()

# The definitions of Boost.Asio, in one place so that all translation units agree.
add_library(merpati_asio INTERFACE)
target_link_libraries(merpati_asio INTERFACE Boost::headers Threads::Threads)
target_compile_definitions(merpati_asio INTERFACE
  BOOST_ASIO_NO_DEPRECATED
  BOOST_ASIO_DISABLE_BOOST_COROUTINE)
