// A platform, as the gateway sees it. One folder per platform implements this.
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
#include "model/device.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::connector {

/// What a platform can do at this moment.
struct Capabilities {
    std::set<std::string, std::less<>> pairing;  // "qr", "code", "otp", "passkey".
    bool typing = false;                         // Can show "typing" before a message.
    bool recognises_repeats = false;  // A second send of the same message id is no second
                                      // message: recovery may simply send again.
    bool number_check = false;        // Can tell whether a number is registered.
    bool media_fetch = false;         // Can fetch the media of what a device received.
    bool late_statuses = false;       // Reports statuses after the outcome.
    std::size_t text_characters_max = 4096;
    std::size_t window = 1;  // Sends in flight per device.
    /// Empty: all of the interface's.
    std::optional<std::set<std::string, std::less<>>> media_types;
    std::uint64_t media_bytes_max = 0;  // 0: no limit of its own.
};

/// A snapshot: it does not change, the next one may differ.
using CapabilitiesPtr = std::shared_ptr<const Capabilities>;

/// One thing a person must do to connect a device. A later step replaces the earlier one.
struct PairingStep {
    static constexpr std::size_t payload_bytes_max = 16'384;  // WebAuthn options are the longest.
    static constexpr std::size_t answer_bytes_max = 16'384;   // Of what a person answers.

    std::string method;   // One of Capabilities::pairing.
    std::string payload;  // QR text, 8-character code, WebAuthn options (JSON), or a hint.
    Timestamp expires_at;
};

/// One attempt to send. `message` and `file` stay valid until its outcome is reported.
struct SendRequest {
    const model::Message& message;
    std::uint32_t attempt = 1;  // 1 for the first.
    /// Of a media message, and of a type and size that the capabilities name; null for text.
    const media::File* file = nullptr;
};

/// Whether a platform can have given this id: 1 to 256 printable ASCII characters.
[[nodiscard]] bool is_platform_id(std::string_view id) noexcept;

/// What a platform reports of a message after its outcome, or before it.
struct LateStatus {
    model::PhoneNumber device;
    std::string platform_id;                  // The platform's id of the message.
    std::optional<model::MessageId> message;  // Where the connector knows whose id that is.
    model::PlatformStatus status;
};

/// A message that a device received.
struct InboundMessage {
    model::PhoneNumber device;
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

/// Which media of which received message, and where they shall be written.
struct MediaRequest {
    model::PhoneNumber device;
    std::string platform_id;
    std::string reference;       // As InboundMessage::Media had it.
    std::filesystem::path path;  // Of an empty file.
    std::uint64_t bytes_max = 0;
};

/// Where a connector reports to. Any thread; never blocks.
class ConnectorEvents {
public:
    virtual ~ConnectorEvents() = default;

    /// Called once a report is durable, or with why it is not: then the connector must not
    /// acknowledge it to its platform, and may report it again. Never called when the gateway stops
    /// first. On another thread, or from within; must not block.
    using Stored = std::move_only_function<void(Result<void>)>;

    /// The end of one `send`: exactly one per call, or none if the process dies.
    virtual void outcome(const model::MessageId& message, model::PhoneNumber device,
                         model::Outcome outcome) = 0;
    /// `reason` is for people and never empty when the state is not `connected`.
    virtual void device_state(model::PhoneNumber device, model::DeviceState state,
                              std::string reason, Stored stored) = 0;
    /// Nothing to wait for: a step that is lost expires, and the connector gives the next one.
    virtual void pairing(model::PhoneNumber device, PairingStep step) = 0;
    /// In any order and any number of times: each status of a platform id counts once, and one that
    /// is behind what is known is left out. Errors: busy (too many of this device wait),
    /// invalid_argument (is_platform_id, text_bytes_max).
    virtual void late_status(LateStatus status, Stored stored) = 0;
    /// Any number of times: each platform id of a device counts once. Errors: as late_status.
    virtual void inbound(InboundMessage message, Stored stored) = 0;
    /// The next snapshot of this connector's capabilities differs from the last.
    virtual void capabilities_changed() = 0;
};

/// What connectors must know of their devices after a restart: credentials, keys, sessions. Kept in
/// the store, encrypted, and part of its backup; removed with the device.
///
/// Threads: any; answers come on another, a refusal also from within. Limits: store::Tables;
/// get_bytes_max.
class DeviceSecrets {
public:
    /// What one `get` answers at most.
    static constexpr std::size_t get_bytes_max = 1'048'576;
    /// The longest value that fits a line of the connector protocol.
    static constexpr std::size_t value_bytes_max = 524'288;

