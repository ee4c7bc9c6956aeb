#include "campaign/text/draw.hpp"

#include <array>
#include <cstddef>
#include <limits>

#include <sodium.h>

#include "base/assert.hpp"

namespace merpati::campaign {
namespace {

/// Fixed for ever: another key would change the texts of campaigns that are under way.
constexpr std::array<unsigned char, crypto_shorthash_KEYBYTES> draw_key{
    'm', 'e', 'r', 'p', 'a', 't', 'i', ' ', 'c', 'a', 'm', 'p', 'a', 'i', 'g', 'n'};

class LittleEndian {
public:
    void add(std::uint64_t value, std::size_t size) {
        for (std::size_t place = 0; place < size; ++place) {
            bytes_[size_++] = static_cast<unsigned char>(value >> (8 * place));
        }
    }

    /// SipHash-2-4.
    [[nodiscard]] std::uint64_t hash() const {
        std::array<unsigned char, crypto_shorthash_BYTES> digest;
        crypto_shorthash(digest.data(), bytes_.data(), size_, draw_key.data());
        std::uint64_t value = 0;
        for (std::size_t place = digest.size(); place-- > 0;) {
            value = value << 8 | digest[place];
        }
        return value;
    }

private:
    std::array<unsigned char, 24> bytes_{};
    std::size_t size_ = 0;
};

}  // namespace

std::uint64_t draw(model::CampaignId campaign, model::PhoneNumber number, std::uint32_t index,
                   std::uint64_t count) {
    invariant(count > 0, "a draw has something to choose from");
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    // Values from here on would make the small results more probable.
    const auto uneven_from = most - most % count;
    for (std::uint32_t attempt = 0;; ++attempt) {
        LittleEndian input;
        input.add(static_cast<std::uint64_t>(campaign.value), 8);
        input.add(static_cast<std::uint64_t>(number.value()), 8);
        input.add(index, 4);
        input.add(attempt, 4);
        if (const auto value = input.hash(); value < uneven_from) {
            return value % count;
        }
    }
}

}  // namespace merpati::campaign
