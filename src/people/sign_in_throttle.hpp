// How often one may try to sign in.
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

/// Leaky buckets of tries, in a table of fixed size. Where it is full, the bucket that is emptied
/// first makes place: whoever tries most is forgotten last.
///
/// Threads: none.
class TryBuckets {
public:
    struct Limit {
        int burst;                   // Tries at once,
        std::chrono::seconds every;  // and one more after each of these.
    };

    explicit TryBuckets(Limit limit);

    /// How long to wait before a try is due; 0: now.
    [[nodiscard]] SteadyTime::duration wait(std::uint64_t key, SteadyTime now) const;
    void take(std::uint64_t key, SteadyTime now);
    void give_back(std::uint64_t key);
    void empty(std::uint64_t key);

    static constexpr std::size_t entries_max = 4'096;

private:
    struct Entry {
        std::uint64_t key = 0;
        SteadyTime empty_at{};  // When all its tries are forgotten.
    };
    static constexpr std::size_t ways = 8;
    using Set = std::array<Entry, ways>;

    [[nodiscard]] const Entry* find(std::uint64_t key) const;
    [[nodiscard]] Entry* find(std::uint64_t key);
    [[nodiscard]] const Set& set_of(std::uint64_t key) const { return sets_[key % sets_.size()]; }

    Limit limit_;
    std::vector<Set> sets_;
};

/// Operation: `take` before the password is looked at, for people who exist and those who do not
/// alike; `succeeded` after a sign-in. A try counts for the pair of person and address, for the
/// address, and for the person. The person's bucket is slow, and not asked of an address that the
/// person has signed in from: so a stranger with many addresses guesses little, and locks nobody
/// out of where they are used to be.
///
/// Threads: any.
///
/// Crash: all tries are forgotten. Each would have to be on the disk before the password is looked
/// at, which would give strangers a way to keep the disk busy; a restart, which they cannot bring
/// about, gives them no more than the bursts below once again.
///
/// Limits: TryBuckets::entries_max of each; about 200 KiB in all.
class SignInThrottle {
public:
    static constexpr TryBuckets::Limit of_pair{.burst = 6, .every = std::chrono::seconds{60}};
    static constexpr TryBuckets::Limit of_address{.burst = 40, .every = std::chrono::seconds{6}};
    static constexpr TryBuckets::Limit of_person{.burst = 20, .every = std::chrono::seconds{300}};

    explicit SignInThrottle(Random& random);

    /// 0: the try may be made, and is counted. Else how long to wait; it is not counted then.
    [[nodiscard]] std::chrono::seconds take(std::string_view email, std::string_view address,
                                            bool is_known_address, SteadyTime now);

    /// The pair's tries are forgotten, this one was none of the others'.
    void succeeded(std::string_view email, std::string_view address);

    /// The same for what needs no person: links.
    [[nodiscard]] std::chrono::seconds take(std::string_view address, SteadyTime now);

private:
    [[nodiscard]] std::uint64_t key_of(std::string_view first, std::string_view second = {}) const;

    std::array<unsigned char, 16> seed_{};  // Nobody outside can choose whose bucket is whose.
    std::mutex mutex_;
    TryBuckets pairs_{of_pair};
    TryBuckets addresses_{of_address};
    TryBuckets people_{of_person};
};

}  // namespace merpati::people
