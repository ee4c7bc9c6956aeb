// Serves the catalogue over HTTP.
#pragma once

#include <memory>

#include "admission/principal.hpp"
#include "api/manage/manage.hpp"
#include "api/operation.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::api::manage {

/// Operation: `take` copies the request and returns; threads of the service's own call Manage,
/// because its calls wait for the store and an I/O thread must not. The pieces of a streamed answer
/// are made there too, each when the client has taken the one before.
///
/// Threads: three for calls that are answered at once, three for those that are long (a backup, an
/// export), three for those that hash a password, and four for those that wait for a host that
/// somebody has named (a test of a callback), so that none of these holds up the revocation of a
/// key, or one another. Accounts share them (Workers): one thread each at a time, in turn; one is
/// always the local operator's.
///
/// Limits: 16 calls of an account waiting, more are answered 429; 512 of the network and 64 of the
/// local operator, more are answered 503. 4 exports of an account at a time. An export that the
/// store fails is cut off.
class Service {
public:
    Service(Manage& manage, AppAddress app);
    ~Service();

    void take(const Operation& operation, const http::Request& request,
              admission::Principal principal, http::Responder responder);

    void start();

    /// Finishes the calls under way, answers waiting ones 503, joins the threads. Idempotent.
    void stop();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::api::manage
