#include "api/events/event_hub.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace merpati::api {
namespace {

constexpr std::string_view heartbeat = ": \n\n";

}  // namespace

/// One client. `writer` is set while it waits for events.
struct EventHub::Stream {
    model::AccountId account;
    ScopesNow scopes;
    std::uint64_t given = 0;  // The number of its last event.
    bool begun = false;
    bool resync = false;  // It came back with an id that the ring does not know.
    bool closed = false;  // Its account has moved, and may have come back.
    std::optional<http::BodyWriter> writer{};
    SteadyTime heard_at{};
    SteadyTime checked_at{};
};

class EventHub::Source final : public http::BodySource {
public:
    Source(EventHub& hub, std::shared_ptr<Stream> stream) : hub_(hub), stream_(std::move(stream)) {}
    ~Source() override { hub_.remove(stream_); }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    void next(http::BodyWriter writer) override { hub_.next(stream_, std::move(writer)); }

private:
    EventHub& hub_;
    const std::shared_ptr<Stream> stream_;
};

/// One account that is watched, or was within `ring_kept`.
struct EventHub::Channel {
    explicit Channel(std::string epoch) : ring(std::move(epoch)) {}

    EventRing ring;
    std::vector<std::shared_ptr<Stream>> streams;
    SteadyTime used_at{};

    bool credit_changed = false;
    SteadyTime credit_told_at{};
    std::optional<std::int64_t> credit;
};

EventHub::EventHub(const Clock& clock, Random& random, std::size_t streams_max, CreditLookup credit)
    : clock_(clock), random_(random), credit_(std::move(credit)), shared_(streams_max) {}

EventHub::~EventHub() {
    stop();
}

void EventHub::start() {
    thread_.start("events", std::nullopt, [this]() -> PeriodicThread::Pause {
        tick();
        return is_watched() ? PeriodicThread::Pause{tick_every} : std::nullopt;
    });
}

void EventHub::stop() {
    thread_.stop();
    {
        const std::lock_guard lock{mutex_};
        if (closed_) {
            return;
        }
    }
    tick();  // Sends what was noted since the thread's last round.
    std::vector<http::BodyWriter> writers;
    {
        const std::lock_guard lock{mutex_};
        closed_ = true;
        for (auto& [account, channel] : channels_) {
            for (const auto& stream : channel->streams) {
                if (auto writer = std::exchange(stream->writer, std::nullopt)) {
                    writers.push_back(std::move(*writer));
                }
            }
        }
    }
    for (auto& writer : writers) {
        writer.finish();
    }
}

void EventHub::note(model::AccountId account, std::string_view event, const Uuid& id,
                    std::function<std::string()> data) {
    put({.account = account, .event = event, .id = id, .data = std::move(data)});
}

void EventHub::tell(model::AccountId account, std::string_view event, std::string data) {
    put({.account = account, .event = event, .id = {}, .data = [data = std::move(data)] {
             return data;
         }});
}

void EventHub::credit_changed(model::AccountId account) {
    put({.account = account, .event = {}, .id = {}, .data = {}});
}

void EventHub::put(Noted&& noted) {
    if (!is_watched()) {
        return;
    }
    const std::lock_guard lock{noted_mutex_};
    if (!watched_.contains(noted.account)) {
        return;
    }
    if (noted_.size() >= noted_max) {
        noted_lost_ = true;
    } else {
        noted_.push_back(std::move(noted));
    }
}

