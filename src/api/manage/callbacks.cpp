// Callbacks: what was told to whom, and telling it again.
#include <array>

#include <fmt/format.h>

#include "api/manage/lookup.hpp"
#include "api/manage/route.hpp"
#include "api/manage/views.hpp"

namespace merpati::api::manage {
namespace {

using boost::json::value;

constexpr std::int64_t page_max = 1'000;
constexpr std::int64_t page_default = 50;

Result<value> list(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto account = fields.text("account", 32);
    store::CallbackFilter filter;
    filter.state =
        fields.word("state", model::parse_callback_state, "waiting, delivered, exhausted or gone");
    filter.message = fields.word("message", Uuid::parse, "a request id");
    filter.before = fields.word("before", Uuid::parse, "a callback's id");
    filter.limit =
        static_cast<std::size_t>(fields.integer("limit", 1, page_max).value_or(page_default));
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    if (account) {
        const auto owner = find_account(context, *account);
        if (!owner) {
            return std::unexpected(owner.error());
        }
        filter.account = owner->id;
    }
    auto reader = context.store.open_reader();
    if (!reader) {
        return pass(reader);
    }
    auto callbacks = (*reader)->callbacks(filter);
    if (!callbacks) {
        return pass(callbacks);
    }
    boost::json::array items;
    for (const auto& callback : *callbacks) {
        items.push_back(view(callback));
    }
    const bool whole = callbacks->size() < filter.limit;
    return page(std::move(items),
                whole ? value(nullptr) : value(callbacks->back().callback.id.text()));
}

Result<store::QueuedCallback> find_callback(const Context& context, std::string_view id) {
    if (const auto parsed = Uuid::parse(id)) {
        auto reader = context.store.open_reader();
        if (!reader) {
            return pass(reader);
        }
        auto found = (*reader)->callback(*parsed);
        if (!found) {
            return pass(found);
        }
        if (*found) {
            return **std::move(found);
        }
    }
    return fail(ErrorCode::not_found,
                fmt::format("there is no callback {}: see `merpati callback list`", id));
}

Result<value> show(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto found = find_callback(context, call.id);
    if (!found) {
        return std::unexpected(found.error());
    }
    return view(*found);
}

Result<value> replay(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto found = find_callback(context, call.id);
    if (!found) {
        return std::unexpected(found.error());
    }
    if (found->progress.state == model::CallbackState::waiting) {
        return fail(ErrorCode::conflict,
                    fmt::format("callback {} is not through with its attempts; the next one is due "
                                "at {}",
                                call.id, to_rfc3339(found->progress.due_at)));
    }
    const auto now = context.clock.now();
    auto replayed = context.change(
        [&](store::Tables& tables) { return tables.replay_callback(found->callback.id, now); });
    if (!replayed) {
        return pass(replayed);
    }
    context.callbacks.wake(found->callback.origin_key);
    auto shown = find_callback(context, call.id);
    if (!shown) {
        return pass(shown);
    }
    return view(*shown);
}

using http::Method;

constexpr std::array routes{
    Route{Method::get, "/callbacks", Turn::shared, list},
    Route{Method::get, "/callbacks/{}", Turn::shared, show},
    Route{Method::post, "/callbacks/{}/replay", Turn::exclusive, replay},
};

}  // namespace

std::span<const Route> callback_routes() {
    return routes;
}

}  // namespace merpati::api::manage
