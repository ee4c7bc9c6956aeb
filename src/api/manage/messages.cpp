// Messages: what waits, what became of the rest, and the operator's say in it.

#include <memory>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "api/manage/handlers.hpp"
#include "api/manage/listing.hpp"
#include "api/manage/lookup.hpp"
#include "api/manage/views.hpp"
#include "api/manage/waits.hpp"

namespace merpati::api::manage::messages {
namespace {

using boost::json::value;
constexpr std::string_view states =
    "pending, sending, handed_over, sent, failed, cancelled or held";

Result<value> show_again(const Context& context, const Call& call) {
    const auto record = find_message(context, call, call.id);
    if (!record) {
        return pass(record);
    }
    return view(*record, call.principal);
}

/// The message that it sends again, and the one that sends it again.
void add_links(boost::json::object& shown, const store::MessageTrail& trail) {
    shown["retry_of"] = nullptr;
    shown["retried_as"] = nullptr;
    for (const auto& event : trail.events) {
        if (event.step == model::MessageStep::retry_of ||
            event.step == model::MessageStep::retried_as) {
            const auto word = model::to_string(event.step);
            shown[boost::json::string_view{word.data(), word.size()}] = event.details;
        }
    }
}

/// Newest first, page by page.
class AllMessages final : public Lines {
public:
    AllMessages(const Context& context, store::MessageFilter filter, admission::Principal viewer)
        : context_(context), filter_(filter), viewer_(std::move(viewer)) {}

    Result<std::string> next() override {
        std::string lines;
        while (lines.size() < bytes_enough) {
            if (place_ == page_.size()) {
                if (is_last_) {
                    break;
                }
                if (auto read = read_page(); !read) {
                    return pass(read);
                }
                continue;
            }
            lines += boost::json::serialize(view(page_[place_++], viewer_));
            lines += '\n';
        }
        return lines;
    }

private:
    static constexpr std::size_t bytes_enough = 64UL * 1024;
    static constexpr std::size_t page_size = 200;

    Result<void> read_page() {
        filter_.limit = page_size;
        auto read = context_.read([&](store::Reader& reader) { return reader.messages(filter_); });
        if (!read) {
            return pass(read);
        }
        page_ = std::move(*read);
        place_ = 0;
        is_last_ = page_.size() < page_size;
        if (!page_.empty()) {
            filter_.before = page_.back().message.id;
        }
        return {};
    }

    const Context& context_;
    store::MessageFilter filter_;
    const admission::Principal viewer_;
    std::vector<store::MessageRecord> page_;
    std::size_t place_ = 0;
    bool is_last_ = false;
};

}  // namespace

/// Every message, or every one of an account or in a state: what a list answers in pages.
Result<std::unique_ptr<Lines>> export_all(const Context& context, Call& call) {
    store::MessageFilter filter;
    filter.state = call.fields.word("state", model::parse_message_state, states);
    const auto account = call.fields.text("account", 32);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto owner = find_owner(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    filter.account = *owner;
    return std::make_unique<AllMessages>(context, filter, call.principal);
}

Result<value> list(const Context& context, Call& call) {
    auto& fields = call.fields;
    store::MessageFilter filter;
    filter.state = fields.word("state", model::parse_message_state, states);
    if (auto taken = take_page(context, call, "messages", filter); !taken) {
        return pass(taken);
    }
    auto found = context.read([&](store::Reader& reader) { return reader.messages(filter); });
    if (!found) {
        return pass(found);
    }
    return page_of(
        *found, filter.limit, "messages",
        [&](const store::MessageRecord& record) { return view(record, call.principal); },
        [](const store::MessageRecord& record) { return record.message.id; });
}

/// The text is shown only to whoever asks for it: `body=true`.
Result<value> show(const Context& context, Call& call) {
    const bool with_body = call.fields.boolean("body").value_or(false);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    auto reader = context.store.open_reader();
    if (!reader) {
        return pass(reader);
    }
    const auto record = find_message(**reader, call, call.id);
    if (!record) {
        return pass(record);
    }
    auto callbacks = (*reader)->callbacks({.message = record->message.id});
    if (!callbacks) {
        return pass(callbacks);
    }
    const auto trail = (*reader)->trail(record->message.id);
    if (!trail) {
        return pass(trail);
    }
    auto shown = view(*record, call.principal);
    shown["waits"] = waits_of(context, *record, *trail);
    add_links(shown, *trail);
    if (with_body) {
        shown["body"] = record->message.body;
    }
    auto& list = shown["callbacks"].emplace_array();
    for (const auto& callback : *callbacks) {
        list.push_back(view(callback));
    }
    return shown;
}

Result<value> cancel(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    auto record = find_message(context, call, call.id);
    if (!record) {
        return pass(record);
    }
    if (record->completion || record->state == model::MessageState::handed_over) {
        return fail(ErrorCode::conflict,
                    fmt::format("message {} is {}: only one that waits can be cancelled", call.id,
                                model::to_string(record->state)));
    }
    auto cancelled = context.messages.cancel(
        {.message = std::make_unique<model::Message>(std::move(record->message)),
         .queued_at = record->queued_at,
         .attempts = record->attempts,
         .intent_recorded = record->state == model::MessageState::sending});
    if (!cancelled) {
        return pass(cancelled);
    }
    return show_again(context, call);
}

/// Sends a held message after all; whoever does so accepts that it may arrive twice.
Result<value> release(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto record = find_message(context, call, call.id);
    if (!record) {
        return pass(record);
    }
    const auto now = context.queue_clock.now();
    auto released = context.change(
        [&](store::Tables& tables) { return tables.release_message(record->message.id, now); });
    if (!released && released.error().code == ErrorCode::refused) {
        return fail(
            ErrorCode::refused,
            fmt::format("device {} is not there any more, or is another account's: fail the "
                        "message, or add the device again",
                        record->message.device.text()));
    }
    if (!released) {
        return released.error().code == ErrorCode::conflict
                   ? fail(ErrorCode::conflict,
                          fmt::format("message {} is {}: only a held one can be released", call.id,
                                      model::to_string(record->state)))
                   : Result<value>{pass(released)};
    }
    context.messages.released(record->message, now);
    return show_again(context, call);
}

/// Ends a held message for good. Whoever does so knows that it has not arrived, or accepts that it
/// may have.
Result<value> give_up(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    auto record = find_message(context, call, call.id);
    if (!record) {
        return pass(record);
    }
    if (auto failed = context.messages.fail_held(std::move(record->message)); !failed) {
        return failed.error().code == ErrorCode::conflict
                   ? fail(ErrorCode::conflict,
                          fmt::format("message {} is {}: only a held one can be failed", call.id,
                                      model::to_string(record->state)))
                   : Result<value>{pass(failed)};
    }
    return show_again(context, call);
}

}  // namespace merpati::api::manage::messages