    virtual ~DeviceSecrets() = default;

    /// By name; empty: nothing is kept under it.
    using Values = std::vector<std::pair<std::string, std::optional<Bytes>>>;
    using Got = std::move_only_function<void(Result<Values>)>;
    /// In the order of the names; sees every `put` that was answered. Errors: refused (they are
    /// longer than get_bytes_max), not_found (no such device), busy, conflict (the store's key is
    /// another's).
    virtual void get(model::PhoneNumber device, std::vector<std::string> names, Got got) = 0;

    /// What else is kept of the device.
    enum class Others : std::uint8_t { stay, go };
    /// Keeps all of them or none, empty ones are removed; durable before it answers. Errors:
    /// refused (a limit), not_found (no such device), busy.
    virtual void put(model::PhoneNumber device, Values values, Others others,
                     ConnectorEvents::Stored stored) = 0;
};

/// Sends for the devices of one platform.
///
/// The gateway, not the connector, owns delay, order, pacing, retry, give-up and media download;
/// the connector owns what only the platform can know. A connector that cannot tell whether a send
/// arrived reports Outcome::Kind::unknown and never repeats it by itself.
///
/// Threads: `send` is called by the scheduler's thread, what is about devices by the store's, in
/// the order of its commits; none may block. Reports may come from any thread, also from within.
/// `capabilities` and `first_state` from any thread.
class Connector {
public:
    virtual ~Connector() = default;

    /// Never null, also before `start`.
    [[nodiscard]] virtual CapabilitiesPtr capabilities() const = 0;

    /// The state in which a new device begins: connected where nobody need do anything.
    [[nodiscard]] virtual model::DeviceState first_state(model::PhoneNumber device) const = 0;

    /// Errors: io_failed and others, with a sentence for the operator. Nothing else is then asked
    /// of it.
    [[nodiscard]] virtual Result<void> start(ConnectorEvents& events, DeviceSecrets& secrets) = 0;
    /// Reports the outcomes of what is under way, as far as it can, and ends its threads. A send
    /// that comes afterwards is reported as device_down. The states of devices stay what they are:
    /// the next start goes on from there. Idempotent.
    virtual void stop() = 0;

    /// Why none of its devices can work at this moment, as the end of a sentence that anybody may
    /// read; empty: nothing is known to be wrong. Any thread.
    [[nodiscard]] virtual std::string trouble() const { return {}; }

    /// Connects the device, with credentials it has, or by pairing in this way (one of
    /// Capabilities::pairing; empty: the connector's choice); reports device_state.
    virtual void start_device(const model::Device& device, std::string_view pairing_method) = 0;
    /// Answers a pairing step that asks for something (an OTP, a passkey assertion).
    virtual void answer_pairing(model::PhoneNumber device, std::string_view answer) = 0;
    /// Disconnects and keeps the credentials; reports device_state.
    virtual void stop_device(model::PhoneNumber device) = 0;
    /// Disconnects and forgets the credentials, here and at the platform.
    virtual void forget_device(model::PhoneNumber device) = 0;

    /// Whether it keeps DeviceSecrets.
    [[nodiscard]] virtual bool keeps_secrets() const { return false; }
    /// Once the device is disconnected, and nothing writes its secrets until it is started again;
    /// or with why that is not sure. Any thread, also from within; must not block.
    using Settled = std::move_only_function<void(Result<void>)>;
    virtual void settle_device(model::PhoneNumber /*device*/, Settled settled) { settled({}); }

    // What only the platform knows. Both answer once, from any thread, also from within, or not at
    // all where the gateway stops first; must not block. Errors: refused (the connector cannot do
    // it), conflict (the device cannot just now), busy, timeout, unreachable (the platform, or an
    // answer that makes no sense); each with a sentence that anybody may read.

    /// How many bytes were written. Errors: not_found (the platform has it no more), refused (it is
    /// larger than bytes_max), too.
    using MediaFetched = std::move_only_function<void(Result<std::uint64_t>)>;
    virtual void fetch_media(MediaRequest request, MediaFetched done);
    /// Whether the number is registered at the platform. Errors: invalid_argument (it can be no
    /// number there) too.
    using NumberChecked = std::move_only_function<void(Result<bool>)>;
    virtual void check_number(model::PhoneNumber device, std::string number, NumberChecked done);

    /// Sends one message, showing "typing" first where the message asks and the platform can.
    virtual void send(const SendRequest& request) = 0;
};

}  // namespace merpati::connector
