#include "media/media_fetcher.hpp"

#include <optional>

#include "media/media_cache.hpp"
#include "media/prober.hpp"
#include "model/texts.hpp"
#include "outbound/ares_resolver.hpp"
#include "outbound/event_thread.hpp"

namespace merpati::media {
namespace {

/// Sets `pool_total` so that each request with a slot gets a connection, with as many idle ones.
outbound::ClientOptions fitted(outbound::ClientOptions client, const FetcherOptions& options) {
    const auto slots = options.probes.limits.total_max + options.cache.limits.total_max;
    client.pool_total = 2 * slots;
    return client;
}

}  // namespace

class MediaFetcher::Impl {
public:
    Impl(const Clock& clock, const outbound::AddressPolicy& policy, outbound::ClientOptions client,
         FetcherOptions options)
        : clock_(clock),
          options_(std::move(options)),
          client_(clock, thread_.executor(), policy, resolver_,
                  fitted(std::move(client), options_)),
          redirects_(clock, policy, client_) {}

    Result<void> start() {
        if (auto ready = client_.ready(); !ready) {
            return ready;
        }
        auto sniffer = Sniffer::open();
        if (!sniffer) {
            return pass(sniffer);
        }
        const auto& cache = options_.cache;
        auto storage = CacheStorage::open(clock_, {.folder = cache.folder,
                                                   .kept_bytes_max = cache.kept_bytes_max,
                                                   .kept_for = cache.kept_for,
                                                   .files_max = cache.urls_max,
                                                   .group_reads = cache.group_reads});
        if (!storage) {
            return pass(storage);
        }
        sniffer_.emplace(std::move(*sniffer));
        suspects_.emplace(options_.under_way_file,
                          options_.probes.limits.total_max + cache.limits.total_max,
                          clock_.steady_now(), options_.on_file_error);
        const RequestTools tools{clock_, redirects_, *sniffer_, *suspects_};
        prober_.emplace(thread_.executor(), tools, options_.probes);
        cache_.emplace(thread_.executor(), tools, std::move(*storage), cache);
        thread_.start();
        return {};
    }

    void stop() {
        thread_.stop([this] {
            cache_->close();
            prober_->close();
            suspects_->clear();
            client_.close();
        });
    }

    void probe(model::AccountId account, std::string url, model::Revision revision,
               ProbeDone done) {
        auto shared = std::make_shared<ProbeDone>(std::move(done));
        const bool given = thread_.post([this, account, url = std::move(url), revision, shared] {
            prober_->probe(account, url, revision, std::move(*shared));
        });
        if (!given) {
            (*shared)(ProbeVerdict::undecided);
        }
    }

    void fetch(const model::Message& message, FetchDone done) {
        auto shared = std::make_shared<FetchDone>(std::move(done));
        const bool given = thread_.post(
            [this, account = message.account, url = message.media_url, revision = message.revision,
             shared] { cache_->fetch(account, url, revision, std::move(*shared)); });
        if (!given) {
            (*shared)(std::unexpected(
                model::Outcome{.kind = model::Outcome::Kind::retry,
                               .details = std::string{model::details::fetcher_closing}}));
        }
    }

    void make_file(model::AccountId account, std::uint64_t bytes_max, FileMade done) {
        auto shared = std::make_shared<FileMade>(std::move(done));
        const bool given = thread_.post([this, account, bytes_max, shared] {
            cache_->make_file(account, bytes_max, std::move(*shared));
        });
        if (!given) {
            (*shared)(fail(ErrorCode::shutting_down, "the server is stopping"));
        }
    }

    [[nodiscard]] ProbeCounts probe_counts() const {
        return prober_ ? prober_->counts() : ProbeCounts{};
    }
    [[nodiscard]] CacheCounts cache_counts() const {
        return cache_ ? cache_->counts() : CacheCounts{};
    }

private:
    const Clock& clock_;
    const FetcherOptions options_;
    outbound::EventThread thread_{"media"};
    outbound::AresResolver resolver_{thread_.executor()};
    outbound::Client client_;
    RedirectFollower redirects_;
    std::optional<Sniffer> sniffer_;
    std::optional<SuspectHosts> suspects_;
    std::optional<Prober> prober_;
    std::optional<MediaCache> cache_;
};

MediaFetcher::MediaFetcher(const Clock& clock, const outbound::AddressPolicy& policy,
                           outbound::ClientOptions client, FetcherOptions options)
    : impl_(std::make_unique<Impl>(clock, policy, std::move(client), std::move(options))) {}

MediaFetcher::~MediaFetcher() {
    stop();
}

Result<void> MediaFetcher::start() {
    return impl_->start();
}

void MediaFetcher::stop() {
    impl_->stop();
}

void MediaFetcher::probe(model::AccountId account, std::string url, model::Revision revision,
                         ProbeDone done) {
    impl_->probe(account, std::move(url), revision, std::move(done));
}

void MediaFetcher::fetch(const model::Message& message, FetchDone done) {
    impl_->fetch(message, std::move(done));
}

void MediaFetcher::make_file(model::AccountId account, std::uint64_t bytes_max, FileMade done) {
    impl_->make_file(account, bytes_max, std::move(done));
}

ProbeCounts MediaFetcher::probe_counts() const {
    return impl_->probe_counts();
}

CacheCounts MediaFetcher::cache_counts() const {
    return impl_->cache_counts();
}

}  // namespace merpati::media
