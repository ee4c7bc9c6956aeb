// The hosts that receive an account's callbacks: what waits for each, and how it answers.
#include <algorithm>
#include <map>
#include <string>

#include "api/manage/callbacks/callback_control.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"

namespace merpati::api::manage::callbacks {
namespace {

using boost::json::value;
using model::CallbackState;

constexpr std::size_t recent_max = 500;      // Callbacks from which the success rate is counted.
constexpr std::size_t hosts_max = 100;       // Of waiting callbacks, and again of recent ones.
constexpr std::size_t waiting_max = 10'000;  // Waiting callbacks of a host are counted up to this,
constexpr std::size_t waiting_of_all_max = 100'000;  // and up to each host's share of this.

/// The state of one origin.
struct Host {
    std::string origin;
    std::size_t waiting = 0;
    bool waiting_more = false;  // More wait than were counted.
    std::size_t attempted = 0;  // Of the recent callbacks.
    std::size_t delivered = 0;
    std::string last_error;
    std::optional<Timestamp> next_attempt_at;
};
struct Hosts {
    std::map<std::int64_t, Host> by_key;
    bool more = false;  // There are others, beyond hosts_max.
};

std::string origin_of(const std::string& url) {
    const auto parsed = outbound::Url::parse(url);
    return parsed ? parsed->origin() : url;
}

Result<void> add_recent(store::ListReader& reader, model::AccountId account, Hosts& hosts) {
    const auto recent = reader.callbacks({.account = account, .limit = recent_max});
    if (!recent) {
        return pass(recent);
    }
    for (const auto& [callback, progress] : recent->records) {
        if (!hosts.by_key.contains(callback.origin_key) && hosts.by_key.size() >= hosts_max) {
            hosts.more = true;
            continue;
        }
        auto& host = hosts.by_key[callback.origin_key];
        if (host.origin.empty()) {
            host.origin = origin_of(callback.url);
        }
        host.attempted += progress.attempts > 0 ? 1 : 0;
        host.delivered += progress.state == CallbackState::delivered ? 1 : 0;
        if (host.last_error.empty()) {
            host.last_error = progress.last_error;
        }
    }
    return {};
}

Result<void> add_waiting(store::Reader& reader, model::AccountId account, Hosts& hosts) {
    auto origins = reader.callback_origins(account, std::nullopt, hosts_max + 1);
    if (!origins) {
        return pass(origins);
    }
    if (origins->size() > hosts_max) {
        hosts.more = true;
        origins->resize(hosts_max);
    }
    const auto counted_max =
        std::min(waiting_max, waiting_of_all_max / std::max<std::size_t>(origins->size(), 1));
    constexpr auto ever = from_unix_millis(253'402'300'799'999);  // The end of year 9999.
    for (const auto& summary : *origins) {
        const store::Endpoint endpoint{account, summary.origin_key};
        auto& host = hosts.by_key[summary.origin_key];
        host.next_attempt_at = summary.due_from;
        const auto count = reader.callbacks_waiting(endpoint, counted_max + 1);
        if (!count) {
            return pass(count);
        }
        host.waiting = std::min(*count, counted_max);
        host.waiting_more = *count > counted_max;
        const auto first =
            reader.load_callbacks(endpoint, ever, 1, [](const Uuid&) { return false; });
        if (!first) {
            return pass(first);
        }
        if (!first->empty()) {
            host.origin = origin_of(first->front().callback.url);
        }
    }
    return {};
}

value view_of(const Host& host, const callback::EndpointHealth* health) {
    const auto rate = static_cast<double>(host.delivered) /
                      static_cast<double>(std::max<std::size_t>(host.attempted, 1));
    return {{"origin", host.origin},
            {"waiting", host.waiting},
            {"waiting_more", host.waiting_more},
            {"recent", host.attempted},
            {"success_rate", host.attempted == 0 ? nullptr : value(rate)},
            {"last_error", text_or_null(host.last_error)},
            {"next_attempt_at", view(host.next_attempt_at)},
            {"breaker", health != nullptr && health->open ? "open" : "closed"},
            {"next_probe_at", view(health != nullptr ? health->probe_at : std::nullopt)},
            {"in_flight", health != nullptr ? health->in_flight : 0}};
}

}  // namespace

Result<value> hosts(const Context& context, Call& call) {
    const auto owner = take_own_account(context, call);
    if (!owner) {
        return pass(owner);
    }
    Hosts found;
    const auto read = context.read([&](store::Reader& reader) -> Result<void> {
        auto done = add_recent(reader, owner->id, found);
        return done ? add_waiting(reader, owner->id, found) : done;
    });
    if (!read) {
        return pass(read);
    }
    const auto health = context.callbacks.health(owner->id);
    boost::json::array items;
    for (const auto& [key, host] : found.by_key) {
        const auto known = std::ranges::find(health, key, &callback::EndpointHealth::origin_key);
        items.push_back(view_of(host, known == health.end() ? nullptr : &*known));
    }
    auto shown = page(std::move(items));
    shown["more"] = found.more;
    return shown;
}

}  // namespace merpati::api::manage::callbacks
