#include "api/send/bulk.hpp"

#include <string>
#include <utility>

#include "api/manage/engine/problem.hpp"
#include "api/send/bulk_request.hpp"

namespace merpati::api {

/// Collects the body, and gives the request to a thread when it has arrived.
class Bulk::Receiver final : public http::BodyReceiver {
public:
    Receiver(Bulk& bulk, manage::Request request, admission::Principal caller, manage::Share share,
             http::Responder responder)
        : bulk_(bulk),
          request_(std::move(request)),
          caller_(std::move(caller)),
          share_(share),
          memory_(bulk.memory_.hold(share)),
          responder_(std::in_place, std::move(responder)) {}

    /// The next piece is asked for at once. A caller that has been refused sends in vain, until the
    /// server has closed its connection.
    void take(std::string piece, http::PieceHold /*hold*/) override {
        if (!responder_) {
            return;
        }
        if (auto room = memory_.grow(piece.size()); !room) {
            request_.body = {};
            answer(std::move(room.error()));
            return;
        }
        request_.body += piece;
    }

    void finish() override {
        if (!responder_) {
            return;
        }
        auto run = std::make_shared<BulkRequest>(bulk_, std::move(request_), std::move(caller_),
                                                 share_, std::move(memory_),
                                                 *std::exchange(responder_, std::nullopt));
        const auto put = bulk_.threads_.put(share_, [run](bool proceed) {
            if (proceed) {
                run->begin();
            } else {
                run->answer(manage::busy());
            }
        });
        if (put != manage::CallThreads::Put::taken) {
            run->answer(put == manage::CallThreads::Put::share_full ? manage::too_many_requests()
                                                                    : manage::busy());
        }
    }

private:
    void answer(manage::Outcome outcome) {
        auto responder = *std::exchange(responder_, std::nullopt);
        responder.send(manage::reply_of(std::move(outcome), request_.head.language));
    }

    Bulk& bulk_;
    manage::Request request_;
    admission::Principal caller_;
    const manage::Share share_;
    BulkMemory::Hold memory_;
    std::optional<http::Responder> responder_;  // Empty: the request was answered.
};

std::unique_ptr<http::BodyReceiver> Bulk::receive(const http::Request& request,
                                                  admission::Principal caller,
                                                  http::Responder responder) {
    const auto share = manage::Share::of(caller, options_.app.client(request), [] { return true; });
    return std::make_unique<Receiver>(
        *this,
        manage::Request{.method = request.method,
                        .path = std::string{request.path},
                        .query = std::string{request.query},
                        .body = {},
                        .head = manage::RequestHead::of(request, options_.app)},
        std::move(caller), share, std::move(responder));
}

void Bulk::start() {
    threads_.on_fault = on_fault;
    threads_.start();
}

}  // namespace merpati::api
