#include "people/sign_in_throttle.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include <sodium.h>

namespace merpati::people {

TryBuckets::TryBuckets(Limit limit) : limit_(limit), sets_(entries_max / ways) {}

const TryBuckets::Entry* TryBuckets::find(std::uint64_t key) const {
    const auto& set = set_of(key);
    const auto found = std::ranges::find(set, key, &Entry::key);
    return found == set.end() ? nullptr : &*found;
}

TryBuckets::Entry* TryBuckets::find(std::uint64_t key) {
    return const_cast<Entry*>(std::as_const(*this).find(key));
}

SteadyTime::duration TryBuckets::wait(std::uint64_t key, SteadyTime now) const {
    const auto* entry = find(key);
    if (entry == nullptr) {
        return {};
    }
    const auto due = entry->empty_at - (limit_.burst - 1) * limit_.every;
    return std::max(due - now, SteadyTime::duration{});
}

void TryBuckets::take(std::uint64_t key, SteadyTime now) {
    auto* entry = find(key);
    if (entry == nullptr) {
        auto& set = sets_[key % sets_.size()];
        entry = &*std::ranges::min_element(set, {}, &Entry::empty_at);
        *entry = {.key = key, .empty_at = now};
    }
    entry->empty_at = std::max(entry->empty_at, now) + limit_.every;
}

void TryBuckets::give_back(std::uint64_t key) {
    if (auto* entry = find(key)) {
        entry->empty_at -= limit_.every;
    }
}

void TryBuckets::empty(std::uint64_t key) {
    if (auto* entry = find(key)) {
        *entry = {};
    }
}

SignInThrottle::SignInThrottle(Random& random) {
    random.fill(std::as_writable_bytes(std::span{seed_}));
}

std::uint64_t SignInThrottle::key_of(std::string_view first, std::string_view second) const {
    std::string text{first};
    text += '\0';
    text += second;
    std::array<unsigned char, crypto_shorthash_BYTES> hash{};
    static_assert(crypto_shorthash_KEYBYTES == 16 && sizeof hash == sizeof(std::uint64_t));
    (void)crypto_shorthash(hash.data(), reinterpret_cast<const unsigned char*>(text.data()),
                           text.size(), seed_.data());
    std::uint64_t key = 0;
    std::memcpy(&key, hash.data(), sizeof key);
    return std::max<std::uint64_t>(key, 1);  // 0 marks a free entry.
}

std::chrono::seconds SignInThrottle::take(std::string_view email, std::string_view address,
                                          bool is_known_address, SteadyTime now) {
    const auto pair = key_of(email, address);
    const auto from = key_of(address);
    const auto person = key_of(email);
    const std::lock_guard lock{mutex_};
    const auto wait =
        std::max({pairs_.wait(pair, now), addresses_.wait(from, now),
                  is_known_address ? SteadyTime::duration{} : people_.wait(person, now)});
    if (wait > SteadyTime::duration{}) {
        return std::chrono::ceil<std::chrono::seconds>(wait);
    }
    pairs_.take(pair, now);
    addresses_.take(from, now);
    if (!is_known_address) {
        people_.take(person, now);
    }
    return {};
}

std::chrono::seconds SignInThrottle::take(std::string_view address, SteadyTime now) {
    const auto from = key_of(address);
    const std::lock_guard lock{mutex_};
    const auto wait = addresses_.wait(from, now);
    if (wait == SteadyTime::duration{}) {
        addresses_.take(from, now);
    }
    return std::chrono::ceil<std::chrono::seconds>(wait);
}

std::chrono::seconds SignInThrottle::take_code(std::string_view email, std::string_view address,
                                               bool is_known_address, SteadyTime now) {
    const auto key = key_of(email, is_known_address ? address : std::string_view{});
    const std::lock_guard lock{mutex_};
    const auto wait = codes_.wait(key, now);
    if (wait == SteadyTime::duration{}) {
        codes_.take(key, now);
    }
    return std::chrono::ceil<std::chrono::seconds>(wait);
}

void SignInThrottle::succeeded(std::string_view email, std::string_view address,
                               bool is_known_address) {
    const std::lock_guard lock{mutex_};
    pairs_.empty(key_of(email, address));
    codes_.empty(key_of(email, is_known_address ? address : std::string_view{}));
    addresses_.give_back(key_of(address));
    if (!is_known_address) {
        people_.give_back(key_of(email));
    }
}

}  // namespace merpati::people
