// Serves the catalogue over HTTP.
#pragma once

#include <memory>

#include "admission/principal.hpp"
#include "api/manage/manage.hpp"
#include "api/operation.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::api::manage {

/// Operation: `take` copies the request and returns. The service's own threads call Manage, because
/// its calls block on the store and an I/O thread must not block. The same threads produce the
/// pieces of a streamed answer, each after the client has taken the one before.
///
/// Threads: four pools (Workers), so that slow calls do not delay short ones, such as the
/// revocation of a key: three threads for short calls, three for long ones (a backup, an export),
/// three for those that hash a password, and four for those that wait for a host that the caller
/// has named (a test of a callback). In each pool, an account has at most one thread at a time,
/// accounts are served in turn, and one thread is reserved for the local operator.
///
/// Limits, in each pool: 16 waiting calls of an account, more are answered 429; 512 waiting calls
/// of the network and 64 of the local operator, more are answered 503. An account has at most 4
/// open exports.
///
/// Errors: an export is cut off when it fails, which Manage::report tells, or when its caller's
/// rights have changed.
class Service {
public:
    Service(Manage& manage, AppAddress app);
    ~Service();

    void take(const Operation& operation, const http::Request& request,
              admission::Principal principal, http::Responder responder);

    void start();

    /// Finishes the calls that run, answers waiting ones 503, joins the threads. Idempotent.
    void stop();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::api::manage
