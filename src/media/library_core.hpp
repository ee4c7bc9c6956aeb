// The library without its thread.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "media/attempt.hpp"
#include "media/catalogue.hpp"
#include "media/library.hpp"
#include "media/redirects.hpp"
#include "media/shelf.hpp"
#include "media/ticker.hpp"
#include "media/turns.hpp"

namespace merpati::media {

/// See library.hpp. Threads: the executor's one, but for `counts`.
class LibraryCore {
public:
    LibraryCore(const Clock& clock, const boost::asio::any_io_executor& executor,
                const outbound::AddressPolicy& policy, outbound::Client& client, Sniffer sniffer,
                std::unique_ptr<Shelf> shelf, LibraryOptions options);

    void fetch(const std::string& url, model::Revision revision, FetchDone done);

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
        std::string text;
        Sha256 key{};
        outbound::Url url;
        std::vector<Waiter> waiters;
        Known former;            // What was known before,
        ContentPtr former_file;  // and the file, while the host is asked whether it changed.
        std::optional<SteadyTime> give_up_at;  // Known from the first try on.
        unsigned tries = 0;
        SteadyTime resume_at{};  // While it rests between two tries.
        bool ended = false;
    };
    using FetchPtr = std::shared_ptr<Fetch>;

    bool answer_from_memory(const Sha256& key, Waiter& waiter);
    FetchPtr begin(const std::string& url, const Sha256& key);
    void line_up(const FetchPtr& fetch);
    bool take_turn(const FetchPtr& fetch);
    void tried(const FetchPtr& fetch, std::expected<Arrival, Trouble> result);
    void arrived(const FetchPtr& fetch, Arrival arrival);
    void failed(const FetchPtr& fetch, std::string_view details);
    void put_off(const FetchPtr& fetch, std::string_view details);
    void end(const FetchPtr& fetch, const Known& known, const ContentPtr& file);
    void answer(Waiter& waiter, const Known& known, const ContentPtr& file);
    bool resume();
    bool tidy();
    void note_state();

    const Clock& clock_;
    const LibraryOptions options_;
    Sniffer sniffer_;
    std::unique_ptr<Shelf> shelf_;
    Follower follower_;
    const AttemptTools tools_;
    Turns turns_;
    Catalogue catalogue_;
    Ticker retries_;
    Ticker tidying_;
    std::unordered_map<std::string, FetchPtr> fetches_;
    std::vector<FetchPtr> resting_;  // Between two tries.
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
