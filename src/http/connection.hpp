// One client's connection: bytes in, answers out, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/intrusive/list_hook.hpp>
#include <boost/system/error_code.hpp>

#include "base/clock.hpp"
#include "http/body_source.hpp"
#include "http/peer_address.hpp"
#include "http/peer_shares.hpp"
#include "http/reply.hpp"
#include "http/reply_queue.hpp"
#include "http/request_reader.hpp"
#include "http/router.hpp"
#include "http/stream.hpp"

namespace merpati::http {

class IoThread;

enum class Origin : std::uint8_t { network, local_socket };

/// A state machine. `serve` is its one loop: it does what the state asks for until something has to
/// be waited for (bytes, room in the socket, a handler's answer, a piece of a body). The end of
/// each wait enters it again, so pipelined requests do not nest.
///
///   reading              -> handling        a whole request is here
///   handling             -> answering       its handler has returned, and answers later
///   handling, answering  -> reading         the answer is in `out_`, and the connection is kept
///                        -> sending_body    so is its head, and there is a BodySource
///                        -> closing         it is the last answer
///   sending_body        <-> awaiting_piece  a piece is out; another has come
///   awaiting_piece       -> reading, closing  as after an answer: the last piece has come
///   reading              -> closing         the request is refused, or was too slow
///   closing              -> lingering       all is sent; the client may be sending on
///   any                  -> closed          the client went or was too slow, or the server stops
///
/// Answers gather in `out_` while further whole requests wait, and are sent together. An open
/// connection keeps itself alive; `close` ends that. Waits under way and a Responder or BodyWriter
/// keep the object, but not the socket.
///
/// Threads: the I/O thread's, but for what a ReplySink and a BodySink take.
///
/// Limits: one request at a time; at most `gather_max` bytes of answers wait before more requests
/// are taken, `anonymous_gather_max` where the last caller did not show who it is; one piece of a
/// body. What such a connection holds while it waits for its client counts in the thread's
/// PeerShares. An answer, or a piece, must be read at Limits::write_rate_min, and something of it
/// every `write_timeout`. Where we close and the client may be sending on (a refusal, a drain),
/// what it sends is read and forgotten for `linger_timeout`, because closing on unread bytes would
/// reset the connection and could cost the client its answer.
class Connection final : public ReplySink,
                         public BodySink,
                         public BodyLimiter,
                         public std::enable_shared_from_this<Connection>,
                         public PeerShares::Holding,
                         public boost::intrusive::list_base_hook<> {
public:
    Connection(IoThread& thread, Stream::Socket socket, SSL_CTX* tls, Origin origin,
               const PeerAddress& peer);

    /// Starts serving. To be called once.
    void open();

    /// Instead of `open`: answers 503 and closes.
    void open_overloaded();

    void deliver(Reply&& reply) override;
    void abandon() override;
    void take_piece(std::string&& bytes, bool last) override;
    void cut_off() override;

    /// What came out of the queue.
    void take(ReplyQueue::Item&& item);

    /// Closes or refuses when the deadline of what is waited for has passed.
    void check_deadline(SteadyTime now);

    /// Closes when idle, else after the answer under way.
    void drain();

    void close();

    static constexpr std::size_t gather_max = 64UL * 1024;
    static constexpr std::size_t anonymous_gather_max = 4UL * 1024;
    static constexpr std::chrono::seconds linger_timeout{2};

private:
    enum class State : std::uint8_t {
        reading,         // The next request has not come whole.
        handling,        // Its handler runs.
        answering,       // It has the request, and its answer has not come.
        sending_body,    // What of a body is here is being sent.
        awaiting_piece,  // All of it is out, and its source was asked for more.
        closing,         // The last answer is being sent.
        lingering,       // It is sent, and what the client still sends is forgotten.
        closed,
    };
    /// What the client, or the socket, is waited for; it decides which deadline holds.
    enum class Wait : std::uint8_t { nothing, idle, head, body, writing, lingering };

    void serve();
    /// False when it has to be waited for.
    [[nodiscard]] bool take_request();
    /// True when bytes came at once.
    [[nodiscard]] bool read_more();
    void wait_for_bytes();
    void on_read(const Stream::ErrorCode& error, std::size_t size);

    [[nodiscard]] std::size_t body_max(const Head& head) override;
    void handle();
    void dispatch();
    [[nodiscard]] Request request_of(const Head& head) const;
    void append(Reply&& reply);
    void append_piece(std::string_view bytes, bool last);
    void ask_for_piece();
    [[nodiscard]] State after_answer() const noexcept;
    void refuse(std::uint16_t status);
    [[nodiscard]] std::optional<Reply> before_too_large(const Head& head) const;
    [[nodiscard]] Reply refusal(std::uint16_t status) const;

    /// True when everything is out; else the end of the wait enters `serve`, or it is closed.
    [[nodiscard]] bool flush();
    void wait_for_writing();
    void on_writable(const Stream::ErrorCode& error);

    /// What is next to be sent; empty when all is.
    [[nodiscard]] std::string_view unsent() const noexcept;
    [[nodiscard]] bool must_flush() const noexcept;

    void finish();
    void linger();
    /// To be called when a wait for the client begins: says what is held meanwhile.
    void account();
    void await(Wait wait);
    [[nodiscard]] std::chrono::seconds timeout(Wait wait) const;

    IoThread& thread_;
    const std::shared_ptr<ReplyQueue> replies_;
    std::optional<Stream> stream_;  // Empty: closed.
    std::shared_ptr<Connection> self_;
    RequestReader reader_;
    const Origin origin_;
    const PeerAddress peer_;

    State state_ = State::reading;
    bool read_pending_ = false;   // The end of a wait for bytes will call `on_read`,
    bool write_pending_ = false;  // and that of one for room `on_writable`.
    bool readable_ = false;       // Bytes have come, and are still in the socket.
    bool draining_ = false;
    bool caller_known_;  // The last request's caller has shown who it is.

    std::string out_;
    std::string_view static_body_;                   // To be sent behind `out_`, to which nothing
                                                     // is added before.
    std::size_t sent_ = 0;                           // Of both.
    SteadyTime write_deadline_ = SteadyTime::max();  // For all that waits to be sent.
    std::size_t requests_ = 0;
    Wait wait_ = Wait::nothing;
    SteadyTime deadline_ = SteadyTime::max();

    // Of the request being read or answered.
    Router::Match match_;
    std::optional<Reply> early_reply_;  // Sent before the handler returned.
    std::unique_ptr<BodySource> source_;
    std::string request_id_;
    std::size_t answers_index_ = 0;  // Where the thread counts the answer.
    bool client_goes_on_ = true;     // It did not ask us to close, so it may be sending more.
    bool keep_alive_ = true;
    bool version_1_0_ = false;
    bool without_body_ = false;
};

}  // namespace merpati::http
