// Adds operations to the router of a listener.
#pragma once

#include <initializer_list>

#include "admission/caller_rights.hpp"
#include "admission/ownership.hpp"
#include "api/operation.hpp"
#include "http/router.hpp"

namespace merpati::api {

class Bulk;
class DeviceAddnew;
class Authenticator;
class Callers;
class CloudWebhook;
class EventHub;
class OptOutPage;
class Send;
struct Monitoring;
namespace manage {
class Service;
}

/// The objects that carry out the operations. All must outlive the routers.
struct Rooms {
    const Authenticator& authenticator;
    const Callers& callers;
    Send& send;
    Bulk& bulk;
    DeviceAddnew& device_addnew;
    const Monitoring& monitoring;
    manage::Service& management;
    const admission::Directory& directory;
    const admission::CallerRights& rights;
    const admission::Ownership& ownership;
    EventHub& events;
    OptOutPage& opt_out_page;
    const CloudWebhook& cloud_webhook;
};

/// Has a part in the handlers of operations, for example to pass requests on.
class Gate {
public:
    virtual ~Gate() = default;
    [[nodiscard]] virtual http::Handler guard(const Operation& operation,
                                              http::Handler handler) = 0;
    [[nodiscard]] virtual http::UploadHandler guard(const Operation& operation,
                                                    http::UploadHandler handler) = 0;
};

/// Adds the operations of these scopes to a listener's router, before its server starts. With
/// Scope::catalogue, other paths and methods under a resource of the catalogue are refused with a
/// problem document, as the catalogue's own errors are. `gate` null: the handlers are the
/// operations' own. It must outlive the router.
void add_routes(http::Router& router, std::initializer_list<Scope> scopes, const Rooms& rooms,
                Gate* gate = nullptr);

}  // namespace merpati::api
