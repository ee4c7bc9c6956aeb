#include "api/manage/engine/service.hpp"

#include <array>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/manage/engine/call_threads.hpp"
#include "api/manage/engine/open_uploads.hpp"
#include "base/number.hpp"
#include "callback/sender.hpp"

namespace merpati::api::manage {
namespace {

/// Counts the open exports of each share. An export is open until its client has read it.
class OpenExports {
public:
    static constexpr std::size_t each_max = 4;
    static constexpr std::size_t local_max = 64;

    /// Released when its last copy is destroyed. Null: the share has its maximum already.
    using Place = std::shared_ptr<void>;
    [[nodiscard]] Place take(Share share) {
        const std::lock_guard lock{counts_->mutex};
        auto& count = counts_->of[share];
        if (count >= (share.kind == Share::Kind::local ? local_max : each_max)) {
            return nullptr;
        }
        ++count;
        return {counts_.get(), [counts = counts_, share](void*) {
                    const std::lock_guard lock{counts->mutex};
                    if (--counts->of[share] == 0) {
                        counts->of.erase(share);
                    }
                }};
    }

private:
    struct Counts {
        std::mutex mutex;
        std::map<Share, std::size_t> of;
    };
    // Shared, because answers may outlive the service.
    std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

/// The body of a streamed answer.
class LineSource final : public http::BodySource {
public:
    /// `may_go_on` is called when a piece gets its thread; false cuts the answer off. `on_fault` is
    /// called with the error that cuts it off: the client, who has the status 200, is not told.
    LineSource(CallThreads& threads, Share share, std::unique_ptr<Lines> lines,
               OpenExports::Place place, std::function<bool()> may_go_on,
               std::function<void(const Error&)> on_fault)
        : threads_(threads),
          share_(share),
          progress_(std::make_shared<Progress>(std::move(lines), std::move(may_go_on),
                                               std::move(on_fault))),
          place_(std::move(place)) {}

    void next(http::BodyWriter writer) override { go_on(threads_, share_, progress_, writer); }

private:
    struct Progress {
        std::unique_ptr<Lines> lines;
        std::function<bool()> may_go_on;
        std::function<void(const Error&)> on_fault;
        std::string unwritten{};  // The rest of a piece that was larger than piece_max.
        bool is_last = false;
    };

    /// When the client has gone, the lines are destroyed and a waiting job does nothing. A writer
    /// that is destroyed unused cuts the answer off.
    static void go_on(CallThreads& threads, Share share, const std::shared_ptr<Progress>& asked,
                      http::BodyWriter& writer) {
        (void)threads.go_on(share, [&threads, share, waiting = std::weak_ptr{asked},
                                    writer = std::move(writer)](bool proceed) mutable {
            const auto progress = waiting.lock();
            if (proceed && progress && progress->may_go_on() && !write(*progress, writer)) {
                go_on(threads, share, progress, writer);
            }
        });
    }

    static Result<Lines::Piece> next_of(Lines& lines) {
        try {
            return lines.next();
        } catch (const std::exception& exception) {
            return fail(ErrorCode::io_failed, exception.what());
        }
    }

    /// False: nothing was found so far. The search goes on after other calls had their turn.
    static bool write(Progress& progress, http::BodyWriter& writer) {
        auto& bytes = progress.unwritten;
        if (bytes.empty() && !progress.is_last) {
            auto more = next_of(*progress.lines);
            if (!more) {
                progress.on_fault(more.error());
                return true;
            }
            bytes = std::move(more->text);
            progress.is_last = more->is_last;
            if (bytes.empty() && !progress.is_last) {
                return false;
            }
        }
        if (bytes.empty()) {
            writer.finish();
            return true;
        }
        auto rest = bytes.size() > http::BodyWriter::piece_max
                        ? bytes.substr(http::BodyWriter::piece_max)
                        : std::string{};
        bytes.resize(bytes.size() - rest.size());
        writer.give(std::exchange(bytes, std::move(rest)));
        return true;
    }

