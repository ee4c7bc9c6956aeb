// An answer, and the handle that sends it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.hpp"
#include "http/body_source.hpp"

namespace merpati::http {

/// Takes the socket of a connection that speaks another protocol from now on. Called on the I/O
/// thread; must not block.
using Upgrade = std::move_only_function<void(FileDescriptor socket)>;

struct Reply {
    std::uint16_t status = 200;
    std::string body{};
    /// If not empty, sent instead of `body`. Must live as long as the server: it is not copied,
    /// however many clients read it.
    std::string_view static_body{};
    std::string_view content_type = "application/json";  // Static text.
    /// Further header lines, each "Name: value\r\n". One string, because building a list of pairs
    /// costs more than the whole answer.
    std::string headers{};
    bool close = false;  // Close the connection after the answer.
    /// If set, sent instead of both bodies: in chunks, or, to an HTTP/1.0 client, up to the end of
    /// the connection. Not with a status that carries no body.
    std::unique_ptr<BodySource> source{};
    /// If set, called once the answer is sent, and the connection is no longer the server's. Not
    /// called if the connection ends before, or its client sends anything before the answer. With
    /// status 101 only, and not with TLS (RFC 9110 section 7.8).
    Upgrade upgrade{};

    [[nodiscard]] std::string_view content() const noexcept {
        return static_body.empty() ? std::string_view{body} : static_body;
    }

    /// Adds one header line. CR, LF or NUL in it is an invariant violation.
    void add_header(std::string_view name, std::string_view value);

    /// The value of the first added header of this name, in the same case.
    [[nodiscard]] std::optional<std::string_view> added_header(
        std::string_view name) const noexcept;
};

/// Takes a Responder's reply. Implemented by the connection.
class ReplySink {
public:
    virtual ~ReplySink() = default;
    virtual void deliver(Reply&& reply) = 0;

    /// Called when the Responder was destroyed unused. By default delivers an empty 500; the
    /// connection answers with its refusal for 500.
    virtual void abandon();

    /// See Responder::is_gone.
    [[nodiscard]] virtual bool is_gone() const noexcept { return false; }
};

/// The right to answer one request, once.
///
/// Operation: a handler may call `send` before it returns, or keep the Responder and call `send`
/// later from any thread. A Responder that is destroyed unused answers 500, so that no request
/// hangs. If the client has closed the connection, the reply is dropped. A client that hangs up, or
/// ends its sending direction, while it waits is noticed within about Limits::sweep_interval.
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

    /// A second call is an invariant violation.
    void send(Reply reply);

    /// Whether the client has hung up, so that nobody reads the answer. Whoever keeps the Responder
    /// for long asks from time to time, and then destroys it with all that serves the answer only.
    /// Any thread.
    [[nodiscard]] bool is_gone() const noexcept { return sink_ == nullptr || sink_->is_gone(); }

private:
    std::shared_ptr<ReplySink> sink_;
};

}  // namespace merpati::http
