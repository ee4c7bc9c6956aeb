#include "api/manage/devices/queue_clearing.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/manage/messages/message_control.hpp"

namespace merpati::api::manage {
namespace {

/// Clears the two lanes of a device, one after the other.
class Clearing {
public:
    Clearing(const Context& context, const admission::Principal& caller, model::PhoneNumber device,
             Timestamp until, Cleared& cleared)
        : context_(context), caller_(caller), device_(device), until_(until), cleared_(cleared) {}

    Result<void> run() {
        for (const auto source : {model::Source::api, model::Source::campaign}) {
            for (std::optional<store::LanePlace> place{std::in_place}; place;) {
                if (cleared_.cancelled >= cleared_max) {
                    return {};
                }
                if (const auto tried = step(source, place); !tried) {
                    auto error = tried.error();
                    error.detail +=
                        fmt::format(" ({} messages were cancelled)", cleared_.cancelled);
                    return std::unexpected(std::move(error));
                }
            }
        }
        cleared_.complete = true;
        return {};
    }

private:
    /// Cancels one batch, and moves the place behind it; empty: the lane has ended.
    Result<void> step(model::Source source, std::optional<store::LanePlace>& place) {
        if (!context_.rights.are_held(caller_)) {
            return fail(ErrorCode::forbidden, "what you may do has changed since the call began");
        }
        auto found = context_.read([&](store::Reader& reader) {
            return reader.walk_lane(device_, source, *place, until_, cleared_at_once);
        });
        if (!found) {
            return pass(found);
        }
        place = found->next;
        std::erase_if(found->messages, [](const auto& queued) { return queued.intent_recorded; });
        if (found->messages.empty()) {
            return {};
        }
        const auto ended = context_.messages.cancel_all(std::move(found->messages));
        if (!ended) {
            return pass(ended);
        }
        cleared_.cancelled += *ended;
        return {};
    }

    const Context& context_;
    const admission::Principal& caller_;
    const model::PhoneNumber device_;
    const Timestamp until_;
    Cleared& cleared_;
};

}  // namespace

Result<void> clear_queue(const Context& context, const admission::Principal& caller,
                         model::PhoneNumber device, Timestamp until, Cleared& cleared) {
    return Clearing{context, caller, device, until, cleared}.run();
}

}  // namespace merpati::api::manage
