#include "api/manage/devices/queue_clearing.hpp"

#include <unordered_set>

#include <fmt/format.h>

namespace merpati::api::manage {
namespace {

/// Clears the two lanes of a device, one after the other.
class Clearing {
public:
    Clearing(const Context& context, store::Reader& reader, model::PhoneNumber device,
             Timestamp until, Cleared& cleared)
        : context_(context), reader_(reader), device_(device), until_(until), cleared_(cleared) {}

    Result<void> run() {
        for (const auto source : {model::Source::api, model::Source::campaign}) {
            for (;;) {
                const auto tried = step(source);
                if (!tried) {
                    auto error = tried.error();
                    error.detail +=
                        fmt::format(" ({} messages were cancelled)", cleared_.cancelled);
                    return std::unexpected(std::move(error));
                }
                if (*tried == 0) {
                    break;
                }
                if (cleared_.cancelled >= cleared_max) {
                    return {};
                }
            }
        }
        cleared_.complete = true;
        return {};
    }

private:
    /// Cancels one batch. Answers how many messages it has loaded; 0: there are no more.
    Result<std::size_t> step(model::Source source) {
        auto loaded = reader_.load_lane(
            device_, source, Timestamp::max(), cleared_at_once,
            [this](const Uuid& id) { return id.time() > until_ || tried_.contains(id); });
        if (!loaded) {
            return pass(loaded);
        }
        for (const auto& queued : *loaded) {
            tried_.insert(queued.message->id);
        }
        const auto count = loaded->size();
        std::erase_if(*loaded, [](const auto& queued) { return queued.intent_recorded; });
        if (loaded->empty()) {
            return count;
        }
        const auto ended = context_.messages.cancel_all(std::move(*loaded));
        if (!ended) {
            return pass(ended);
        }
        cleared_.cancelled += *ended;
        return count;
    }

    const Context& context_;
    store::Reader& reader_;
    const model::PhoneNumber device_;
    const Timestamp until_;
    Cleared& cleared_;
    std::unordered_set<Uuid> tried_;
};

}  // namespace

Result<void> clear_queue(const Context& context, model::PhoneNumber device, Timestamp until,
                         Cleared& cleared) {
    return context.read([&](store::Reader& reader) {
        return Clearing{context, reader, device, until, cleared}.run();
    });
}

}  // namespace merpati::api::manage