std::unique_ptr<http::BodySource> EventHub::open(model::AccountId account, std::string_view last_id,
                                                 ScopesNow scopes) {
    auto stream = std::make_shared<Stream>();
    stream->account = account;
    stream->scopes = std::move(scopes);
    stream->heard_at = stream->checked_at = clock_.steady_now();
    {
        const std::lock_guard lock{mutex_};
        auto& channel = channels_[account];
        if (channel == nullptr) {
            channel = std::make_unique<Channel>(
                fmt::format("{:x}", random_.between(0, (std::uint64_t{1} << 48U) - 1)));
        }
        channel->used_at = stream->heard_at;
        if (closed_ || !shared_.admits(channel->streams.size())) {
            return nullptr;
        }
        shared_.acquire();
        const auto number = channel->ring.number_of(last_id);
        stream->resync = !last_id.empty() && !number;
        stream->given = number.value_or(channel->ring.last());
        channel->streams.push_back(stream);
    }
    {
        const std::lock_guard lock{noted_mutex_};
        watched_.insert(account);
        watched_count_ = watched_.size();
    }
    thread_.wake();
    return std::make_unique<Source>(*this, std::move(stream));
}

void EventHub::close(model::AccountId account) {
    std::vector<http::BodyWriter> writers;
    {
        const std::lock_guard lock{mutex_};
        const auto channel = channels_.extract(account);
        if (channel.empty()) {
            return;
        }
        for (const auto& stream : channel.mapped()->streams) {
            shared_.release();
            stream->closed = true;
            if (auto writer = std::exchange(stream->writer, std::nullopt)) {
                writers.push_back(std::move(*writer));
            }
        }
        const std::lock_guard noted_lock{noted_mutex_};
        watched_.erase(account);
        watched_count_ = watched_.size();
    }
    for (auto& writer : writers) {
        writer.finish();
    }
}

std::size_t EventHub::streams() const {
    const std::lock_guard lock{mutex_};
    return shared_.acquired();
}

/// The next bytes for a stream; empty: there are none yet.
std::string EventHub::next_piece(Channel& channel, Stream& stream, model::Scopes scopes) {
    std::string piece;
    if (!std::exchange(stream.begun, true)) {
        piece = fmt::format("retry: 3000\nid: {}\n\n", channel.ring.id_of(stream.given));
    }
    if (stream.resync || !channel.ring.reaches(stream.given)) {
        stream.resync = false;
        stream.given = channel.ring.last();
        return piece + channel.ring.resync();
    }
    return piece + channel.ring.after(stream.given, piece_max, scopes);
}

void EventHub::next(const std::shared_ptr<Stream>& stream, http::BodyWriter writer) {
    std::string piece;
    bool ended = true;
    {
        const std::lock_guard lock{mutex_};
        const auto channel = channels_.find(stream->account);
        ended = closed_ || stream->closed || channel == channels_.end();
        if (!ended) {
            // `serve` skips clients that read slowly, so their last check may be long ago.
            const auto scopes = stream->scopes();
            ended = scopes.empty();
            piece = ended ? std::string{} : next_piece(*channel->second, *stream, scopes);
            if (!ended && piece.empty()) {
                stream->writer.emplace(std::move(writer));
                return;
            }
            stream->heard_at = clock_.steady_now();
        }
    }
    if (ended) {
        writer.finish();
    } else {
        writer.give(std::move(piece));
    }
}

void EventHub::remove(const std::shared_ptr<Stream>& stream) {
    const auto take_out = [&] {
        const std::lock_guard lock{mutex_};
        const auto channel = channels_.find(stream->account);
        if (channel != channels_.end() && std::erase(channel->second->streams, stream) > 0) {
            shared_.release();
            channel->second->used_at = clock_.steady_now();
        }
        return std::exchange(stream->writer, std::nullopt);
    };
    (void)take_out();  // The writer is destroyed without the lock.
}

void EventHub::tick() {
    const auto now = clock_.steady_now();
    std::vector<Noted> noted;
    bool lost = false;
    {
        const std::lock_guard lock{noted_mutex_};
        noted.swap(noted_);
        lost = std::exchange(noted_lost_, false);
    }
    auto news = gather(std::move(noted), now);
    resolve(news);  // Reads the store, so without the lock that I/O threads wait for.
    for (auto& one : serve(now, news, lost)) {
        if (one.last) {
            one.writer.finish();
        } else {
            one.writer.give(std::move(one.bytes));
        }
    }
}

