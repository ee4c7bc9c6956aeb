// The handlers of the catalogue, mostly one source file for a resource. api/operations.cpp maps
// requests to them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <boost/json/value.hpp>

#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "api/manage/engine/upload.hpp"

namespace merpati::api::manage {

/// The content of an answer that is produced while it is sent: lines of JSON, CSV records, or the
/// bytes of a file.
///
/// Threads: one at a time.
class Lines {
public:
    virtual ~Lines() = default;

    struct Piece {
        std::string text{};  // At most about 256 KiB; empty: nothing was found so far.
        bool is_last = false;
    };
    /// The next piece. May block on the store only for a short time; other calls run in between.
    [[nodiscard]] virtual Result<Piece> next() = 0;

    /// Static text.
    [[nodiscard]] virtual std::string_view content_type() const noexcept {
        return "application/x-ndjson";
    }
};

using Handler = Result<boost::json::value>(const Context&, Call&);
/// As Handler, for a body of any size, which is read while it arrives. The call's fields are those
/// of the query: take them, and look for the objects that are meant, before the body is read. A
/// body of type application/json (RequestHead::content_type) is one piece of at most
/// json_upload_max.
using UploadHandler = Result<boost::json::value>(const Context&, Call&, Upload&);
inline constexpr std::size_t json_upload_max = 8UL * 1024 * 1024;
/// The Lines may keep a reference to the context for GET. For other methods they may refer only to
/// the context's parts, because the context is a temporary object.
using StreamHandler = Result<std::unique_ptr<Lines>>(const Context&, Call&);

/// An answer that comes when a platform has answered. No thread waits for it.
struct LateAnswer {
    boost::json::value value{};
    std::unique_ptr<Lines> lines{};  // Sent instead of the value.
    std::string headers{};           // Further lines, each "Name: value\r\n".
};
using Answered = std::move_only_function<void(Result<LateAnswer>)>;
/// Begins the operation. Passes its answer to Answered once, on any thread.
using Begin = std::move_only_function<void(Answered)>;
/// Checks the call and answers the function that begins it. For GET only: it is not logged.
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
LateHandler check_recipient, list_templates;
}  // namespace devices
namespace connectors {
Handler list;
/// Whether the caller may add devices on it (devices.offered_connectors).
[[nodiscard]] bool may_choose(const Context& context, const Call& call, std::string_view name);
}  // namespace connectors
namespace received {
LateHandler media;
}
namespace device_queue {
Handler pause, resume, show, clear;
}
namespace device_webhook {
Handler show, put, remove;
}
namespace messages {
Handler list, create, show, timeline, cancel, send_now, retry, release, give_up;
StreamHandler export_all;
UploadHandler send_for_listmonk;
}  // namespace messages
namespace campaigns {
Handler create, list, show, change, remove, preview, check, test, start, pause, resume, cancel,
    retry, clone, outcomes;
}  // namespace campaigns
namespace recipients {
Handler list, empty;
UploadHandler add;
StreamHandler export_all;
}  // namespace recipients
namespace contacts {
Handler list, show, put, remove;
UploadHandler import_list;
StreamHandler export_all;
}  // namespace contacts
namespace suppressions {
Handler list, show, put, remove;
UploadHandler import_list;
StreamHandler export_all;
}  // namespace suppressions
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
Handler status, nodes, backup;
}
namespace sessions {
Handler sign_in, use_link, show, sign_out, list, end, change_password, begin_totp, confirm_totp,
    remove_totp;
}
namespace people_of_server {
Handler list, create, show, change, remove, link;
}
namespace people_of_account {
Handler list, add, change, remove, leave;
}
namespace invitations {
Handler list, create, revoke;
Handler show, accept, accept_signed_in;
}  // namespace invitations
namespace log {
Handler of_server, of_account;
}

}  // namespace merpati::api::manage
