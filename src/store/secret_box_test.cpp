#include "store/secret_box.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

struct SecretBoxTest : ::testing::Test {
    TemporaryDirectory directory;
    std::filesystem::path key_file = directory.path() / "store.key";
    Bytes secret{Bytes(32, std::byte{0x41})};

    void write_key_file(const std::string& text) { std::ofstream{key_file} << text; }
};

TEST_F(SecretBoxTest, OpensWhatItSealedAlsoAfterARestart) {
    const auto sealed = SecretBox::create(key_file)->seal(secret);
    const auto box = SecretBox::open(key_file);
    ASSERT_TRUE(box);
    EXPECT_EQ(take(box->unseal(sealed)), secret);
}

TEST_F(SecretBoxTest, SealsTheSameSecretDifferentlyEachTime) {
    const auto box = SecretBox::create(key_file);
    ASSERT_TRUE(box);
    EXPECT_NE(box->seal(secret), box->seal(secret));
}

TEST_F(SecretBoxTest, SealsNothingToo) {
    const auto box = SecretBox::create(key_file);
    ASSERT_TRUE(box);
    EXPECT_EQ(take(box->unseal(box->seal({}))), Bytes{});
}

TEST_F(SecretBoxTest, RefusesWhatWasChangedCutOrSealedWithAnotherKey) {
    const auto box = SecretBox::create(key_file);
    const auto other = SecretBox::create(directory.path() / "other.key");
    ASSERT_TRUE(box && other);
    const auto sealed = box->seal(secret);
    auto changed = sealed;
    changed.back() ^= std::byte{1};
    EXPECT_EQ(box->unseal(changed).error().code, ErrorCode::conflict);
    EXPECT_EQ(other->unseal(sealed).error().code, ErrorCode::conflict);
    for (std::size_t size = 0; size < sealed.size(); ++size) {
        EXPECT_FALSE(box->unseal(std::span{sealed}.first(size)));
    }
}

TEST_F(SecretBoxTest, NeverOverwritesAKeyFile) {
    ASSERT_TRUE(SecretBox::create(key_file));
    EXPECT_EQ(SecretBox::create(key_file).error().code, ErrorCode::conflict);
    EXPECT_TRUE(SecretBox::open(key_file));
}

TEST_F(SecretBoxTest, NamesAKeyFileThatIsMissingOrIsNone) {
    const auto missing = SecretBox::open(key_file);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::not_found);
    EXPECT_TRUE(missing.error().detail.contains(key_file.string()));
    for (const char* text : {"", "\n", "not base64!", "QUFBQQ=="}) {
        write_key_file(text);
        const auto malformed = SecretBox::open(key_file);
        ASSERT_FALSE(malformed) << text;
        EXPECT_EQ(malformed.error().code, ErrorCode::conflict);
        EXPECT_TRUE(malformed.error().detail.contains(key_file.string()));
    }
}

}  // namespace
}  // namespace merpati::store
