// The files of media messages: fetched when their message is to be sent, kept for the next one.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/shared_cache.hpp"
#include "media/byte_budget.hpp"
#include "media/download.hpp"
#include "media/host_limiter.hpp"
#include "media/url_key.hpp"
#include "outbound/periodic_timer.hpp"

namespace merpati::media {

/// Operation: the first message of a URL has its file fetched: streamed into the folder, capped and
/// hashed on the way, judged by its first 64 KiB, kept under the name of its SHA-256. Messages that
/// come meanwhile, and while it is fresh (Cache-Control, Expires, else ten minutes), share it.
/// Passing trouble (not reached, 5xx, 429, stalled) is tried again after 1, 2 and 4 s as long as
/// the patience lasts; a file that cannot be written, as long as that lasts.
///
/// Room: files that are kept, held, and being written take no more than `kept_bytes_max` together.
/// Bytes are reserved before a file is written: its Content-Length, or `bytes_max` where the host
/// does not say. Files go by age, and the longest unused first for room; never one that somebody
/// holds. Where those leave no room a fetch waits, its connection closed. The folder belongs to one
/// cache; what an earlier one left is removed when it is opened.
///
/// Threads: the executor's one, but for `counts`.
class MediaCache {
public:
    MediaCache(const boost::asio::any_io_executor& executor, const RequestTools& tools,
               std::unique_ptr<CacheStorage> storage, CacheOptions options);

    void fetch(model::AccountId account, const std::string& url, model::Revision revision,
               FetchDone done);

    /// An empty file for a connector to write, of at most so many bytes; they are counted as taken
    /// until it is let go of.
    void make_file(model::AccountId account, std::uint64_t bytes_max, FileMade done);

    /// Ends all that wait with `retry`. The client is closed afterwards.
    void close();

    [[nodiscard]] CacheCounts counts() const;

private:
    /// The last fetch of a URL: a file, a declared type that needed none, or a failure.
    struct Entry {
        std::string_view failure{};  // One of file_source.hpp's; empty: the fetch was fine.
        DeclaredType declared{};
        SniffedType content{};
        bool has_file = false;
        std::weak_ptr<const Content> file{};  // Expired: it was removed.
        SteadyTime until{};                   // Then it is fetched anew.
    };
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
        std::uint64_t needed = 0;              // Bytes that it waits for.
        std::uint64_t reserved = 0;            // Bytes that are taken for its file.
        std::optional<SteadyTime> give_up_at;  // Known from the first try on.
        unsigned tries = 0;
        SteadyTime resume_at{};  // While it backs off between two tries.
        bool ended = false;
    };
    using FetchPtr = std::shared_ptr<Fetch>;

    bool answer_from_cache(const UrlKey& key, Waiter& waiter);
    FetchPtr begin(const std::string& url, const UrlKey& key);
    void wait_for_slot(const FetchPtr& fetch);
    void take_slot(const FetchPtr& fetch);
    void try_once(const FetchPtr& fetch, SteadyTime now);
    bool reserve(const FetchPtr& fetch, std::uint64_t bytes);
    void give_back(const FetchPtr& fetch);
    void tried(const FetchPtr& fetch, std::expected<Download, Trouble> outcome);
    void in_trouble(const FetchPtr& fetch, const Trouble& trouble);
    void await_bytes(const FetchPtr& fetch);
    void back_off(const FetchPtr& fetch, SteadyTime until);
    void arrived(const FetchPtr& fetch, Download download);
    void failed(const FetchPtr& fetch, std::string_view details);
    void put_off(const FetchPtr& fetch, std::string_view details);
    void end(const FetchPtr& fetch, const Entry& entry, const ContentPtr& file);
    void answer(model::AccountId account, Waiter& waiter, const Entry& entry,
                const ContentPtr& file);
    void report_disk_trouble();
    bool resume();
    bool remove_old();
    void publish_counts();

    const RequestTools tools_;
    const CacheOptions options_;
    const std::unique_ptr<CacheStorage> storage_;
    HostLimiter limiter_;
    ByteBudget budget_;
    SharedCache<model::AccountId, Sha256, Entry, DigestHash> entries_;
    outbound::PeriodicTimer retry_timer_;
    outbound::PeriodicTimer budget_timer_;
    outbound::PeriodicTimer removal_timer_;
    std::unordered_map<UrlKey, FetchPtr, UrlKeyHash> fetches_;
    std::vector<FetchPtr> backing_off_;  // Between two tries.
    std::optional<SteadyTime> disk_reported_at_;
    bool closed_ = false;
    CacheCounts counts_;

    mutable std::mutex mutex_;
    CacheCounts published_;
};

}  // namespace merpati::media
