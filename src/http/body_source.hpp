// A body that is made while it is sent: for answers that are long, or have no end.
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

/// The right to give the next piece of a body, once, from any thread. Destroyed unused, it cuts the
/// body off: the connection is closed, so that the client sees that the body is not whole.
class BodyWriter {
public:
    /// More at a time would be memory that a slow client holds.
    static constexpr std::size_t piece_max = 256UL * 1024;

    explicit BodyWriter(std::shared_ptr<BodySink> sink) noexcept : sink_(std::move(sink)) {}
    BodyWriter(BodyWriter&&) noexcept = default;
    BodyWriter& operator=(BodyWriter&&) = delete;
    ~BodyWriter();

    /// The source is asked for more when the client has taken these bytes. At most piece_max.
    void give(std::string bytes) { hand_over(std::move(bytes), false); }

    /// The last bytes, if any: the body is whole.
    void finish(std::string bytes = {}) { hand_over(std::move(bytes), true); }

private:
    void hand_over(std::string&& bytes, bool last);

    std::shared_ptr<BodySink> sink_;
};

/// Makes a body. Goes with a Reply, instead of its text.
///
/// Operation: `next` is called for the first piece when the head of the answer has been taken by
/// the socket, and for each further piece when the one before it has. So a client holds one piece
/// of memory, however slowly it reads; one that does not read is closed by the deadlines of Limits.
///
/// The source is destroyed when the body has ended; or before, when the client has gone, was too
/// slow, or the server stops: then what is still being made is for nobody, and a BodyWriter that is
/// used all the same does nothing. A client that goes is noticed by the piece that it does not
/// take.
///
/// Threads: the connection's I/O thread calls `next` and destroys the source; neither may block.
class BodySource {
public:
    virtual ~BodySource() = default;
    virtual void next(BodyWriter writer) = 0;
};

}  // namespace merpati::http
