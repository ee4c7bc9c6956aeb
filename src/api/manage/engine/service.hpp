// Serves the catalogue over HTTP.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "admission/principal.hpp"
#include "api/manage/engine/manage.hpp"
#include "api/operation.hpp"
#include "http/body_receiver.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::api::manage {

/// Operation: `take` copies the request and returns. The service's own threads call Manage, because
/// its calls block on the store and an I/O thread must not block. The same threads produce the
/// pieces of a streamed answer, each after the client has taken the one before. A call that gets
/// its thread has the rights that its caller has then; pieces and late answers are only given while
/// the caller has the rights with which the call began (CallerRights).
///
/// A client that hangs up while its call waits for a thread is not answered: the call is dropped,
/// unless it is a change.
///
/// Threads: a pool (CallThreads) for each Pool of operations, so that slow calls do not delay short
/// ones, such as the revocation of a key: four threads for tests of callbacks, as many for uploads
/// as OpenUploads lets in, three for each of the others. In each pool, an account has at most one
/// thread at a time, accounts are served in turn, and one thread is reserved for the local
/// operator.
///
/// Limits, in each pool: 16 waiting calls of an account, more are answered 429; 512 waiting calls
/// of the network and 64 of the local operator, more are answered 503. An account that waits for
/// nothing finds a place as CallThreads says. An account has at most 4 open exports. Uploads do not
/// wait: one that finds no place among OpenUploads is answered 429 or 503, and its body is not
/// read.
///
/// Errors: an export is cut off when it fails, which Manage::report tells, or when its caller's
/// rights have changed.
class Service {
public:
    /// Called with what a proxy gave as a client's address, if it cannot be read. May be empty.
    using OnUnreadable = std::function<void(std::string_view)>;

    Service(Manage& manage, AppAddress app, OnUnreadable on_unreadable = {});
    ~Service();

    void take(const Operation& operation, const http::Request& request,
              admission::Principal principal, http::Responder responder);

    /// The same for an upload. Null: it is refused, and answered. `hold`: as of
    /// http::UploadHandler.
    [[nodiscard]] std::unique_ptr<http::BodyReceiver> take_upload(const Operation& operation,
                                                                  const http::Request& request,
                                                                  admission::Principal principal,
                                                                  http::Responder responder,
                                                                  http::PieceHold hold);

    void start();

    /// Breaks uploads off. Finishes the calls that run, answers waiting ones 503, joins the
    /// threads. Idempotent.
    void stop();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::api::manage
