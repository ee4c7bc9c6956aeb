// Which operations a door offers, and how a request comes to them.
#pragma once

#include <initializer_list>

#include "api/operation.hpp"
#include "http/router.hpp"

namespace merpati::api {

class DeviceAddnew;
class Authenticator;
class Send;
struct Monitoring;
namespace manage {
class Service;
}

/// What carries the operations out. All of it must outlive the routers.
struct Rooms {
    const Authenticator& authenticator;
    Send& send;
    DeviceAddnew& device_addnew;
    const Monitoring& monitoring;
    manage::Service& management;
};

/// Adds the operations of these scopes to a door's router, before its server starts. With
/// Scope::management, which is for the management socket alone, whatever else lies under
/// /manage/v1/ is refused in the shape of that API.
void add_routes(http::Router& router, std::initializer_list<Scope> scopes, const Rooms& rooms);

}  // namespace merpati::api
