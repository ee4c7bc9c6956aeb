// A request in flight.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "outbound/client.hpp"
#include "outbound/connect_race.hpp"
#include "outbound/connection.hpp"
#include "outbound/response_reader.hpp"

namespace merpati::outbound {

/// The state that the client keeps of a request until it ends.
struct Transfer {
    Request request;
    ResponseHandler done;
    std::string bytes;  // The request, as it is sent.
    std::string origin;
    SteadyTime deadline;
    SteadyTime first_byte_by;
    SteadyTime window_ends;        // Over which Request::rate_min is measured.
    std::size_t window_bytes = 0;  // Received in it.
    std::shared_ptr<Connection> connection;
    std::optional<ResponseReader> reader;
    std::optional<Resolver::Ticket> look_up;  // In flight.
    std::shared_ptr<ConnectRace> race;        // In flight.
    bool acquired = false;                    // It is counted in the pool.
    bool reused = false;                      // The connection served an earlier request.
    bool received = false;                    // A byte of the response has arrived.
    bool ended = false;

    /// Records that `bytes_received` more of the response have arrived. The first ones begin the
    /// window of Request::rate_min; a head that suffices shortens the deadline.
    void record_received(std::size_t bytes_received, SteadyTime now);

    /// The head has arrived and suffices (Request::head_suffices): it cannot fail any more.
    [[nodiscard]] bool suffices() const;

    /// Whether one of its time limits has passed. At the end of a window in which enough arrived,
    /// begins the next one.
    [[nodiscard]] bool is_timed_out(SteadyTime now);
};

}  // namespace merpati::outbound
