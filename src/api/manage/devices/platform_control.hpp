// What handlers ask the platforms of devices.
#pragma once

#include <expected>
#include <functional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "connector/connector.hpp"
#include "media/received_file.hpp"
#include "model/device.hpp"
#include "store/records.hpp"

namespace merpati::api::manage {

/// Asks a device's platform. A stopped server's store has `StoppedPlatformControl`.
///
/// Threads: any; does not block. The answer comes once, on any thread, possibly before the call
/// returns; or not at all if the server stops first.
///
/// Errors of all: refused, conflict (not in the device's present state), busy, too_many_requests
/// (of this device or account), timeout, unreachable, shutting_down.
class PlatformControl {
public:
    virtual ~PlatformControl() = default;

    /// Downloads the media of a message that the device received. Further errors: not_found (the
    /// platform no longer has them), io_failed.
    using Fetched = std::move_only_function<void(Result<media::ReceivedFilePtr>)>;
    virtual void fetch_media(const model::Device& device, const store::ReceivedMedia& media,
                             Fetched done) = 0;

    struct NumberCheck {
        bool registered = false;
        Timestamp checked_at;
    };
    /// Whether the number is registered at the device's platform. Further errors: invalid_argument.
    using Checked = std::move_only_function<void(Result<NumberCheck>)>;
    virtual void check_number(const model::Device& device, const std::string& number,
                              Checked done) = 0;

    /// What the official platform says of a number. `device` need not be stored yet.
    using AccessChecked = connector::Connector::AccessChecked;
    virtual void check_access(const model::Device& device, connector::PlatformAccess access,
                              AccessChecked done) = 0;
    /// The templates of the device's business account.
    using TemplatesListed = connector::Connector::TemplatesListed;
    virtual void list_templates(const model::Device& device, connector::PlatformAccess access,
                                std::string cursor, TemplatesListed done) = 0;
};

/// Of a stopped server's store: refuses everything.
class StoppedPlatformControl final : public PlatformControl {
public:
    void fetch_media(const model::Device& /*device*/, const store::ReceivedMedia& /*media*/,
                     Fetched done) override {
        done(stopped());
    }
    void check_number(const model::Device& /*device*/, const std::string& /*number*/,
                      Checked done) override {
        done(stopped());
    }
    void check_access(const model::Device& /*device*/, connector::PlatformAccess /*access*/,
                      AccessChecked done) override {
        done(stopped());
    }
    void list_templates(const model::Device& /*device*/, connector::PlatformAccess /*access*/,
                        std::string /*cursor*/, TemplatesListed done) override {
        done(stopped());
    }

private:
    static std::unexpected<Error> stopped() {
        return fail(ErrorCode::refused,
                    "the server is stopped: start it, its connector asks the platform");
    }
};

}  // namespace merpati::api::manage