    CallThreads& threads_;
    const Share share_;
    std::shared_ptr<Progress> progress_;
    OpenExports::Place place_;
};

}  // namespace

class Service::Impl {
    /// As many as tests of callbacks may be in flight: with more threads some tests would be
    /// refused as busy instead of waiting for their turn.
    static constexpr std::size_t testing_threads = callback::Sender::tests_max;

public:
    Impl(Manage& manage, AppAddress app, OnUnreadable on_unreadable)
        : manage_(manage), app_(app), on_unreadable_(std::move(on_unreadable)) {}

    void take(const Operation& operation, const http::Request& request,
              admission::Principal principal, http::Responder responder) {
        const auto share = share_of(request, principal);
        OpenExports::Place place;
        if (operation.is_streamed()) {
            place = open_exports_.take(share);
            if (place == nullptr) {
                responder.send(reply_of(too_many_requests(), request));
                return;
            }
        }
        auto answer = std::make_shared<http::Responder>(std::move(responder));
        const auto put =
            pool(operation).put(share, [this, &operation, share, answer, place = std::move(place),
                                        principal = std::move(principal),
                                        asked = request_of(request)](bool proceed) mutable {
                if (may_be_dropped(operation) && answer->is_gone()) {
                    return;
                }
                if (proceed) {
                    carry_out(operation, asked, share, std::move(principal), std::move(place),
                              answer);
                } else {
                    answer->send(reply_of(busy(), asked.head.language));
                }
            });
        if (put != CallThreads::Put::taken) {
            answer->send(reply_of(
                put == CallThreads::Put::share_full ? too_many_requests() : busy(), request));
        }
    }

    std::unique_ptr<http::BodyReceiver> take_upload(const Operation& operation,
                                                    const http::Request& request,
                                                    admission::Principal principal,
                                                    http::Responder responder,
                                                    http::PieceHold hold) {
        auto asked = request_of(request);
        const auto length = request.header("Content-Length").and_then(parse_whole<std::uint64_t>);
        if (asked.head.content_type == json_type && length.value_or(0) > json_upload_max) {
            responder.send(reply_of(body_too_large(), request));
            return nullptr;
        }
        const auto share = share_of(request, principal);
        const auto body = std::make_shared<UploadBody>(std::move(hold));
        auto place = open_uploads_.take(share, body);
        if (!place) {
            responder.send(reply_of(std::move(place.error()), request));
            return nullptr;
        }
        auto answer = std::make_shared<http::Responder>(std::move(responder));
        const auto put =
            pool(operation).put(share, [this, &operation, answer, body, place = *std::move(place),
                                        principal = std::move(principal),
                                        asked = std::move(asked)](bool proceed) mutable {
                if (proceed) {
                    asked.upload = body.get();
                    carry_out_upload(operation, asked, principal, std::move(place), *answer);
                } else {
                    answer->send(reply_of(busy(), asked.head.language));
                }
            });
        if (put != CallThreads::Put::taken) {
            answer->send(reply_of(busy(), request));
            return nullptr;
        }
        return body->receiver();
    }

    void start() {
        for (auto& threads : pools_) {
            threads.on_fault = [this](const Error& fault) { manage_.report(fault); };
            threads.start();
        }
    }

    void stop() {
        open_uploads_.break_off();
        for (auto& threads : pools_) {
            threads.stop();
        }
    }

private:
    using Answer = std::shared_ptr<http::Responder>;

    /// Whether a waiting call is of no use once its client has hung up. Changes are carried out,
    /// because a client may not care for the answer.
    static bool may_be_dropped(const Operation& operation) {
        return operation.method == http::Method::get || operation.pool == Pool::testing ||
               (operation.pool == Pool::hashing && operation.scope == Scope::anyone);
    }

    CallThreads& pool(const Operation& operation) {
        return pools_[static_cast<std::size_t>(operation.pool)];
    }

    Share share_of(const http::Request& request, const admission::Principal& principal) const {
        if (const auto text = app_.unreadable(request); text && on_unreadable_) {
            on_unreadable_(*text);
        }
        const auto client = app_.client(request);
        return Share::of(principal, client, [&] { return manage_.has_sessions_from(client); });
    }

