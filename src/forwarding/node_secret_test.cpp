#include "forwarding/node_secret.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "testing/temporary_folder.hpp"

namespace merpati::forwarding {
namespace {

struct NodeSecretTest : ::testing::Test {
    std::string write(std::string_view text) {
        std::ofstream{folder.file("key")} << text;
        return folder.file("key");
    }

    testing::TemporaryFolder folder;
};

TEST_F(NodeSecretTest, AProofHoldsForItsRequestAlone) {
    const auto secret = NodeSecret::of("a secret of all nodes");
    const auto proof = secret.prove("POST", "/v1/send", "203.0.113.7");
    EXPECT_TRUE(secret.holds(proof, "POST", "/v1/send", "203.0.113.7"));
    EXPECT_FALSE(secret.holds(proof, "GET", "/v1/send", "203.0.113.7"));
    EXPECT_FALSE(secret.holds(proof, "POST", "/v1/send?x", "203.0.113.7"));
    EXPECT_FALSE(secret.holds(proof, "POST", "/v1/send", "local socket"));
    EXPECT_FALSE(secret.holds("", "POST", "/v1/send", "203.0.113.7"));
    EXPECT_FALSE(
        NodeSecret::of("another secret of nodes").holds(proof, "POST", "/v1/send", "203.0.113.7"));
}

TEST_F(NodeSecretTest, TheFilesLastLineEndDoesNotMatter) {
    const auto bare = NodeSecret::open(write("0123456789abcdef"));
    ASSERT_TRUE(bare);
    const auto proof = bare->prove("GET", "/", "local");
    const auto ended = NodeSecret::open(write("0123456789abcdef\r\n"));
    ASSERT_TRUE(ended);
    EXPECT_TRUE(ended->holds(proof, "GET", "/", "local"));
}

TEST_F(NodeSecretTest, AFileThatIsMissingTooShortOrTooLongIsRefused) {
    const auto missing = NodeSecret::open(folder.file("none"));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::io_failed);
    EXPECT_TRUE(missing.error().detail.contains(folder.file("none")));
    EXPECT_EQ(NodeSecret::open(write("0123456789abcde\n")).error().code, ErrorCode::conflict);
    EXPECT_EQ(NodeSecret::open(write(std::string(4097, 'x'))).error().code, ErrorCode::conflict);
}

}  // namespace
}  // namespace merpati::forwarding
