// A request in flight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "outbound/client.hpp"
#include "outbound/connect_race.hpp"
#include "outbound/connection.hpp"
#include "outbound/response_reader.hpp"

namespace merpati::outbound {

/// The state that the client keeps of a request until it ends.
struct Transfer {
    Request request;
    ResponseHandler done;
    std::string bytes;    // The serialised request, or the piece of its file that is being sent.
    FileDescriptor file;  // Of Request::file, open while the file is being sent.
    std::uint64_t file_left = 0;  // Bytes of it that are still to be read.
    bool file_done = false;       // `bytes` is what follows the file.
    std::string origin;
    SteadyTime deadline;
    SteadyTime first_byte_by;
    SteadyTime window_ends;        // Of the current window of Request::rate_min.
    std::size_t window_bytes = 0;  // Received in the window.
    std::shared_ptr<Connection> connection;
    std::optional<ResponseReader> reader;
    std::optional<Resolver::Ticket> look_up;  // In flight.
    std::shared_ptr<ConnectRace> race;        // In flight.
    bool acquired = false;                    // The pool counts it.
    bool reused = false;                      // The connection served an earlier request.
    bool written = false;                     // Bytes of the request may have left.
    bool received = false;                    // A byte of the response has arrived.
    bool ended = false;

    /// Records that `bytes_received` more bytes of the response have arrived. The first bytes begin
    /// the window of Request::rate_min; a head that suffices shortens the deadline.
    void record_received(std::size_t bytes_received, SteadyTime now);

    /// Serialises the request anew, as for another connection.
    void rewind();
    /// Puts the next piece of the request's file, or what follows the file, into `bytes`. False:
    /// all was put there before. Errors: io_failed (the file cannot be read, or is shorter).
    [[nodiscard]] Result<bool> next_piece();

    /// Whether the request may be sent once more, because its pooled connection was closed.
    [[nodiscard]] bool may_repeat() const {
        return reused && !received && (request.repeatable || !written);
    }

    /// Whether the head has arrived and suffices (Request::head_suffices), so that the request
    /// cannot fail any more.
    [[nodiscard]] bool suffices() const;

    /// Whether a time limit has passed. At the end of each window, begins the next one.
    [[nodiscard]] bool is_timed_out(SteadyTime now);
};

}  // namespace merpati::outbound
