// Library headers for test programs; see precompiled_headers.cmake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "precompiled_headers.hpp"
