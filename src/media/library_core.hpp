// The library without its thread.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "media/account_cache.hpp"
#include "media/attempt.hpp"
#include "media/byte_budget.hpp"
#include "media/cached_url.hpp"
#include "media/host_limiter.hpp"
#include "media/library.hpp"
#include "media/redirects.hpp"
#include "media/shelf.hpp"
#include "media/suspect_hosts.hpp"
#include "media/ticker.hpp"
#include "media/url_key.hpp"

namespace merpati::media {

/// See library.hpp. Threads: the executor's one, but for `counts`.
class LibraryCore {
public:
    LibraryCore(const Clock& clock, const boost::asio::any_io_executor& executor,
                const outbound::AddressPolicy& policy, outbound::Client& client, Sniffer sniffer,
                std::unique_ptr<Shelf> shelf, LibraryOptions options);

    void fetch(model::AccountId account, const std::string& url, model::Revision revision,
               FetchDone done);

    /// Answers all that wait with `retry`. The client is closed afterwards.
    void close();

    [[nodiscard]] LibraryCounts counts() const noexcept;

private:
    struct Waiter {
        model::Revision revision;
        FetchDone done;
    };
    /// From the first message that asks to the answer of all, over several tries.
    struct Fetch {
        UrlKey key;
        outbound::Url url;
        SlotPtr slot;
        std::vector<Waiter> waiters;
        CachedUrl former;            // What was known before,
        ContentPtr former_file;      // and the file, while the host is asked whether it changed.
        std::uint64_t needed = 0;    // Bytes that it waits for.
        std::uint64_t reserved = 0;  // Bytes that are taken for its file.
        std::optional<SteadyTime> give_up_at;  // Known from the first try on.
        unsigned tries = 0;
        SteadyTime resume_at{};  // While it rests between two tries.
        bool ended = false;
    };
    using FetchPtr = std::shared_ptr<Fetch>;

    bool answer_from_memory(const UrlKey& key, Waiter& waiter);
    FetchPtr begin(const std::string& url, const UrlKey& key);
    void line_up(const FetchPtr& fetch);
    void take_slot(const FetchPtr& fetch);
    void try_once(const FetchPtr& fetch, SteadyTime now);
    bool reserve(const FetchPtr& fetch, std::uint64_t bytes);
    void give_back(const FetchPtr& fetch);
    void tried(const FetchPtr& fetch, std::expected<Arrival, Trouble> outcome);
    void in_trouble(const FetchPtr& fetch, const Trouble& trouble);
    void await_bytes(const FetchPtr& fetch);
    void rest(const FetchPtr& fetch, SteadyTime until);
    void arrived(const FetchPtr& fetch, Arrival arrival);
    void failed(const FetchPtr& fetch, std::string_view details);
    void put_off(const FetchPtr& fetch, std::string_view details);
    void end(const FetchPtr& fetch, const CachedUrl& known, const ContentPtr& file);
    void answer(model::AccountId account, Waiter& waiter, const CachedUrl& known,
                const ContentPtr& file);
    void tell_of_disk();
    bool resume();
    bool tidy();
    void note_state();

    const Clock& clock_;
    const LibraryOptions options_;
    Sniffer sniffer_;
    std::unique_ptr<Shelf> shelf_;
    Follower follower_;
    const AttemptTools tools_;
    HostLimiter limiter_;
    SuspectHosts suspects_;
    ByteBudget budget_;
    AccountCache<Sha256, CachedUrl, DigestHash> known_;
    Ticker retries_;
    Ticker budget_ticker_;
    Ticker tidying_;
    std::unordered_map<UrlKey, FetchPtr, UrlKeyHash> fetches_;
    std::vector<FetchPtr> resting_;  // Between two tries.
    std::optional<SteadyTime> told_of_disk_at_;
    bool closed_ = false;

    std::atomic<std::uint64_t> fetched_total_ = 0;
    std::atomic<std::uint64_t> fetched_bytes_total_ = 0;
    std::atomic<std::uint64_t> failed_total_ = 0;
    std::atomic<std::uint64_t> refused_total_ = 0;
    std::atomic<std::uint64_t> shared_total_ = 0;
    std::atomic<std::uint64_t> revalidated_total_ = 0;
    std::atomic<std::uint64_t> removed_total_ = 0;
    std::atomic<std::uint64_t> in_flight_ = 0;
    std::atomic<std::uint64_t> waiting_ = 0;
    std::atomic<std::uint64_t> kept_files_ = 0;
    std::atomic<std::uint64_t> kept_bytes_ = 0;
};

}  // namespace merpati::media
