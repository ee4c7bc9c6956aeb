// The handlers of the catalogue, a file a resource; api/operations.cpp says what calls them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/json/value.hpp>

#include "api/manage/call.hpp"
#include "api/manage/context.hpp"

namespace merpati::api::manage {

/// The lines of an answer that is made while it is sent: one JSON value each, or one record.
///
/// Threads: one at a time.
class Lines {
public:
    virtual ~Lines() = default;

    struct Piece {
        std::string text{};  // Some 64 KiB of whole lines; empty: none were found so far.
        bool is_last = false;
    };
    /// The next lines. May wait for the store, for a moment only: others have their turn between.
    [[nodiscard]] virtual Result<Piece> next() = 0;

    /// Static text.
    [[nodiscard]] virtual std::string_view content_type() const noexcept {
        return "application/x-ndjson";
    }
};

using Handler = Result<boost::json::value>(const Context&, Call&);
/// What it answers holds on to the context, for GET; for others to its parts alone.
using StreamHandler = Result<std::unique_ptr<Lines>>(const Context&, Call&);

/// What is answered once a platform has said something: no thread waits for it.
struct LateAnswer {
    boost::json::value value{};
    std::unique_ptr<Lines> lines{};  // Instead of it.
    std::string headers{};           // Further lines, each "Name: value\r\n".
};
using Answered = std::move_only_function<void(Result<LateAnswer>)>;
/// Begins what was asked for, and hands its answer over, once, on any thread.
using Begin = std::move_only_function<void(Answered)>;
/// Decides whether it may be begun. For GET.
using LateHandler = Result<Begin>(const Context&, Call&);

namespace accounts {
Handler list, create, show, change, top_up, rotate_secret;
Handler show_own, change_own, rotate_own_secret;
}  // namespace accounts
namespace keys {
Handler list, create, revoke, rotate;
}
namespace devices {
Handler list, add, show, change, connect, disconnect, remove, import_secrets;
Handler show_pairing, pair, answer_pairing, show_qr, pair_by_code;
StreamHandler export_secrets;
LateHandler check_recipient;
}  // namespace devices
namespace received {
LateHandler media;
}
namespace device_queue {
Handler pause, resume, show, clear;
}
namespace webhooks {
Handler show, put, remove;
}
namespace messages {
Handler list, show, timeline, cancel, send_now, retry, release, give_up;
StreamHandler export_all;
}  // namespace messages
namespace callbacks {
Handler list, show, attempts, hosts, replay, replay_many, test;
}
namespace ledger {
Handler list;
}
namespace usage {
Handler show;
}
namespace gateway {
Handler status, backup;
}
namespace sessions {
Handler sign_in, use_link, show, sign_out, list, end, change_password, begin_totp, confirm_totp,
    remove_totp;
}
namespace people_of_server {
Handler list, create, show, change, remove, link;
}
namespace people_of_account {
Handler list, add, change, remove;
}
namespace log {
Handler of_server, of_account;
}

}  // namespace merpati::api::manage
