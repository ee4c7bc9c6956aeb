// Limits attempts to sign in.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/random.hpp"

namespace merpati::people {

/// Leaky buckets of tries, in a table of fixed size. A key belongs to one set of the table. In a
/// full set, a new bucket replaces the one that becomes empty first, so that busy ones stay
/// longest.
///
/// Threads: none.
class TryBuckets {
public:
    struct Limit {
        int burst;                   // Tries at once,
        std::chrono::seconds every;  // and one more after each of these.
    };

    explicit TryBuckets(Limit limit);

    /// How long to wait before the next try; 0: it may be made now.
    [[nodiscard]] SteadyTime::duration wait(std::uint64_t key, SteadyTime now) const;
    void take(std::uint64_t key, SteadyTime now);
    void give_back(std::uint64_t key);
    void empty(std::uint64_t key);

    static constexpr std::size_t entries_max = 4'096;

private:
    struct Entry {
        std::uint64_t key = 0;
        SteadyTime empty_at{};  // When the bucket is empty.
    };
    static constexpr std::size_t ways = 8;
    using Set = std::array<Entry, ways>;

    [[nodiscard]] const Entry* find(std::uint64_t key) const;
    [[nodiscard]] Entry* find(std::uint64_t key);
    [[nodiscard]] const Set& set_of(std::uint64_t key) const { return sets_[key % sets_.size()]; }

    Limit limit_;
    std::vector<Set> sets_;
};

/// Operation: call `take` before the password is checked, for existing and unknown people alike,
/// and `succeeded` after a sign-in, with the same `is_known_address`. Call `take_code` before a
/// code of the second factor is checked: who gets there knows the password, and may guess few
/// codes. A try counts for the pair of person and address, for the address, and for the person. The
/// person's bucket refills slowly, and does not apply to an address that is known to be the
/// person's. So a stranger with many addresses has few guesses, and does not lock the person out.
///
/// Threads: any.
///
/// Restart: all tries are forgotten. To store each one before the password is checked would let
/// strangers keep the disk busy. A restart, which they cannot cause, gives them only the bursts
/// below once more.
///
/// Limits: TryBuckets::entries_max of each; about 256 KiB in all.
class SignInThrottle {
public:
    static constexpr TryBuckets::Limit of_pair{.burst = 6, .every = std::chrono::seconds{60}};
    static constexpr TryBuckets::Limit of_address{.burst = 40, .every = std::chrono::seconds{6}};
    static constexpr TryBuckets::Limit of_person{.burst = 20, .every = std::chrono::seconds{300}};
    /// Of codes; three of a million are right at a time. A person's known addresses each have their
    /// own bucket, all others share one, so that a stranger does not lock the person out.
    static constexpr TryBuckets::Limit of_codes{.burst = 6, .every = std::chrono::hours{1}};

    explicit SignInThrottle(Random& random);

    /// 0: the try may be made, and is counted. Otherwise the wait; the try is not counted.
    [[nodiscard]] std::chrono::seconds take(std::string_view email, std::string_view address,
                                            bool is_known_address, SteadyTime now);

    /// The same for a code of the second factor.
    [[nodiscard]] std::chrono::seconds take_code(std::string_view email, std::string_view address,
                                                 bool is_known_address, SteadyTime now);

    /// Forgets the pair's tries and its wrong codes, and takes the try back from the address and,
    /// if it counted there, from the person.
    void succeeded(std::string_view email, std::string_view address, bool is_known_address);

    /// `take` for tries that name no person: sign-in links.
    [[nodiscard]] std::chrono::seconds take(std::string_view address, SteadyTime now);

private:
    [[nodiscard]] std::uint64_t key_of(std::string_view first, std::string_view second = {}) const;

    std::array<unsigned char, 16> seed_{};  // Nobody outside can choose keys that collide.
    std::mutex mutex_;
    TryBuckets pairs_{of_pair};
    TryBuckets addresses_{of_address};
    TryBuckets people_{of_person};
    TryBuckets codes_{of_codes};
};

}  // namespace merpati::people
