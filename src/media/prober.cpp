#include "media/prober.hpp"

#include <optional>

#include "media/event_thread.hpp"
#include "media/prober_core.hpp"
#include "outbound/ares_resolver.hpp"

namespace merpati::media {
namespace {

/// The limiter decides alone: each probe that has a slot finds a connection.
outbound::ClientOptions fitted(outbound::ClientOptions client, const ProberOptions& options) {
    // More than the limiter gives out: it alone decides, not the client's own shares.
    client.pool_per_origin = 2 * options.limits.total_max;
    client.pool_total = 2 * options.limits.total_max;
    return client;
}

}  // namespace

class Prober::Impl {
public:
    Impl(const Clock& clock, const outbound::AddressPolicy& policy, outbound::ClientOptions client,
         ProberOptions options)
        : clock_(clock),
          policy_(policy),
          options_(options),
          client_(clock, thread_.executor(), policy, resolver_,
                  fitted(std::move(client), options)) {}

    Result<void> start() {
        if (auto ready = client_.ready(); !ready) {
            return ready;
        }
        auto sniffer = Sniffer::open();
        if (!sniffer) {
            return pass(sniffer);
        }
        core_.emplace(clock_, thread_.executor(), policy_, client_, std::move(*sniffer), options_);
        thread_.start();
        return {};
    }

    void stop() {
        thread_.stop([this] {
            client_.close();
            core_->close();
        });
    }

    void probe(model::AccountId account, std::string url, model::Revision revision,
               ProbeDone done) {
        auto asked = std::make_shared<ProbeDone>(std::move(done));
        EventThread::Work work = [this, account, url = std::move(url), revision, asked]() mutable {
            core_->probe(account, std::move(url), revision, std::move(*asked));
        };
        if (!thread_.give(work)) {
            (*asked)(ProbeVerdict::undecided);
        }
    }

    [[nodiscard]] ProberCounts counts() const noexcept {
        return core_ ? core_->counts() : ProberCounts{};
    }

private:
    const Clock& clock_;
    const outbound::AddressPolicy& policy_;
    const ProberOptions options_;
    EventThread thread_{"media-probe"};
    outbound::AresResolver resolver_{thread_.executor()};
    outbound::Client client_;
    std::optional<ProberCore> core_;
};

Prober::Prober(const Clock& clock, const outbound::AddressPolicy& policy,
               outbound::ClientOptions client, ProberOptions options)
    : impl_(std::make_unique<Impl>(clock, policy, std::move(client), options)) {}

Prober::~Prober() {
    stop();
}

Result<void> Prober::start() {
    return impl_->start();
}

void Prober::stop() {
    impl_->stop();
}

void Prober::probe(model::AccountId account, std::string url, model::Revision revision,
                   ProbeDone done) {
    impl_->probe(account, std::move(url), revision, std::move(done));
}

ProberCounts Prober::counts() const noexcept {
    return impl_->counts();
}

}  // namespace merpati::media
