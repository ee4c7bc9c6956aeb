// The interface of all platforms. Each platform's folder implements it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/encoding.hpp"
#include "base/error.hpp"
#include "media/file_source.hpp"
#include "model/device_identity.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::connector {

/// What a platform can do at this moment.
struct Capabilities {
    /// "qr", "code", "otp", "passkey", "pin", "sms", "voice".
    std::set<std::string, std::less<>> pairing;
    bool typing = false;              // Can show "typing" before a message.
    bool recognises_repeats = false;  // Sending a message id twice delivers one message, so
                                      // recovery may send again.
    bool number_check = false;        // Can tell whether a number is registered.
    bool media_fetch = false;         // Can fetch the media of what a device received.
    bool late_statuses = false;       // Reports statuses after the outcome.
    bool templates = false;           // Sends Message::filled_template; others fail such messages.
    /// A message that was in flight when the process ended is not repeated: its status is awaited
    /// for so long after the start. Empty: no status names messages.
    std::optional<Millis> status_within{};
    std::size_t text_characters_max = 4096;
    std::size_t window = 1;  // Sends in flight per device.
    /// Empty: all that the gateway accepts.
    std::optional<std::set<std::string, std::less<>>> media_types;
    std::uint64_t media_bytes_max = 0;  // 0: no limit of its own.
};

/// A snapshot, which never changes. A later snapshot may differ.
using CapabilitiesPtr = std::shared_ptr<const Capabilities>;

/// The device that a connector reports on, or keeps secrets of. A number may be removed and added
/// again, also by another account: a connector that knows which device it means says so, and what
/// it does then concerns no other.
struct DeviceRef {
    model::PhoneNumber number;
    /// Empty: the connector's device that has the number when the call is carried out.
    std::optional<model::DeviceIdentity> identity;

    DeviceRef() = default;
    // Implicit, because most connectors, and most that they call, know only the number.
    DeviceRef(model::PhoneNumber of) : number(of) {}  // NOLINT(google-explicit-constructor)
    DeviceRef(const model::DeviceIdentity& of)        // NOLINT(google-explicit-constructor)
        : number(of.number), identity(of) {}
    operator model::PhoneNumber() const { return number; }  // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool is(const model::Device& device) const {
        return device.number == number &&
               (!identity || *identity == model::DeviceIdentity::of(device));
    }
};

/// One thing a person must do to connect a device. A later step replaces the earlier one.
struct PairingStep {
    static constexpr std::size_t payload_bytes_max = 16'384;  // WebAuthn options are the longest.
    static constexpr std::size_t answer_bytes_max = 16'384;   // A person's answer.
    static constexpr auto wrong_answer =
        "this is not the answer that the pairing waits for: check it, or begin the pairing again";

    std::string method;   // One of Capabilities::pairing.
    std::string payload;  // QR text, 8-character code, WebAuthn options (JSON), or a hint.
    Timestamp expires_at;
};

/// One attempt to send. `message` and `file` stay valid until its outcome is reported.
struct SendRequest {
    const model::Message& message;
    std::uint32_t attempt = 1;  // 1 for the first.
    /// The file of a media message, of a type and size that the capabilities allow; null for text.
    const media::File* file = nullptr;
    bool as_template = false;  // Outcome::as_template was reported of an earlier attempt.
};

/// Whether a platform can have given this id: 1 to 256 printable ASCII characters.
[[nodiscard]] bool is_platform_id(std::string_view id) noexcept;

/// A status of a message that the platform reports beside the outcome, after it or before it.
struct LateStatus {
    DeviceRef device;
    std::string platform_id;  // The platform's id of the message.
    /// If the connector knows the message of that id. It finds a message whose platform id is not
    /// on record, if that is one of the device.
    std::optional<model::MessageId> message;
    model::PlatformStatus status;
    /// Only for a failure that does not end the message, what it means instead: retry, device_down
    /// or restricted. The message goes back to its lane, if it was not ended yet.
    std::optional<model::Outcome> verdict{};
};

/// A message that a device received.
struct InboundMessage {
    DeviceRef device;
    std::string platform_id;
    std::string sender;
    std::string type;                                       // "text", "image", …
    std::string text;                                       // Text or caption; empty: none.
    static constexpr std::size_t text_bytes_max = 262'144;  // All texts together.
    struct Media {
        static constexpr std::size_t reference_bytes_max = 4'096;

