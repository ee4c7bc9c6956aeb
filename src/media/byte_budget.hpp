// Keeps media files within media.kept_bytes_max, and shares the bytes among accounts.
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

/// Counts the bytes of files that are being written, and of files that messages hold. Together with
/// other stored files, which are removed for them, they never exceed the storage's limit.
///
/// Operation: call `reserve` before a file is written, `give_back` when it is stored or has failed,
/// and `hold` for each message that gets it. If `reserve` refuses, call `wait`. Holders release
/// files on other threads; `serve`, called periodically, collects the released bytes and grants
/// them to waiting requests.
///
/// Fairness: an account that holds nothing may take all free bytes; any other account may hold no
/// more than is left free (SharedLimit). Waiting accounts are served round-robin, the requests of
/// each in their order. An account that has its share is skipped. For an account that holds
/// nothing, bytes are kept free until its request fits.
///
/// Threads: its owner's. What `hold` and `lend` return may be released on any thread, also after
/// the budget is destroyed.
class ByteBudget {
public:
    using Granted = std::move_only_function<void()>;

    explicit ByteBudget(CacheStorage& storage) : storage_(storage), bytes_(storage.bytes_max()) {}

    /// False: the account must `wait`. `bytes`: as CacheStorage::room_of counts them.
    [[nodiscard]] bool reserve(model::AccountId account, std::uint64_t bytes);
    void give_back(model::AccountId account, std::uint64_t bytes);

    /// Reserves bytes until the last copy of the returned pointer is released. Null: there is no
    /// room now.
    [[nodiscard]] std::shared_ptr<void> lend(model::AccountId account, std::uint64_t bytes);

    /// Calls `go` from `serve`, with `bytes` reserved.
    void wait(model::AccountId account, std::uint64_t bytes, Granted go);

    /// Makes the file of a message; it counts as its account's until it is released.
    [[nodiscard]] FilePtr hold(model::AccountId account, ContentPtr content,
                               std::string_view media_type);

    /// Grants released bytes to waiting requests. Returns whether requests still wait.
    bool serve();

    /// Drops all waiting requests.
    void clear();

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
    [[nodiscard]] std::uint64_t reserved() const noexcept { return reserved_; }
    /// The bytes that are reserved, and those of held files.
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
    /// Files and loans that were released on any thread, until `collect_released`.
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
    std::unordered_map<model::AccountId, Account> accounts_;  // That use or wait for bytes.
    std::list<model::AccountId> round_;                       // Waiting accounts, in turn.
    std::unordered_map<const Content*, std::map<model::AccountId, std::size_t>> holders_;
    const std::shared_ptr<Released> released_ = std::make_shared<Released>();
    std::uint64_t reserved_ = 0;
    SharedLimit bytes_;  // Reserved, and of held files; each content counts once.
    std::size_t waiting_ = 0;
    bool keeping_free_ = false;  // For the account at the front of the round.
};

}  // namespace merpati::media
