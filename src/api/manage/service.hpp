// Serves the management API over HTTP.
#pragma once

#include <memory>

#include "api/manage/manage.hpp"
#include "api/operation.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::api::manage {

/// Operation: `take` copies the request and returns; threads of the service's own call Manage,
/// because its calls wait for the store and an I/O thread must not. The pieces of a streamed answer
/// are made there too, each when the client has taken the one before.
///
/// Threads: two for calls that are answered at once, and two for those that are long (a backup, an
/// export), so that neither holds up the revocation of a key.
///
/// Limits: 64 calls waiting for either pair; more are answered 503. An export that finds no place
/// for its next piece, or that the store fails, is cut off.
class Service {
public:
    explicit Service(Manage& manage);
    ~Service();

    void take(const Operation& operation, const http::Request& request, http::Responder responder);

    /// For paths and methods that no operation has.
    static void refuse(const http::Request& request, http::Responder responder);

    void start();

    /// Finishes the calls under way, answers waiting ones 503, joins the threads. Idempotent.
    void stop();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::api::manage