/// What to add to the rings of watched accounts. Of the events noted for one id, the latest.
EventHub::AllNews EventHub::gather(std::vector<Noted>&& noted, SteadyTime now) {
    using Latest = std::map<Uuid, std::function<std::string()>>;
    std::map<std::pair<model::AccountId, std::string_view>, Latest> by_event;
    AllNews news;
    const std::lock_guard lock{mutex_};
    for (auto& one : noted) {
        const auto found = channels_.find(one.account);
        if (found == channels_.end()) {
            continue;
        }
        if (!one.data) {
            found->second->credit_changed = true;
        } else if (!one.id) {
            news[one.account].events.push_back({.name = one.event, .data = std::move(one.data)});
        } else {
            by_event[{one.account, one.event}][*one.id] = std::move(one.data);
        }
    }
    for (auto& [event, latest] : by_event) {
        auto& events = news[event.first].events;
        if (latest.size() > each_max) {
            events.push_back({.name = event.second, .data = [many = latest.size()] {
                                  return fmt::format(R"({{"many":{}}})", many);
                              }});
            continue;
        }
        for (auto& [id, data] : latest) {
            events.push_back({.name = event.second, .data = std::move(data)});
        }
    }
    for (auto& [account, channel] : channels_) {
        const bool due = now - channel->credit_told_at >= checked_every;
        if (channel->credit_changed && due && !channel->streams.empty()) {
            channel->credit_changed = false;
            channel->credit_told_at = now;
            news[account].asks_credit = true;
        }
    }
    return news;
}

void EventHub::resolve(AllNews& news) const {
    for (auto& [account, of_account] : news) {
        for (auto& event : of_account.events) {
            event.text = event.data();
        }
        if (of_account.asks_credit) {
            of_account.credit = credit_(account);
        }
    }
}

/// Answers what to give to waiting streams. Forgets accounts that are no longer watched.
std::vector<EventHub::Given> EventHub::serve(SteadyTime now, AllNews& news, bool lost) {
    std::vector<Given> given;
    const std::lock_guard lock{mutex_};
    std::vector<model::AccountId> left;
    for (auto& [account, channel] : channels_) {
        if (const auto found = news.find(account); found != news.end()) {
            add(*channel, found->second);
        }
        if (lost) {
            channel->ring.lose();
        }
        serve(*channel, now, given);
        if (channel->streams.empty() && now - channel->used_at >= ring_kept) {
            left.push_back(account);
        }
    }
    const std::lock_guard noted_lock{noted_mutex_};
    for (const auto account : left) {
        channels_.erase(account);
        watched_.erase(account);
    }
    watched_count_ = watched_.size();
    return given;
}

void EventHub::add(Channel& channel, News& news) {
    for (const auto& event : news.events) {
        channel.ring.add(event.name, event.text);
    }
    if (news.asks_credit && news.credit != channel.credit) {
        channel.credit = news.credit;
        channel.ring.add("account.credit", news.credit
                                               ? fmt::format(R"({{"credit":{}}})", *news.credit)
                                               : std::string{R"({"credit":null})"});
    }
}

void EventHub::serve(Channel& channel, SteadyTime now, std::vector<Given>& given) {
    for (const auto& stream : channel.streams) {
        if (!stream->writer) {
            continue;  // The client has not taken the last piece yet.
        }
        const bool news = stream->resync || stream->given < channel.ring.last();
        const bool check = news || now - stream->checked_at >= checked_every;
        if (check) {
            stream->checked_at = now;
        }
        const auto scopes = check ? stream->scopes() : model::Scopes{};
        const bool ends = check && scopes.empty();
        auto piece = news && !ends ? next_piece(channel, *stream, scopes) : std::string{};
        if (!ends && piece.empty()) {
            if (now - stream->heard_at < heartbeat_every) {
                continue;
            }
            piece = heartbeat;
        }
        stream->heard_at = now;
        given.push_back(
            {.writer = std::move(*stream->writer), .bytes = std::move(piece), .last = ends});
        stream->writer.reset();
    }
}

}  // namespace merpati::api
