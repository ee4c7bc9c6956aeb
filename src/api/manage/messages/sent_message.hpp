// Messages of calls: one that a call sends, and one that its path names.
#pragma once

#include <cstdint>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "api/send/single_send.hpp"
#include "store/reader.hpp"

namespace merpati::api::manage::messages {

/// Sends the message, and waits until it is stored. What `POST /v1/send` would refuse becomes the
/// call's answer (AnswerHead::refusal). Errors: refused, forbidden (the caller has lost its rights
/// meanwhile), timeout.
[[nodiscard]] Result<model::MessageId> send_message(const Context& context, Call& call,
                                                    SingleMessage message);

/// The message of the call's path, as it is after the call.
[[nodiscard]] Result<boost::json::value> show_again(const Context& context, const Call& call);

/// The message as MessageControl takes one that waits.
[[nodiscard]] store::QueuedMessage queued(store::MessageRecord record);

/// Whether the texts that its recipient reads are shown.
enum class Texts : std::uint8_t { hidden, shown };

/// The message with its callbacks, its links, and what it waits for. Errors: those of the store.
[[nodiscard]] Result<boost::json::object> details_of(const Context& context, const Call& call,
                                                     store::ListReader& reader,
                                                     const store::MessageRecord& record,
                                                     Texts texts = Texts::hidden);

}  // namespace merpati::api::manage::messages
