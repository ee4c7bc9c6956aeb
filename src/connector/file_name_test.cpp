#include "connector/file_name.hpp"

#include <gtest/gtest.h>

namespace merpati::connector {
namespace {

TEST(FileNameTest, AFileIsNamedAfterItsAddress) {
    EXPECT_EQ(file_name_of("https://example.com/a/faktur%20mei.pdf?x=1"), "faktur mei.pdf");
    EXPECT_EQ(file_name_of("https://example.com/a/..%2Fpasswd"), ".._passwd");
    EXPECT_EQ(file_name_of("https://example.com/%ff"), "");
    EXPECT_EQ(file_name_of("https://example.com"), "");
}

}  // namespace
}  // namespace merpati::connector
