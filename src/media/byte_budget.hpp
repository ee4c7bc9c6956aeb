// Keeps files within media.kept_bytes_max, and shares the bytes among accounts.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/shared_limit.hpp"
#include "media/cache_storage.hpp"
#include "media/file_source.hpp"
#include "model/ids.hpp"

namespace merpati::media {

/// Counts the bytes of files that are being written (reserved before the first one is), and of
/// those that messages hold; what else is kept gives way to them. Together they never take more
/// than the storage's limit.
///
/// Operation: `reserve` before a file is written, `give_back` when it is stored or given up, `hold`
/// for each message that gets it. Where `reserve` refuses, `wait` for the bytes. Files are let go
/// of on other threads: `serve`, called now and then, collects them and serves who waits.
///
/// Fairness: an account that holds nothing may take whatever is free, any other no more than it
/// leaves free (SharedLimit). Waiting accounts are served round-robin, each in its own
/// order. One that is refused for its share is passed over; for one that holds nothing, bytes are
/// kept free until there are enough.
///
/// Threads: its owner's. The files that `hold` gives may be let go of on any thread, also after the
/// budget is gone.
class ByteBudget {
public:
    using Granted = std::move_only_function<void()>;

    explicit ByteBudget(CacheStorage& storage) : storage_(storage), bytes_(storage.bytes_max()) {}

    /// False: the account has to `wait`. `bytes` as CacheStorage::room_of counts them.
    [[nodiscard]] bool reserve(model::AccountId account, std::uint64_t bytes);
    void give_back(model::AccountId account, std::uint64_t bytes);

    /// The same for a file that others write and read: given back when the last copy is let go of,
    /// on any thread, also after the budget is gone. Null: there is no room now.
    [[nodiscard]] std::shared_ptr<void> lend(model::AccountId account, std::uint64_t bytes);

    /// Calls `go` from `serve`, with `bytes` reserved.
    void wait(model::AccountId account, std::uint64_t bytes, Granted go);

    /// A message's file, counted as its account's until it is let go of.
    [[nodiscard]] FilePtr hold(model::AccountId account, ContentPtr content,
                               std::string_view media_type);

    /// Whether somebody still waits.
    bool serve();

    /// Forgets all that wait.
    void clear();

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
    [[nodiscard]] std::uint64_t reserved() const noexcept { return reserved_; }
    /// Reserved, or of files that are held.
    [[nodiscard]] std::uint64_t used() const noexcept { return bytes_.acquired(); }

private:
    struct Waiting {
        std::uint64_t bytes;
        Granted go;
    };
    struct Account {
        std::uint64_t used = 0;
        std::deque<Waiting> line;
    };
    struct Holder {
        model::AccountId account;
        ContentPtr content;
    };
    struct Loan {
        model::AccountId account;
        std::uint64_t bytes = 0;
    };
    /// Files and loans that were let go of, on whichever thread.
    struct Released {
        std::mutex mutex;
        std::vector<Holder> holders;
        std::vector<Loan> loans;
    };
    struct HeldFile;

    [[nodiscard]] bool take(Account& account, std::uint64_t bytes);
    void collect_released();
    void forget_if_idle(model::AccountId account);

    CacheStorage& storage_;
    std::unordered_map<model::AccountId, Account> accounts_;  // Those that use or wait for bytes.
    std::list<model::AccountId> round_;                       // Accounts that wait.
    std::unordered_map<const Content*, std::map<model::AccountId, std::size_t>> holders_;
    const std::shared_ptr<Released> released_ = std::make_shared<Released>();
    std::uint64_t reserved_ = 0;
    SharedLimit bytes_;  // Reserved, or of files that are held, of each content once.
    std::size_t waiting_ = 0;
    bool keeping_free_ = false;  // For the account at the front of the round.
};

}  // namespace merpati::media
