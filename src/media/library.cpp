#include "media/library.hpp"

#include <optional>

#include "media/details.hpp"
#include "media/event_thread.hpp"
#include "media/library_core.hpp"
#include "outbound/ares_resolver.hpp"

namespace merpati::media {
namespace {

/// The limiter decides alone: each fetch that has a slot finds a connection.
outbound::ClientOptions fitted(outbound::ClientOptions client, const LibraryOptions& options) {
    // More than the limiter gives out: it alone decides, not the client's own shares.
    client.pool_per_origin = 2 * options.limits.total_max;
    client.pool_total = 2 * options.limits.total_max;
    return client;
}

}  // namespace

class Library::Impl {
public:
    Impl(const Clock& clock, const outbound::AddressPolicy& policy, outbound::ClientOptions client,
         LibraryOptions options)
        : clock_(clock),
          policy_(policy),
          options_(std::move(options)),
          client_(clock, thread_.executor(), policy, resolver_,
                  fitted(std::move(client), options_)) {}

    Result<void> start() {
        if (auto ready = client_.ready(); !ready) {
            return ready;
        }
        auto sniffer = Sniffer::open();
        if (!sniffer) {
            return pass(sniffer);
        }
        auto shelf = Shelf::open(clock_, {.folder = options_.folder,
                                          .kept_bytes_max = options_.kept_bytes_max,
                                          .kept_for = options_.kept_for,
                                          .files_max = options_.known_max});
        if (!shelf) {
            return pass(shelf);
        }
        core_.emplace(clock_, thread_.executor(), policy_, client_, std::move(*sniffer),
                      std::move(*shelf), options_);
        thread_.start();
        return {};
    }

    void stop() {
        thread_.stop([this] {
            core_->close();
            client_.close();
        });
    }

    void fetch(const model::Message& message, FetchDone done) {
        auto asked = std::make_shared<FetchDone>(std::move(done));
        EventThread::Work work = [this, account = message.account, url = message.media_url,
                                  revision = message.revision, asked] {
            core_->fetch(account, url, revision, std::move(*asked));
        };
        if (!thread_.give(work)) {
            (*asked)(std::unexpected(model::Outcome{.kind = model::Outcome::Kind::retry,
                                                    .details = std::string{details::closing}}));
        }
    }

    [[nodiscard]] LibraryCounts counts() const noexcept {
        return core_ ? core_->counts() : LibraryCounts{};
    }

private:
    const Clock& clock_;
    const outbound::AddressPolicy& policy_;
    const LibraryOptions options_;
    EventThread thread_{"media-fetch"};
    outbound::AresResolver resolver_{thread_.executor()};
    outbound::Client client_;
    std::optional<LibraryCore> core_;
};

Library::Library(const Clock& clock, const outbound::AddressPolicy& policy,
                 outbound::ClientOptions client, LibraryOptions options)
    : impl_(std::make_unique<Impl>(clock, policy, std::move(client), std::move(options))) {}

Library::~Library() {
    stop();
}

Result<void> Library::start() {
    return impl_->start();
}

void Library::stop() {
    impl_->stop();
}

void Library::fetch(const model::Message& message, FetchDone done) {
    impl_->fetch(message, std::move(done));
}

LibraryCounts Library::counts() const noexcept {
    return impl_->counts();
}

}  // namespace merpati::media
