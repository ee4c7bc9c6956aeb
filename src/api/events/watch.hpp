// GET /v1/events: a stream of an account's events.
#pragma once

#include "admission/principal.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::api {

struct Rooms;

/// Answers with EventHub's stream for `account` (or the caller's only one), after the event with
/// the id in `Last-Event-ID`. The stream ends when the caller may no longer read messages there.
/// Errors: 400, 403, 404; 429 if there are too many streams.
void watch(const Rooms& rooms, const http::Request& request, admission::Principal principal,
           http::Responder responder);

}  // namespace merpati::api