        std::string mime;
        std::uint64_t bytes = 0;  // 0: the platform does not say.
        std::string name;
        std::string reference;  // Given back in MediaRequest; a secret of the device.
    };
    std::optional<Media> media;
    Timestamp at;
};

/// The media to download, and the file to write them to.
struct MediaRequest {
    model::PhoneNumber device;
    std::string platform_id;
    std::string reference;       // As InboundMessage::Media had it.
    std::filesystem::path path;  // An empty file. The connector writes it and closes it.
    std::uint64_t bytes_max = 0;
};

/// A number of the official platform, and the token that opens it. The token must not appear in an
/// error or a log.
struct PlatformAccess {
    std::string phone_number_id;
    std::string waba_id;  // Empty: not known.
    std::string token;
};

/// What the platform says of a number.
struct CheckedNumber {
    std::string display_number;  // As the platform writes it: "+62 812-3456-7890".
    std::string status;          // In the platform's words; empty: it does not say.
};

/// A template for messages outside the window in which free texts are allowed.
struct MessageTemplate {
    static constexpr std::size_t characters_max = 1'024;  // Of its body, with its variables filled.

    /// What each message gives its header.
    enum class HeaderNeed : std::uint8_t { nothing, text, image, video, document };
    /// A button that needs a text in each message.
    struct Button {
        enum class Kind : std::uint8_t { url, coupon };
        Kind kind = Kind::url;
        std::uint32_t place = 0;  // Among all its buttons.
        std::string url{};        // With {{1}} for the text; empty for a coupon, which is the text.
    };

    std::string name;
    std::string language;
    std::string category;
    std::string status;  // "APPROVED", …
    HeaderNeed header_need = HeaderNeed::nothing;
    std::string header_text{};  // With its variable; empty: it has none, or a file.
    std::string header_name{};  // Of its variable; empty: it has none, or a numbered one.
    std::string body;           // With {{1}} or {{name}} for its variables.
    std::string footer{};
    std::uint32_t variables = 0;  // Of the body.
    std::vector<Button> buttons{};
    /// Whether it needs in a message what is said here, and nothing more.
    bool is_understood = false;
    /// The place of the button of a one-time code, which has the body's variable once more.
    std::optional<std::uint32_t> code_button{};
    /// The names of the body's variables, in the order of the body; empty: they are numbered.
    std::vector<std::string> variable_names;

    [[nodiscard]] bool is_approved() const { return status == "APPROVED"; }
    [[nodiscard]] bool needs_file() const {
        return header_need != HeaderNeed::nothing && header_need != HeaderNeed::text;
    }
    /// Whether it needs nothing but the variables of its body, which a one-time code's button
    /// copies.
    [[nodiscard]] bool body_only() const {
        return is_understood && header_need == HeaderNeed::nothing && buttons.empty();
    }
    /// Whether any text can be sent as it, once it is approved.
    [[nodiscard]] bool carries_a_text() const { return variables == 1 && body_only(); }
};

struct TemplatePage {
    std::vector<MessageTemplate> items;
    std::string next;  // For the next call; empty: this is the last page.
};

/// Takes a connector's reports.
///
/// Threads: any; calls do not block.
class ConnectorEvents {
public:
    virtual ~ConnectorEvents() = default;

    /// Called once: when the report is durable, or with the error. After an error the connector
    /// must not acknowledge the report to its platform, and may report it again. Not called if the
    /// gateway stops first. Called on another thread or from within the report; must not block.
    using Stored = std::move_only_function<void(Result<void>)>;

