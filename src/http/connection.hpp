// One client's connection: bytes in, answers out, in order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/intrusive/list_hook.hpp>
#include <boost/system/error_code.hpp>

#include "base/clock.hpp"
#include "http/body_receiver.hpp"
#include "http/body_source.hpp"
#include "http/party_shares.hpp"
#include "http/peer_address.hpp"
#include "http/reply.hpp"
#include "http/reply_queue.hpp"
#include "http/request_reader.hpp"
#include "http/router.hpp"
#include "http/stream.hpp"

namespace merpati::http {

class IoThread;

enum class Origin : std::uint8_t { network, local_socket };

/// A state machine. `serve` is its loop: it runs until the connection has to wait for bytes, for
/// room in the socket, for a handler's answer or for a piece of a body. The end of each wait calls
/// `serve` again, so pipelined requests do not nest.
///
///   reading              -> handling        a whole request has arrived
///   handling             -> answering       its handler has returned
///   answering            -> reading         the answer is in `out_`; the connection is kept
///                        -> sending_body    its head is in `out_`; a BodySource gives the body
///                        -> closing         it is the last answer
///   sending_body        <-> awaiting_piece  a piece is sent; the next one has arrived
///   awaiting_piece       -> reading, closing  the last piece has arrived; as after an answer
///   handling             -> holding         its route receives the body in pieces
///   holding             <-> receiving       the hold on the body is gone; a piece has arrived
///   receiving            -> answering       the body has ended
///   holding, receiving   -> closing         it is answered before that, or is late, or malformed
///   reading              -> closing         the request is refused or late
///   closing              -> lingering       all is sent; the client may still be sending
///                        -> closed          all is sent; the socket is given away (Reply::upgrade)
///   any                  -> closed          the client left or is too slow, or the server stops
///
/// Answers are gathered in `out_` while whole requests wait in the buffer, and are sent together.
/// An open connection keeps itself alive until `close`. Afterwards pending waits, a Responder, a
/// BodyWriter and a PieceHold may keep the object, but not the socket.
///
/// Threads: the I/O thread's, except `deliver`, `abandon`, `take_piece`, `cut_off`, `go_on` and
/// `is_gone`, which any thread may call.
///
/// Limits: one request at a time, and one piece of a body in each direction. No request is taken
/// while more than `gather_max` bytes of answers wait (`anonymous_gather_max` if the last caller
/// was not authenticated), and no more than `tls_reads_max` times the socket is read before others
/// have their turn. PartyShares counts what the connection held when its last wait began. An answer
/// or a piece must be read at Limits::write_rate_min, and some of it every `write_timeout`. If the
/// client may still be sending when the connection ends (after a refusal or a drain), its bytes are
/// discarded for `linger_timeout`: closing a socket with unread bytes resets the connection, and
/// the client could lose its answer.
class Connection final : public ReplySink,
                         public BodySink,
                         public BodyFeed,
                         public BodyLimiter,
                         public std::enable_shared_from_this<Connection>,
                         public PartyShares::Holding,
                         public boost::intrusive::list_base_hook<> {
public:
    Connection(IoThread& thread, Stream::Socket socket, SSL_CTX* tls, Origin origin,
               const PeerAddress& peer);

    /// Starts serving. Call once.
    void open();

    /// Call instead of `open`: answers 503 and closes.
    void open_overloaded();

    void deliver(Reply&& reply) override;
    void abandon() override;
    void take_piece(std::string&& bytes, bool last) override;
    void cut_off() override;
    void go_on(std::uint64_t hold) override;
    [[nodiscard]] bool is_gone() const noexcept override { return gone_; }

    /// The socket, if the client waits for an answer or a piece of one, or until a piece of its
    /// body has been taken.
    [[nodiscard]] std::optional<int> awaiting_answer() noexcept;

    /// Processes an item of the reply queue.
    void take(ReplyQueue::Item&& item);

    /// If the deadline of the current wait has passed, closes, or answers 408.
    void check_deadline(SteadyTime now);

    /// Closes when idle, else after the current request is answered. A body that is received in
    /// pieces is answered 503, because it may take hours.
    void drain();

    void close();

    static constexpr std::size_t gather_max = 64UL * 1024;
    static constexpr std::size_t anonymous_gather_max = 4UL * 1024;
    static constexpr std::chrono::seconds linger_timeout{2};
    /// OpenSSL may hold many requests; a plain socket is read once in a turn.
    static constexpr std::size_t tls_reads_max = 8;

private:
    enum class State : std::uint8_t {
        reading,         // The next request is incomplete.
        handling,        // Its handler runs.
        answering,       // The handler has returned and has not answered yet.
        sending_body,    // The head or a piece of a body is being sent.
        awaiting_piece,  // All of it is sent, and the source was asked for the next piece.
        receiving,       // The next piece of the request's body is incomplete.
        holding,         // No further piece is read yet.
        closing,         // The last answer is being sent.
        lingering,       // It is sent; bytes from the client are discarded.
        closed,
    };
    /// What the connection waits for from its client; it selects the deadline.
    enum class Wait : std::uint8_t { nothing, idle, head, body, piece, writing, lingering };

    void serve();
    /// False: the connection waits or is closed.
    [[nodiscard]] bool take_request();
    /// True: bytes were read without waiting.
    [[nodiscard]] bool read_more();
    void wait_for_bytes();
    void on_read(const Stream::ErrorCode& error, std::size_t size);

    [[nodiscard]] BodyRule body_rule(const Head& head) override;
    void handle();
    void begin_request();
    void dispatch();
    [[nodiscard]] Request request_of(const Head& head);
    void begin_upload();
    void dispatch_upload();
    /// False: the connection waits or is closed.
    [[nodiscard]] bool receive();
    void pass_piece();
    [[nodiscard]] PieceHold new_hold();
    void end_upload();
    void break_upload_off() noexcept;
    [[nodiscard]] bool rest_has_arrived();

    void append(Reply&& reply);
    void append_piece(std::string_view bytes, bool last);
    void ask_for_piece();
    [[nodiscard]] State after_answer() const noexcept;
    void refuse(std::uint16_t status);
    [[nodiscard]] std::optional<Reply> before_too_large(const Head& head);
    [[nodiscard]] Reply refusal(std::uint16_t status) const;

    /// True: everything is sent. False: it is closed, or the end of the wait will call `serve`.
    [[nodiscard]] bool flush();
    void wait_for_writing();
    void on_writable(const Stream::ErrorCode& error);

    /// The bytes to send next; empty when everything is sent.
    [[nodiscard]] std::string_view unsent() const noexcept;
    [[nodiscard]] bool must_flush() const noexcept;
    /// Whether the last request's caller is the local operator or authenticated.
    [[nodiscard]] bool knows_caller() const noexcept;
    /// The route of the request, for the log.
    [[nodiscard]] std::string_view route() const noexcept;

    void finish();
    void hand_over();
    void linger();
    /// Reports to PartyShares whose connection it is and what it holds. Call when a wait begins.
    void account();
    [[nodiscard]] std::size_t bytes_held() const noexcept;
    void await(Wait wait);
    [[nodiscard]] SteadyTime::duration timeout(Wait wait) const;

    IoThread& thread_;
    const std::shared_ptr<ReplyQueue> replies_;
    std::optional<Stream> stream_;  // Empty: closed.
    std::shared_ptr<Connection> self_;
    RequestReader reader_;
    const Origin origin_;
    const PeerAddress peer_;

    State state_ = State::reading;
    bool read_pending_ = false;   // A wait for bytes will call `on_read`.
    bool write_pending_ = false;  // A wait for room in the socket will call `on_writable`.
    bool readable_ = false;       // The socket has bytes to read.
    bool draining_ = false;
    Party party_;                     // Of the last request.
    std::size_t tls_reads_ = 0;       // In this turn.
    std::atomic<bool> gone_ = false;  // As State::closed, for other threads.

    std::string out_;
    std::string_view static_body_;  // Sent after `out_`; until then nothing is appended to `out_`.
    std::size_t sent_ = 0;          // Of both.
    SteadyTime write_deadline_ = SteadyTime::max();  // For all unsent bytes.
    std::size_t requests_ = 0;
    Wait wait_ = Wait::nothing;
    SteadyTime deadline_ = SteadyTime::max();

    // Of the request being read or answered.
    Router::Match match_;
    std::optional<Reply> early_reply_;  // The answer, if given before the handler returned.
    std::unique_ptr<BodySource> source_;
    Upgrade upgrade_;
    std::unique_ptr<BodyReceiver> receiver_;
    bool uploads_ = false;           // The body comes in pieces and has not ended.
    std::uint64_t holds_ = 0;        // How many there were; the number of the last one.
    std::size_t held_bytes_ = 0;     // Of the piece that the receiver has.
    std::size_t asked_bytes_ = 0;    // Of the body of the request that waits for its answer.
    SteadyTime::duration behind_{};  // How far the sender is behind Limits::body_rate_min.
    SteadyTime piece_awaited_since_{};
    std::string request_id_;
    std::size_t answers_index_ = 0;  // Where the thread counts the answer.
    bool client_goes_on_ = true;     // The client did not ask us to close, so it may send more.
    bool keep_alive_ = true;
    bool version_1_0_ = false;
    bool without_body_ = false;
};

}  // namespace merpati::http
