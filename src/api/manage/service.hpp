// Serves the management API over HTTP.
#pragma once

#include <memory>

#include "api/manage/manage.hpp"
#include "http/router.hpp"

namespace merpati::api::manage {

/// Operation: handlers copy the request and return; threads of the service's own call Manage,
/// because its calls wait for the store and an I/O thread must not.
///
/// Threads: two, so that a long backup does not hold up the revocation of a key.
///
/// Limits: 64 calls waiting; more are answered 503.
class Service {
public:
    explicit Service(Manage& manage);
    ~Service();

    /// Adds everything under /manage/v1/ to the router of the management socket. Before the
    /// server starts; the service must outlive the router's use.
    void add_to(http::Router& router);

    void start();

    /// Finishes the calls under way, answers waiting ones 503, joins the threads. Idempotent.
    void stop();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::api::manage
