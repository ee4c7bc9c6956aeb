// What the catalogue asks of the platforms of devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "api/manage/context.hpp"
#include "base/clock.hpp"
#include "connector/connectors.hpp"
#include "daemon/number_checks.hpp"
#include "media/media_fetcher.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Operation: a download gets an empty file within the room for media; the device's connector
/// writes it, and lets go of it; what is there then must be what the connector says, and no more
/// than it may be. A connector that keeps the file could fill it, and the disk, when nobody looks:
/// it is refused and written to the log. The file is removed when the last who reads it lets go of
/// it.
///
/// Fairness: a download takes a place from its beginning until its client has read it: of a device
/// `of_device_max` at most, of an account no more than are still free. So a connector that hangs,
/// or a client that reads slowly, costs its own account alone. Nothing waits in line here: who has
/// no place is told to come again.
///
/// Threads: any; nothing blocks.
class PlatformCalls final : public api::manage::PlatformControl {
public:
    struct Rooms {
        const Clock& clock;
        const connector::Connectors& connectors;
        media::MediaFetcher& media_fetcher;
        std::uint64_t bytes_max = 0;  // media.max_bytes
        telemetry::Log log;
    };
    explicit PlatformCalls(Rooms rooms);

    static constexpr std::size_t places_max = 128;
    static constexpr std::size_t of_device_max = 8;

    void fetch_media(const model::Device& device, const store::ReceivedMedia& media,
                     Fetched done) override;
    void check_number(const model::Device& device, const std::string& number,
                      Checked done) override;

private:
    struct Places;
    struct Fetch;

    void write(const std::shared_ptr<Fetch>& fetch);

    const Rooms rooms_;
    const std::shared_ptr<Places> places_;  // Files may outlive us.
    NumberChecks checks_;
};

}  // namespace merpati::daemon
