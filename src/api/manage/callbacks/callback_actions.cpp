// Operations on an account's callbacks as a whole: replay of many, a test, the health of receivers.

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/manage/callbacks/callback_control.hpp"
#include "api/manage/callbacks/replay_rate.hpp"
#include "api/manage/engine/callback_url.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"

namespace merpati::api::manage::callbacks {
namespace {

using boost::json::value;
using model::CallbackState;

constexpr std::size_t replayed_at_once = 500;  // In one commit, which delays other commits.
constexpr std::size_t replayed_max = 10'000;   // By one call; exceeded by less than a page.
constexpr std::size_t recent_max = 500;        // Callbacks from which the success rate is counted.
constexpr std::size_t hosts_max = 100;         // Of waiting callbacks, and again of recent ones.
constexpr std::size_t waiting_max = 10'000;  // Waiting callbacks of a host are counted up to this,
constexpr std::size_t waiting_of_all_max = 100'000;  // and up to each host's share of this.

struct Replayed {
    std::size_t count = 0;
    bool has_more = false;
};

/// Replays the next page of callbacks that the filter finds. Errors: too_many_requests, those of
/// the store.
Result<Replayed> replay_page(const Context& context, const admission::Principal& principal,
                             store::CallbackFilter& filter) {
    const auto found =
        context.read([&](store::Reader& reader) { return reader.callbacks(filter); });
    if (!found) {
        return pass(found);
    }
    filter.before = found->next;
    if (found->records.empty()) {
        return Replayed{.has_more = found->next.has_value()};
    }
    if (auto taken = take_replays(context, principal, *filter.account, found->records.size());
        !taken) {
        return pass(taken);
    }
    std::size_t count = 0;
    const auto due = context.queue_clock.now();
    auto changed = context.change([&](store::Tables& tables) -> Result<void> {
        count = 0;
        for (const auto& queued : found->records) {
            const auto done = tables.replay_callback(queued.callback.id, due, context.clock.now());
            if (!done && done.error().code != ErrorCode::not_found &&
                done.error().code != ErrorCode::conflict) {
                return done;
            }
            count += done ? 1 : 0;
        }
        return {};
    });
    if (!changed) {
        return pass(changed);
    }
    std::vector<store::Endpoint> endpoints;
    for (const auto& queued : found->records) {
        const store::Endpoint one{queued.callback.account, queued.callback.origin_key};
        if (std::ranges::find(endpoints, one) == endpoints.end()) {
            endpoints.push_back(one);
            context.callbacks.wake(one);
        }
    }
    return Replayed{.count = count, .has_more = found->next.has_value()};
}

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

/// Replays callbacks in the state `state`, by default `exhausted` and `gone`. If there are more
/// than replayed_max, the next call replays the rest, because replayed ones are then `waiting`.
Result<value> replay_many(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto account = fields.text("account", 32);
    store::CallbackFilter filter{.limit = replayed_at_once};
    filter.since = fields.time("since");
    filter.until = fields.time("until");
    const auto state =
        fields.word("state", model::parse_callback_state, "exhausted, gone or delivered");
    if (state == CallbackState::waiting) {
        fields.mistake("state", "must be exhausted, gone or delivered");
    }
    if (!filter.since && !filter.until && !state) {
        fields.mistake("since", "must be given, or `until`, or `state`: all are never replayed");
    }
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    filter.account = owner->id;
    filter.since = context.queue_time(filter.since);
    filter.until = context.queue_time(filter.until);
    const auto states =
        state ? std::vector{*state} : std::vector{CallbackState::exhausted, CallbackState::gone};
    std::size_t replayed = 0;
    bool more = false;
    for (const auto one : states) {
        filter.state = one;
        filter.before.reset();
        while (!more) {
            const auto page = replay_page(context, call.principal, filter);
            if (!page && page.error().code == ErrorCode::too_many_requests && replayed > 0) {
                more = true;
                break;
            }
            if (!page) {
                return pass(page);
            }
            replayed += page->count;
            call.did["replayed"] = replayed;
            if (!page->has_more) {
                break;
            }
            more = replayed >= replayed_max;
        }
    }
    return value{{"replayed", replayed}, {"more", more}};
}

/// Posts a test callback, about a message that does not exist, to `url` or else to the account's
/// callback address.
Result<value> test(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto account = fields.text("account", 32);
    auto url = fields.text("url", url_bytes_max);
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    if (!url) {
        url = owner->callback_url;
    }
    if (url->empty()) {
        fields.mistake("url", "must be given: the account has no callback address");
    } else {
        check_callback_url(fields, "url", *url, context);
    }
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    const auto tested = context.callbacks.test(owner->id, *std::move(url));
    if (!tested) {
        return pass(tested);
    }
    call.did = {{"delivered", tested->error.empty()}};
    return value{{"delivered", tested->error.empty()},
                 {"status", number_or_null(tested->status)},
                 {"took_ms", tested->took ? value(tested->took->count()) : nullptr},
                 {"error", text_or_null(tested->error)},
                 {"answer", text_or_null(tested->answer)}};
}

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