    /// The outcome of one `send`: exactly one for each call, or none if the process dies.
    virtual void outcome(const model::MessageId& message, model::PhoneNumber device,
                         model::Outcome outcome) = 0;
    /// `reason` is for people and never empty when the state is not `connected`.
    /// Errors: not_found (the connector has no such device).
    virtual void device_state(const DeviceRef& device, model::DeviceState state, std::string reason,
                              Stored stored) = 0;
    /// The state `restricted`: the device is connected, but may not begin new chats until `until`
    /// (wall clock). The gateway ends the restriction then, if no other state was reported.
    virtual void device_restricted(const DeviceRef& device, Timestamp until, std::string reason,
                                   Stored stored) = 0;
    /// No answer: a step that is lost expires, and the connector reports the next one.
    virtual void pairing(const DeviceRef& device, PairingStep step) = 0;
    /// Statuses may come in any order and repeatedly: each status of a platform id counts once, and
    /// one behind the latest known is ignored. Errors: busy (too many reports of this device wait),
    /// not_found (the connector has no such device), invalid_argument (is_platform_id).
    virtual void late_status(LateStatus status, Stored stored) = 0;
    /// May be repeated: each platform id of a device counts once. Errors: as late_status;
    /// invalid_argument also for text_bytes_max.
    virtual void inbound(InboundMessage message, Stored stored) = 0;
    /// The next snapshot of this connector's capabilities differs from the last.
    virtual void capabilities_changed() = 0;
};

/// What connectors must remember of their devices across restarts: credentials, keys, sessions.
/// Kept encrypted in the store and in its backups; removed with the device.
///
/// Threads: any. Answers come on another thread, a refusal also from within the call.
///
/// Limits: of store::Tables; get_bytes_max.
class DeviceSecrets {
public:
    /// The largest answer of one `get`.
    static constexpr std::size_t get_bytes_max = 1'048'576;
    /// The longest value that fits a line of the connector protocol.
    static constexpr std::size_t value_bytes_max = 524'288;

    virtual ~DeviceSecrets() = default;

    /// Names and values; an empty optional: there is no value of that name.
    using Values = std::vector<std::pair<std::string, std::optional<Bytes>>>;
    using Got = std::move_only_function<void(Result<Values>)>;
    /// Answers in the order of the names, and sees every `put` that was answered. Errors: refused
    /// (the values are larger than `bytes_max`, which is at most get_bytes_max), not_found (no such
    /// device), busy, conflict (the values were encrypted with another key).
    virtual void get(const DeviceRef& device, std::vector<std::string> names, std::size_t bytes_max,
                     Got got) = 0;

    /// What happens to the device's other values.
    enum class Others : std::uint8_t { stay, go };
    /// Stores all values or none, and answers when that is durable. An empty optional removes the
    /// value. Errors: refused (a limit), not_found (no such device), busy.
    virtual void put(const DeviceRef& device, Values values, Others others,
                     ConnectorEvents::Stored stored) = 0;
};

class PlatformWebhook;

/// Sends for the devices of one platform.
///
/// The gateway decides delay, order, pacing, retries and give-up, and downloads the media to send.
/// The connector does what only the platform can do. A connector that cannot tell whether a send
/// arrived reports Outcome::Kind::unknown and does not repeat the send by itself.
///
/// Threads: `start` and `stop` are called by the owner, `send` on the scheduler's thread, functions
/// named `*_device` and `answer_pairing` on the committer's thread in the order of the commits, all
/// others on any thread. None may block, except `start` and `stop`. Reports may come from any
/// thread, also from within these calls.
class Connector {
public:
    virtual ~Connector() = default;

    /// Never null, not even before `start`.
    [[nodiscard]] virtual CapabilitiesPtr capabilities() const = 0;

    /// The first state of a new device: `connected` if nobody has to do anything.
    [[nodiscard]] virtual model::DeviceState first_state(model::PhoneNumber device) const = 0;

    /// Errors: io_failed and others, with a sentence for the operator. After an error the connector
    /// is not used any more, except for `capabilities`.
    [[nodiscard]] virtual Result<void> start(ConnectorEvents& events, DeviceSecrets& secrets) = 0;
    /// Reports the outcomes of sends in flight, as far as they are known, and ends its threads. A
    /// later send is reported as device_down. Reports no device states, so that the next start
    /// connects the same devices. Idempotent.
    virtual void stop() = 0;

    /// Why none of its devices can work now, as the end of a sentence that anybody may read; empty:
    /// no trouble is known.
    [[nodiscard]] virtual std::string trouble() const { return {}; }

    /// Names a device of this connector, whatever its state is: all devices after `start`, and each
    /// device after a commit that wrote it; before start_device. On the committer's thread.
    virtual void know_device(const model::Device& /*device*/) {}