    Request request_of(const http::Request& request) const {
        return {.method = request.method,
                .path = std::string{request.path},
                .query = std::string{request.query},
                .body = std::string{request.body},
                .head = RequestHead::of(request, app_)};
    }

    /// Gives the place back before it answers, so that whoever reads the answer finds it free.
    void carry_out_upload(const Operation& operation, const Request& request,
                          const admission::Principal& principal, OpenUploads::Place place,
                          http::Responder& answer) {
        auto present = manage_.rights().renew(principal);
        auto outcome =
            present ? manage_.run(operation, request, *std::move(present)) : unauthenticated();
        place.reset();
        answer.send(reply_of(std::move(outcome), request.head.language));
    }

    void carry_out(const Operation& operation, const Request& request, Share share,
                   admission::Principal principal, OpenExports::Place place, const Answer& answer) {
        auto present = manage_.rights().renew(principal);
        if (!present) {  // Its rights ended while it waited.
            answer->send(reply_of(unauthenticated(), request.head.language));
            return;
        }
        principal = *std::move(present);
        auto outcome = manage_.run(operation, request, principal);
        if (outcome.later == nullptr) {
            answer->send(reply_to(std::move(outcome), request.head.language, share,
                                  std::move(principal), std::move(place)));
            return;
        }
        const auto later = std::move(outcome.later);
        later->begin([this, language = request.head.language, share,
                      principal = std::move(principal), place = std::move(place),
                      answer](Outcome late) mutable {
            const bool held = manage_.rights().are_held(principal);
            answer->send(held ? reply_to(std::move(late), language, share, std::move(principal),
                                         std::move(place))
                              : reply_of(rights_changed(), language));
        });
    }

    /// The reply keeps the place until the client has read it.
    http::Reply reply_to(Outcome outcome, Language language, Share share,
                         admission::Principal principal, OpenExports::Place place) {
        std::unique_ptr<http::BodySource> source;
        if (outcome.lines != nullptr) {
            source = std::make_unique<LineSource>(
                pools_[static_cast<std::size_t>(Pool::lengthy)], share, std::move(outcome.lines),
                std::move(place),
                [this, principal = std::move(principal)] {
                    return manage_.rights().are_held(principal);
                },
                [this](const Error& fault) { manage_.report(fault); });
        }
        auto reply = reply_of(std::move(outcome), language);
        reply.source = std::move(source);
        return reply;
    }

    Manage& manage_;
    OpenExports open_exports_;
    const SystemClock clock_;
    OpenUploads open_uploads_{clock_};
    const AppAddress app_;
    const OnUnreadable on_unreadable_;
    std::array<CallThreads, 8> pools_{
        CallThreads{"manage"},                                   // Pool::brief
        CallThreads{"manage-long", CallThreads::Work::lengthy},  // Pool::lengthy
        CallThreads{"manage-hash", CallThreads::Work::lengthy},
        CallThreads{"manage-retry"},
        CallThreads{"manage-test", testing_threads},
        CallThreads{"manage-upload", CallThreads::Work::lengthy, OpenUploads::threads_count},
        CallThreads{"manage-ask"},
        CallThreads{"manage-stop"},
    };
};

Service::Service(Manage& manage, AppAddress app, OnUnreadable on_unreadable)
    : impl_(std::make_unique<Impl>(manage, app, std::move(on_unreadable))) {}
Service::~Service() = default;

void Service::take(const Operation& operation, const http::Request& request,
                   admission::Principal principal, http::Responder responder) {
    impl_->take(operation, request, std::move(principal), std::move(responder));
}

std::unique_ptr<http::BodyReceiver> Service::take_upload(const Operation& operation,
                                                         const http::Request& request,
                                                         admission::Principal principal,
                                                         http::Responder responder,
                                                         http::PieceHold hold) {
    return impl_->take_upload(operation, request, std::move(principal), std::move(responder),
                              std::move(hold));
}

void Service::start() {
    impl_->start();
}

void Service::stop() {
    impl_->stop();
}

}  // namespace merpati::api::manage
