// Fetches the files of media messages when they are sent, and keeps them for later messages.
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

/// Operation: the first message of an account with a URL fetches its file. The file is streamed
/// into the folder, limited in size, hashed, checked by its first 64 KiB, and stored under its
/// SHA-256. Messages of the account with the same URL share it while it is fetched and while it is
/// fresh (Cache-Control, Expires, else CacheOptions::fresh_for). A failure, or a type that the
/// message's revision refuses, is shared for CacheOptions::failure_kept_for at most, because the
/// host may mend it: the probe of a later message then accepts it. After passing trouble (not
/// reached, 5xx, 408, 425, 429, stalled) the fetch is tried again after 1, 2 and then every 4 s,
/// within CacheOptions::patience. If the file cannot be written, it is tried again without limit.
///
/// Limits: stored files and files that are being written take at most `kept_bytes_max` together.
/// Bytes are reserved before a file is written: its Content-Length, or `bytes_max` if the host
/// sends none. Files that are not held are removed by age, and for room, longest unused first. If
/// the held files leave no room, a fetch closes its connection and waits. The folder belongs to one
/// cache; opening it removes the files of an earlier one.
///
/// Threads: the executor's one, except `counts` (any).
class MediaCache {
public:
    MediaCache(const boost::asio::any_io_executor& executor, const RequestTools& tools,
               std::unique_ptr<CacheStorage> storage, CacheOptions options);

    void fetch(model::AccountId account, const std::string& url, model::Revision revision,
               FetchDone done);

    /// Makes an empty file for a connector to write. `bytes_max` bytes are reserved until it is
    /// released; the cache does not check that the connector writes no more.
    void make_file(model::AccountId account, std::uint64_t bytes_max, FileMade done);

    /// Answers all fetches with `retry`. Close the client afterwards, to end downloads in flight.
    void close();

    [[nodiscard]] CacheCounts counts() const;

private:
    /// The result of the last fetch of a URL: a file, a declared type that is refused without a
    /// file, or a failure.
    struct Entry {
        std::string_view failure{};  // From file_source.hpp; empty: the fetch succeeded.
        DeclaredType declared{};
        SniffedType content{};
        bool has_file = false;
        std::weak_ptr<const Content> file{};  // Expired: the file was removed.
        SteadyTime until{};                   // When the entry expires.
        SteadyTime refused_until{};           // The same for messages that refuse its type.
    };
    struct Waiter {
        model::Revision revision;
        FetchDone done;
    };
    /// A fetch with all its tries and all messages that wait for it.
    struct Fetch {
        UrlKey key;
        outbound::Url url;
        SlotPtr slot;
        std::vector<Waiter> waiters;
        std::uint64_t needed = 0;              // Bytes that its file needs.
        std::uint64_t reserved = 0;            // Bytes that are reserved for its file.
        std::optional<SteadyTime> give_up_at;  // Set at the first try.
        unsigned tries = 0;
        SteadyTime resume_at{};  // The end of the current back-off.
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
    [[nodiscard]] static bool is_refused(const Entry& entry, model::Revision revision);
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
    std::vector<FetchPtr> backing_off_;  // In back-off, or put off after a crash.
    std::optional<SteadyTime> disk_reported_at_;
    bool closed_ = false;
    CacheCounts counts_;

    mutable std::mutex mutex_;
    CacheCounts published_;
};

}  // namespace merpati::media
