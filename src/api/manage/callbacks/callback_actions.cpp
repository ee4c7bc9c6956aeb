// Operations on an account's callbacks as a whole: replay of many, and a test.

#include <algorithm>
#include <limits>
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

}  // namespace

/// Replays callbacks in the state `state`, by default `exhausted` and `gone`. If there are more
/// than replayed_max, the next call replays the rest, because replayed ones are then `waiting`.
Result<value> replay_many(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto account = fields.account();
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
    const auto account = fields.account();
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

}  // namespace merpati::api::manage::callbacks
