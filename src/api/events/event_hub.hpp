// Streams of an account's events to the clients that watch it.
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
#include "model/scope.hpp"

namespace merpati::api {

/// Server-sent events (WHATWG HTML, 9.2) for each account that a client watches.
///
/// Operation: `note` and `tell` put events into a list. Every `tick_every`, `tick` moves them to
/// the rings of their accounts. Of the events noted for one id since the last tick, only the latest
/// is kept. If more than `each_max` ids were noted for one event name, one event with their number
/// replaces all of them. Waiting streams then get the new events; a stream without data for
/// `heartbeat_every` gets a comment. A client that reconnects with the id of its last event gets
/// the events after it. It gets `resync` if they are gone: the ring has dropped them, nobody
/// watched the account for `ring_kept`, the account was elsewhere, or the process was restarted.
///
/// `scopes` is called before each piece of events, and at least every `checked_every` while the
/// stream waits. The piece has only the events that these scopes let the caller read; the stream
/// ends when there are none. It is called with the hub's lock held, on the hub's thread or an I/O
/// thread, and must not block.
///
/// Cost: while no account is watched, noting an event is one atomic read. A waiting stream holds no
/// buffer.
///
/// Limits: accounts share `streams_max` streams (SharedLimit). Memory: one ring for each watched
/// account, and `noted_max` events between two ticks. If more are noted, all streams get `resync`,
/// and so do clients that come back later with an id from before.
///
/// Threads: one of its own, which sleeps while nobody watches; public methods from any. Must
/// outlive the server whose connections hold its streams.
class EventHub {
public:
    /// The credit of an account; empty: it is not counted, or cannot be read. Called by `tick`,
    /// without the hub's lock; may read the store.
    using CreditLookup = std::function<std::optional<std::int64_t>(model::AccountId)>;
    /// The caller's scopes in the account now. Empty: the stream must end.
    using ScopesNow = std::function<model::Scopes()>;

    static constexpr std::chrono::milliseconds tick_every{250};
    static constexpr std::chrono::seconds heartbeat_every{15};
    static constexpr std::chrono::seconds checked_every{1};  // Also between credit events.
    static constexpr std::chrono::minutes ring_kept{5};
    static constexpr std::size_t each_max = 50;
    static constexpr std::size_t noted_max = 65'536;
    static constexpr std::size_t piece_max = 64UL * 1024;

    EventHub(const Clock& clock, Random& random, std::size_t streams_max, CreditLookup credit);
    ~EventHub();

    void start();

    /// Sends what was noted, ends all streams and the thread. Idempotent.
    void stop();

    /// For frequent events about one of many objects: at most one event for `id` in a tick, with
    /// the latest data. `tick` calls `data`, without the hub's lock; it may read the store. `event`
    /// is static text.
    void note(model::AccountId account, std::string_view event, const Uuid& id,
              std::function<std::string()> data);
    /// For rare events: each is sent. `event` is static text.
    void tell(model::AccountId account, std::string_view event, std::string data);
    /// Says that the account's credit may have changed. `tick` then reads it, and sends an event if
    /// it has.
    void credit_changed(model::AccountId account);
    /// False: no account is watched, so that noting an event has no effect.
    [[nodiscard]] bool is_watched() const noexcept { return watched_count_.load() > 0; }

    /// A stream of the account's events after the one with the id `last_id`; empty: from now on.
    /// Null: there are too many streams, or the hub was stopped.
    [[nodiscard]] std::unique_ptr<http::BodySource> open(model::AccountId account,
                                                         std::string_view last_id,
                                                         ScopesNow scopes);

    /// Ends the account's streams and forgets its events: it moves to another process.
    void close(model::AccountId account);

    /// Moves noted events to the rings and serves waiting streams. Called by the thread, by `stop`,
    /// and by tests.
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
    /// What a tick adds to the ring of one account.
    struct News {
        struct Event {
            std::string_view name;
            std::function<std::string()> data;
            std::string text{};  // What `data` answered.
        };
        std::vector<Event> events;
        bool asks_credit = false;
        std::optional<std::int64_t> credit{};
    };
    using AllNews = std::unordered_map<model::AccountId, News>;

    void put(Noted&& noted);
    [[nodiscard]] AllNews gather(std::vector<Noted>&& noted, SteadyTime now);
    void resolve(AllNews& news) const;
    [[nodiscard]] std::vector<Given> serve(SteadyTime now, AllNews& news, bool lost);
    static void add(Channel& channel, News& news);
    void serve(Channel& channel, SteadyTime now, std::vector<Given>& given);
    [[nodiscard]] static std::string next_piece(Channel& channel, Stream& stream,
                                                model::Scopes scopes);
    void next(const std::shared_ptr<Stream>& stream, http::BodyWriter writer);
    void remove(const std::shared_ptr<Stream>& stream);

    const Clock& clock_;
    Random& random_;
    const CreditLookup credit_;

    std::mutex noted_mutex_;  // Of the four below. Never held for long, so that noting is cheap.
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
