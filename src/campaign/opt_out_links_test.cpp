#include "campaign/opt_out_links.hpp"

#include <string>

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

constexpr std::string_view base = "https://merpati.example.org/o/";

struct OptOutLinksTest : ::testing::Test {
    [[nodiscard]] std::string token(const OptOutLinks::Target& of) const {
        return links.url_of(of.account, of.number, of.campaign).substr(base.size());
    }

    OptOutLinks::Keys keys{.digest = sha256("a"), .cipher = sha256("b")};
    OptOutLinks links{keys, "https://merpati.example.org/"};
    OptOutLinks::Target target{.account = {12},
                               .number = model::PhoneNumber::from_stored(6'281'100'000'001),
                               .campaign = {345}};
};

TEST_F(OptOutLinksTest, LinkNamesItsRecipient) {
    const auto url = links.url_of(target.account, target.number, target.campaign);
    EXPECT_TRUE(url.starts_with(base)) << url;
    EXPECT_EQ(url.size(), base.size() + 47);
    EXPECT_EQ(links.open(url.substr(base.size())), target);
}

TEST_F(OptOutLinksTest, LargestIdsFit) {
    const OptOutLinks::Target largest{
        .account = {(std::int64_t{1} << 48) - 1},
        .number = model::PhoneNumber::from_stored(999'999'999'999'999),
        .campaign = {(std::int64_t{1} << 48) - 1}};
    EXPECT_EQ(links.open(token(largest)), largest);
}

/// Links that are in people's chats must open for ever.
TEST_F(OptOutLinksTest, TokenIsTheSameForEver) {
    EXPECT_EQ(token(target), "36mfEZkmKdfXNzlZ-21rwhlNVbZLJfE0y_a4y7RWGxwQm98");
}

TEST_F(OptOutLinksTest, TokenHidesWhomItIsFor) {
    auto neighbour = target;
    neighbour.number = model::PhoneNumber::from_stored(6'281'100'000'002);
    const auto one = token(target);
    const auto other = token(neighbour);
    int same = 0;
    for (std::size_t place = 0; place < one.size(); ++place) {
        same += one[place] == other[place] ? 1 : 0;
    }
    EXPECT_LT(same, 8);
}

TEST_F(OptOutLinksTest, ChangedTokenDoesNotOpen) {
    const auto good = token(target);
    for (std::size_t place = 0; place < good.size(); ++place) {
        for (const char c : {'A', 'B', '_', '=', '\0', '\xff'}) {
            auto changed = good;
            changed[place] = c;
            EXPECT_EQ(links.open(changed).has_value(), changed == good) << changed;
        }
    }
    for (const auto& wrong : {std::string{}, good.substr(1), good + "A", std::string(47, 'A')}) {
        EXPECT_FALSE(links.open(wrong)) << wrong;
    }
}

TEST_F(OptOutLinksTest, TokenOfAnotherStoreDoesNotOpen) {
    const OptOutLinks others{{.digest = sha256("c"), .cipher = sha256("b")}, ""};
    EXPECT_FALSE(others.open(token(target)));
    const OptOutLinks further{{.digest = sha256("a"), .cipher = sha256("c")}, ""};
    EXPECT_FALSE(further.open(token(target)));
}

}  // namespace
}  // namespace merpati::campaign
