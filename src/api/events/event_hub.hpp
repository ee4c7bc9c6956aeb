// Tells those who watch an account what happens in it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "api/events/event_ring.hpp"
#include "base/clock.hpp"
#include "base/periodic_thread.hpp"
#include "base/random.hpp"
#include "base/shared_limit.hpp"
#include "http/body_source.hpp"
#include "model/ids.hpp"

namespace merpati::api {

/// Server-sent events (WHATWG HTML, 9.2) for each account that somebody watches.
///
/// Operation: what happens is noted as it happens, and gathered: every `tick_every` the news of an
/// account go into its ring, each message and callback once, with its latest state; where more than
/// `each_max` changed, their number is told instead. Streams that wait get what is new; one that
/// has been given nothing for `heartbeat_every` gets a comment. A client that comes back with the
/// id of its last event gets what it missed, or `resync` where that is not known any more: the ring
/// has moved on, nobody watched the account for `ring_kept`, or the process was started again.
///
/// A stream ends when `may_go_on` says so, at the next tick.
///
/// Cost: where nobody watches, noting something is one atomic read. A stream that waits holds no
/// buffer.
///
/// Limits: streams are shared by SharedLimit among accounts; memory: a ring for each account that
/// is watched, and what is gathered in one tick, at most `noted_max`.
///
/// Threads: one of its own, which sleeps while nobody watches; public methods from any. Must
/// outlive the server whose connections have its streams.
class EventHub {
public:
    /// The credit of an account; empty: none is counted, or it cannot be read. On the hub's thread.
    using CreditLookup = std::function<std::optional<std::int64_t>(model::AccountId)>;
    using MayGoOn = std::function<bool()>;

    static constexpr std::chrono::milliseconds tick_every{250};
    static constexpr std::chrono::seconds heartbeat_every{15};
    static constexpr std::chrono::seconds checked_every{1};  // Whether a stream may go on.
    static constexpr std::chrono::minutes ring_kept{5};
    static constexpr std::size_t each_max = 50;
    static constexpr std::size_t noted_max = 65'536;
    static constexpr std::size_t piece_max = 64UL * 1024;

    EventHub(const Clock& clock, Random& random, std::size_t streams_max, CreditLookup credit);
    ~EventHub();

    void start();

    /// Ends all streams, and the thread. Idempotent.
    void stop();

    /// What happened to one of many: `id` is told once a tick, with the latest data.
    void note(model::AccountId account, std::string_view event, const Uuid& id,
              std::function<std::string()> data);
    /// What happens seldom: each is told.
    void tell(model::AccountId account, std::string_view event, std::string data);
    /// The account's credit may have changed.
    void credit_changed(model::AccountId account);
    /// False: noting something would be for nobody.
    [[nodiscard]] bool is_watched() const noexcept { return watched_count_.load() > 0; }

    /// A stream of the account's events, after the one that `last_id` names (empty: from now on).
    /// Null: there are too many streams.
    [[nodiscard]] std::unique_ptr<http::BodySource> open(model::AccountId account,
                                                         std::string_view last_id,
                                                         MayGoOn may_go_on);

    /// Gathers and gives what is new. Called by the thread, and by tests.
    void tick();

    [[nodiscard]] std::size_t streams() const;

private:
    struct Noted {
        model::AccountId account;
        std::string_view event;  // Static text.
        std::optional<Uuid> id;
        std::function<std::string()> data;
    };
    struct Stream;
    class Source;
    struct Channel;
    struct Given {
        http::BodyWriter writer;
        std::string bytes;
        bool last = false;
    };

    void put(Noted&& noted);
    [[nodiscard]] std::vector<model::AccountId> gather(SteadyTime now);
    [[nodiscard]] bool take_noted();
    static void gather(Channel& channel, bool lost);
    [[nodiscard]] std::vector<Given> serve(
        SteadyTime now,
        const std::unordered_map<model::AccountId, std::optional<std::int64_t>>& credits);
    static void add_credit(Channel& channel, std::optional<std::int64_t> credit);
    void serve(Channel& channel, SteadyTime now, std::vector<Given>& given);
    [[nodiscard]] static std::string next_piece(Channel& channel, Stream& stream);
    void next(const std::shared_ptr<Stream>& stream, http::BodyWriter writer);
    void remove(const std::shared_ptr<Stream>& stream);

    const Clock& clock_;
    Random& random_;
    const CreditLookup credit_;

    std::mutex noted_mutex_;  // Held for a moment by whoever notes something.
    std::vector<Noted> noted_;
    bool noted_lost_ = false;
    std::unordered_set<model::AccountId> watched_;
    std::atomic<std::size_t> watched_count_{0};

    mutable std::mutex mutex_;
    SharedLimit shared_;
    std::unordered_map<model::AccountId, std::unique_ptr<Channel>> channels_;
    bool closed_ = false;

    PeriodicThread thread_;
};

}  // namespace merpati::api
