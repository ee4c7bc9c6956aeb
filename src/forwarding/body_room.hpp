// What bodies may take that are collected or kept.
#pragma once

#include <boost/container_hash/hash.hpp>

#include "base/shared_room.hpp"
#include "http/party.hpp"

namespace merpati::forwarding {

/// Bytes of bodies, shared among the callers that send them.
using BodyRoom = SharedRoom<http::Party, boost::hash<http::Party>>;

}  // namespace merpati::forwarding
