// Replies by which people refuse campaigns, or take that back.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "connector/connector.hpp"
#include "model/ids.hpp"
#include "store/tables.hpp"

namespace merpati::devices {

/// Part of the change that records an inbound message. A text that is a word of refusal
/// (campaign/opt_out_words.hpp) suppresses its sender for the account, with the campaign that last
/// wrote to that person; a word of agreement removes a suppression that came by such a word or a
/// link. Others change nothing. `now`: by the wall clock. Errors: of store::Tables.
[[nodiscard]] Result<void> take_reply(store::Tables& tables, model::AccountId account,
                                      const connector::InboundMessage& message, Timestamp now);

}  // namespace merpati::devices
