// GET /v1/events: what happens in an account, as it happens.
#pragma once

#include "admission/principal.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::api {

struct Rooms;

/// Answers a stream of EventHub's events of `account` (or of the caller's only one), after the one
/// that `Last-Event-ID` names. It ends when the caller may not read messages there any more. 429
/// where there are too many.
void watch(const Rooms& rooms, const http::Request& request, admission::Principal principal,
           http::Responder responder);

}  // namespace merpati::api
