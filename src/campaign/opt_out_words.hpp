// Words by which people refuse campaigns, or take that back.
#pragma once

#include <cstdint>
#include <string_view>

namespace merpati::campaign {

enum class Reply : std::uint8_t {
    none,  // Another message.
    opt_out,
    opt_in,
};

/// What a received text asks for. The text must be one of these words alone, in any case; blanks,
/// punctuation and invisible characters around it are ignored, in messages of up to 256 bytes:
///   opt_out  STOP, STOPALL, UNSUBSCRIBE, CANCEL, END, QUIT, REVOKE, OPTOUT, BERHENTI, UNREG, UNSUB
///   opt_in   START, UNSTOP, MULAI
[[nodiscard]] Reply reply_of(std::string_view text);

}  // namespace merpati::campaign
