// One request on its way.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "outbound/client.hpp"
#include "outbound/connect_race.hpp"
#include "outbound/connection.hpp"
#include "outbound/fair_queue.hpp"
#include "outbound/response_reader.hpp"

namespace merpati::outbound {

/// `connection` is its own from taking or opening it until the end.
struct Transfer {
    using Queue = FairQueue<std::shared_ptr<Transfer>>;

    Request request;
    ResponseHandler done;
    std::string bytes;
    std::string origin;
    SteadyTime deadline;
    SteadyTime first_byte_by;
    SteadyTime window_ends;        // Of Request::rate_min, once the answer has begun.
    std::size_t window_bytes = 0;  // Received in it.
    std::shared_ptr<Connection> connection;
    std::optional<ResponseReader> reader;
    std::optional<Resolver::Ticket> look_up;  // Under way.
    std::shared_ptr<ConnectRace> race;        // Under way.
    Queue* queue = nullptr;                   // Where it waits for a connection,
    Queue::Place place;                       // and its place there.
    bool waits = false;                       // Is counted among those that wait.
    bool counted = false;                     // Has a place in the pool.
    bool reused = false;                      // The connection served an earlier request.
    bool received = false;                    // A byte of an answer has come.
    bool ended = false;

    /// Notes that `bytes_taken` more of the answer have come; the first ones begin the window of
    /// Request::rate_min, and a head that suffices shortens what is left.
    void note_received(std::size_t bytes_taken, SteadyTime now);

    /// So much has come that nothing which follows makes it a failure (Request::head_suffices).
    [[nodiscard]] bool suffices() const;

    /// One of its limits of time has passed. Ends a window that was kept to and begins the next.
    [[nodiscard]] bool is_late(SteadyTime now);
};

}  // namespace merpati::outbound