    /// Connects the device, with its credentials or by pairing; reports device_state. Called again
    /// for a connected device whose access to the official platform was changed.
    /// `pairing_method` is one of Capabilities::pairing; empty: the connector chooses.
    virtual void start_device(const model::Device& device, std::string_view pairing_method) = 0;
    /// Called once, on any thread, also from within the call, or not at all if the gateway stops
    /// first. It must not block.
    using Settled = std::move_only_function<void(Result<void>)>;
    /// Answers a pairing step that asks for something (an OTP, a passkey assertion). `settled` is
    /// called when the answer was taken, or with an error whose text callers may read: conflict (it
    /// is wrong, or no step asks for one), busy, timeout, unreachable.
    virtual void answer_pairing(model::PhoneNumber device, std::string_view answer,
                                Settled settled) = 0;
    /// Disconnects the device and keeps its credentials; reports device_state.
    virtual void stop_device(model::PhoneNumber device) = 0;
    /// Disconnects the device and removes its credentials, here and at the platform.
    virtual void forget_device(model::PhoneNumber device) = 0;

    /// Whether DeviceSecrets hold all that another server needs to take its devices over, so that
    /// they can be exported and imported.
    [[nodiscard]] virtual bool keeps_secrets() const { return false; }
    /// Disconnects the device. `settled` is called when nothing writes its secrets until it is
    /// started again, or with an error if that is not certain.
    virtual void settle_device(model::PhoneNumber /*device*/, Settled settled) { settled({}); }

    /// Whether a message of the device that was in flight when the process ended is held, as by
    /// Outcome::hold_unknown; only where Capabilities::status_within is set.
    [[nodiscard]] virtual bool holds_unknown(model::PhoneNumber /*device*/) const { return false; }

    /// Calls `done` when the calls before this one have reported all that they report without
    /// waiting for the platform, such as the state of a device that was stopped. On any thread,
    /// also from within the call; must not block.
    virtual void after_reports(std::move_only_function<void()> done) { done(); }

    // Questions to the platform. `done` is called once, on any thread, also from within the call,
    // or not at all if the gateway stops first; it must not block. Errors: refused (the connector
    // cannot do it), conflict (the device cannot do it now), busy, timeout, unreachable (the
    // platform cannot be reached, or its answer is invalid); each with a sentence that anybody may
    // read.

    /// Downloads media, and answers how many bytes were written. Further errors: not_found (the
    /// platform no longer has them), refused (larger than bytes_max).
    using MediaFetched = std::move_only_function<void(Result<std::uint64_t>)>;
    virtual void fetch_media(MediaRequest request, MediaFetched done);
    /// Answers whether the number is registered at the platform. Further errors: invalid_argument
    /// (no number of that form exists there).
    using NumberChecked = std::move_only_function<void(Result<bool>)>;
    virtual void check_number(model::PhoneNumber device, std::string number, NumberChecked done);
    /// Asks what the platform says of a number, which need not belong to a device. Refused also if
    /// the platform refuses the token or does not know the number.
    using AccessChecked = std::move_only_function<void(Result<CheckedNumber>)>;
    virtual void check_access(PlatformAccess access, AccessChecked done);
    /// Lists the templates of the number's business account. `cursor`: TemplatePage::next of the
    /// page before; empty: from the first.
    using TemplatesListed = std::move_only_function<void(Result<TemplatePage>)>;
    virtual void list_templates(PlatformAccess access, std::string cursor, TemplatesListed done);
    static constexpr std::size_t cursor_bytes_max = 1'024;
    /// Finds the template of this name and language in the device's business account, as the
    /// platform has it now. Empty: there is none. Refused also if no business account is known.
    using TemplateFound = std::move_only_function<void(Result<std::optional<MessageTemplate>>)>;
    virtual void find_template(model::PhoneNumber device, std::string name, std::string language,
                               TemplateFound done);

    /// What takes the posts of its platform, as long as the connector exists. Null: its platform
    /// posts nothing here.
    [[nodiscard]] virtual PlatformWebhook* platform_webhook() { return nullptr; }

    /// Sends one message. Shows "typing" first if the message asks for it and the platform can.
    virtual void send(const SendRequest& request) = 0;
};

}  // namespace merpati::connector
