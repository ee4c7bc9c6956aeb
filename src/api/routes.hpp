// Which operations a door offers, and how a request comes to them.
#pragma once

#include <initializer_list>

#include "api/operation.hpp"
#include "http/router.hpp"

namespace merpati::api {

class DeviceAddnew;
class Authenticator;
class Callers;
class EventHub;
class Send;
struct Monitoring;
namespace manage {
class Service;
}

/// What carries the operations out. All of it must outlive the routers.
struct Rooms {
    const Authenticator& authenticator;
    const Callers& callers;
    Send& send;
    DeviceAddnew& device_addnew;
    const Monitoring& monitoring;
    manage::Service& management;
    const admission::Directory& directory;
    EventHub& events;
};

/// Adds the operations of these scopes to a door's router, before its server starts. With
/// Scope::catalogue, whatever else lies under a resource of the catalogue is refused in its shape.
void add_routes(http::Router& router, std::initializer_list<Scope> scopes, const Rooms& rooms);

}  // namespace merpati::api
