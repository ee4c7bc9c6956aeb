// An answer, and the handle through which it is given.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/body_source.hpp"

namespace merpati::http {

struct Reply {
    std::uint16_t status = 200;
    std::string body{};
    /// Sent instead of `body` where it is not empty: text that is the same for all and lives
    /// as long as the program. It is not copied, however many clients read it, however slowly.
    std::string_view static_body{};
    std::string_view content_type = "application/json";  // Static text.
    /// Further header lines, each already "Name: value\r\n". Kept as one string, because building
    /// a list of pairs costs more than the whole answer.
    std::string headers{};
    bool close = false;
    /// Sent instead of both, as it is made: with chunks, or to the end of the connection where
    /// the client speaks HTTP/1.0.
    std::unique_ptr<BodySource> source{};

    [[nodiscard]] std::string_view content() const noexcept {
        return static_body.empty() ? std::string_view{body} : static_body;
    }

    /// Adds one header line. CR and LF in the value are invariant violations.
    void add_header(std::string_view name, std::string_view value);
};

/// Where a Responder's reply goes. Implemented by the connection.
class ReplySink {
public:
    virtual ~ReplySink() = default;
    virtual void deliver(Reply&& reply) = 0;

    /// The Responder was destroyed unused. The server's connection answers its refusal for 500;
    /// by default an empty 500 is delivered.
    virtual void abandon();
};

/// The right to answer one request, once.
///
/// Operation: a handler may call `send` before it returns, or keep the Responder and call `send`
/// later from any thread. One that is destroyed unused answers 500, so that no request hangs. A
/// client that hung up meanwhile is not an error: the reply is dropped.
///
/// Cost: `send` from another thread puts the reply into the I/O thread's queue and wakes the
/// thread only if the queue was empty, so a batch of answers costs one wake-up.
class Responder {
public:
    explicit Responder(std::shared_ptr<ReplySink> sink) noexcept : sink_(std::move(sink)) {}
    Responder(Responder&&) noexcept = default;
    Responder& operator=(Responder&& other) noexcept;
    Responder(const Responder&) = delete;
    Responder& operator=(const Responder&) = delete;
    ~Responder();

    /// Once. A second call is an invariant violation.
    void send(Reply reply);

private:
    std::shared_ptr<ReplySink> sink_;
};

}  // namespace merpati::http
