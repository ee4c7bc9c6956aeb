// POST /v1/messages/bulk: many messages in one commit.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "admission/caller_rights.hpp"
#include "admission/directory.hpp"
#include "admission/principal.hpp"
#include "api/call.hpp"
#include "api/idempotency_ledger.hpp"
#include "api/manage/engine/call_threads.hpp"
#include "api/send/bulk_body.hpp"
#include "api/send/bulk_memory.hpp"
#include "api/session_cookie.hpp"
#include "base/queue_clock.hpp"
#include "http/body_receiver.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"
#include "intake/intake.hpp"
#include "model/account.hpp"
#include "store/committer.hpp"
#include "store/reader_pool.hpp"

namespace merpati::api {

struct BulkOptions {
    AppAddress app;
    std::optional<model::Rate> default_rate;
    std::size_t message_bytes_max = 64UL * 1024;  // As of a body of POST /v1/send: http.body_max.
    std::size_t bytes_max = 64UL * 1024 * 1024;   // Of all requests together (BulkMemory).
};

/// Receives requests, and gives each a thread of its own pool, where BulkRequest carries it out.
///
/// Operation: a request is read in pieces, so that no body waits in the server's buffers, and its
/// caller was identified before. It needs a thread to be judged, and again, after the probes of its
/// files, to be stored; none waits for the probes. A request holds its thread until its commit is
/// done, so that an account has at most one bulk in the committer.
///
/// Fairness: accounts take turns for the threads (CallThreads), for memory (BulkMemory) and for
/// probes (media::MediaFetcher). The committer limits what one transaction accepts
/// (CommitterOptions::change_accepts_max).
///
/// Threads: `receive` on any I/O thread. `start` and `stop` by the owner, who sets the listeners
/// before. Requests that wait for probes must have ended before this object is destroyed: stop the
/// fetcher first.
///
/// Limits: BulkBody's; of the memory of BulkOptions; 16 requests of an account wait for a thread,
/// as CallThreads says.
class Bulk {
public:
    struct Rooms {
        const QueueClock& clock;
        const admission::Directory& directory;
        const admission::CallerRights& rights;
        intake::Intake& intake;
        store::ReaderPool& readers;
        IdempotencyLedger& idempotency;
        store::Committer& committer;
    };
    /// One thread is reserved for the local operator.
    static constexpr std::size_t threads_count = 4;

    Bulk(Rooms rooms, BulkOptions options)
        : rooms_(rooms), options_(options), memory_(options.bytes_max) {}
    ~Bulk() { stop(); }
    Bulk(const Bulk&) = delete;
    Bulk& operator=(const Bulk&) = delete;

    /// Called for each message that is refused, on a thread of this class. May be empty.
    RefusalListener on_refused;
    /// Called with exceptions of requests, and with faults of the store. May be empty.
    std::function<void(const Error&)> on_fault;

    /// The caller has the scope `send` in some account, or had it until the account's validity was
    /// over. Null: the request is refused, and answered.
    [[nodiscard]] std::unique_ptr<http::BodyReceiver> receive(const http::Request& request,
                                                              admission::Principal caller,
                                                              http::Responder responder);

    void start();
    /// Answers waiting requests 503, and joins the threads. Idempotent.
    void stop() { threads_.stop(); }

private:
    friend class BulkRequest;
    class Receiver;

    Rooms rooms_;
    const BulkOptions options_;
    BulkMemory memory_;
    manage::CallThreads threads_{"bulk", threads_count};
};

}  // namespace merpati::api
