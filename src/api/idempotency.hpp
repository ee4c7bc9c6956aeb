// Idempotency-Key: a request that is repeated is carried out once (decisions.md, Idempotency).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "api/caller.hpp"
#include "api/keys_under_way.hpp"
#include "http/reply.hpp"
#include "store/idempotency.hpp"
#include "store/store.hpp"

namespace merpati::api {

/// The right to answer one request, the lines that every answer to it carries, and its hold on its
/// Idempotency-Key. The hold ends first: whoever has the answer may repeat the request at once.
class KeyedResponder {
public:
    KeyedResponder(http::Responder responder, std::string headers)
        : responder_(std::move(responder)), headers_(std::move(headers)) {}

    void hold(KeysUnderWay::Hold hold) { hold_ = std::move(hold); }

    void answer(http::Reply reply);

private:
    http::Responder responder_;
    std::string headers_;
    KeysUnderWay::Hold hold_;
};

/// The one place that knows what an Idempotency-Key means, for every operation that takes one.
///
/// Operation: `enter` stands before every check that looks at the world. A repeat is answered
/// there, by what the first request with its key was answered, whatever has changed since. Only a
/// first request gets its KeyedResponder back; the operation stores Caller::idempotency, with the
/// answer, in the transaction that carries the request out. A refused request stores nothing, and
/// leaves its key free.
///
/// Faults: a request that was carried out when the process died is found in the store; one that
/// was not leaves its key free.
///
/// Threads: any. Limits: one held key per open request, so http's limits bound them.
class Idempotency {
public:
    Idempotency(store::Store& store, const Entrance& entrance)
        : store_(store), entrance_(entrance) {}

    /// Answers a repeat whose first request was carried out but never answered.
    using Recall = std::function<http::Reply(const store::IdempotencyRecord& first)>;

    /// The right to answer a first request, or one without a key. Empty: it was a repeat, and is
    /// answered.
    [[nodiscard]] std::optional<KeyedResponder> enter(const Caller& caller,
                                                      http::Responder responder,
                                                      const Recall& recall);

    /// The answer to a repeat that only the transaction has found: `first` is the record that was
    /// there.
    [[nodiscard]] http::Reply repeat_answer(const store::IdempotencyRecord& first,
                                            const store::IdempotencyRecord& now,
                                            model::Revision revision, const Recall& recall) const;

private:
    [[nodiscard]] http::Reply refused(Refusal refusal, model::Revision revision) const;
    [[nodiscard]] http::Reply answer_beside(const Caller& caller, const Sha256& under_way,
                                            const Recall& recall);
    [[nodiscard]] std::optional<store::IdempotencyRecord> first_request(const Caller& caller);

    store::Store& store_;
    const Entrance& entrance_;
    KeysUnderWay keys_under_way_;
    std::mutex reader_mutex_;
    std::unique_ptr<store::Reader> reader_;  // Opened when first needed.
};

/// Whether a key is 1 to 255 printable characters.
[[nodiscard]] bool well_formed_idempotency_key(std::string_view key) noexcept;

/// What a request with a key is known by: path, revision (where the operation has any) and body.
/// It has no answer yet.
[[nodiscard]] store::IdempotencyRecord idempotency_record(const http::Request& request,
                                                          std::string_view key,
                                                          std::string_view revision,
                                                          model::AccountId account, Timestamp now);

}  // namespace merpati::api
