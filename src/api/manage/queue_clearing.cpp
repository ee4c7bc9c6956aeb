#include "api/manage/queue_clearing.hpp"

#include <unordered_set>

#include <fmt/format.h>

namespace merpati::api::manage {
namespace {

/// Clears the two lanes of a device, one after the other.
class Clearing {
public:
    Clearing(const Context& context, store::Reader& reader, model::PhoneNumber device,
             Timestamp until)
        : context_(context), reader_(reader), device_(device), until_(until) {}

    Result<Cleared> run() {
        for (const auto source : {model::Source::api, model::Source::campaign}) {
            for (;;) {
                const auto tried = step(source);
                if (!tried) {
                    auto error = tried.error();
                    error.detail += fmt::format(" ({} messages were cancelled)", cancelled_);
                    return std::unexpected(std::move(error));
                }
                if (*tried == 0) {
                    break;
                }
                if (cancelled_ >= cleared_max) {
                    return Cleared{.cancelled = cancelled_, .complete = false};
                }
            }
        }
        return Cleared{.cancelled = cancelled_, .complete = true};
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
        cancelled_ += *ended;
        return count;
    }

    const Context& context_;
    store::Reader& reader_;
    const model::PhoneNumber device_;
    const Timestamp until_;
    std::unordered_set<Uuid> tried_;
    std::size_t cancelled_ = 0;
};

}  // namespace

Result<Cleared> clear_queue(const Context& context, model::PhoneNumber device, Timestamp until) {
    return context.read(
        [&](store::Reader& reader) { return Clearing{context, reader, device, until}.run(); });
}

}  // namespace merpati::api::manage
