// A body that is produced while it is sent, for long or endless answers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace merpati::http {

/// Where the pieces of a body go. Implemented by the connection.
class BodySink {
public:
    virtual ~BodySink() = default;
    virtual void take_piece(std::string&& bytes, bool last) = 0;
    virtual void cut_off() = 0;
};

/// The right to give the next piece of a body, once, from any thread. A writer that is destroyed
/// unused closes the connection, so that the client sees that the body is incomplete.
class BodyWriter {
public:
    /// Bounds the memory that a slow client holds.
    static constexpr std::size_t piece_max = 256UL * 1024;

    explicit BodyWriter(std::shared_ptr<BodySink> sink) noexcept : sink_(std::move(sink)) {}
    BodyWriter(BodyWriter&&) noexcept = default;
    BodyWriter& operator=(BodyWriter&&) = delete;
    ~BodyWriter();

    /// At most piece_max. The source is asked for the next piece once the socket has taken this
    /// one.
    void give(std::string bytes) { hand_over(std::move(bytes), false); }

    /// Gives the last bytes, if any, and ends the body.
    void finish(std::string bytes = {}) { hand_over(std::move(bytes), true); }

private:
    void hand_over(std::string&& bytes, bool last);

    std::shared_ptr<BodySink> sink_;
};

/// Produces a body. A Reply has it instead of a text.
///
/// Operation: `next` is called for the first piece once the socket has taken the head of the
/// answer, and for each further piece once the socket has taken the one before. A client therefore
/// holds one piece of memory, however slowly it reads. The deadlines of Limits close the connection
/// of a client that does not read.
///
/// The source is destroyed when the body has ended, when the client has gone or is too slow, and
/// when the server stops. A BodyWriter that is used afterwards does nothing. A client that hangs
/// up while a piece is awaited is noticed within about Limits::sweep_interval.
///
/// Threads: the connection's I/O thread calls `next` and destroys the source; neither may block.
///
/// Limits: BodyWriter::piece_max. No deadline for the next piece.
class BodySource {
public:
    virtual ~BodySource() = default;
    virtual void next(BodyWriter writer) = 0;
};

}  // namespace merpati::http
