// Asks the platforms of devices what the catalogue wants to know: received media and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "api/manage/devices/platform_control.hpp"
#include "base/clock.hpp"
#include "connector/connectors.hpp"
#include "devices/number_checks.hpp"
#include "media/media_fetcher.hpp"
#include "telemetry/log.hpp"

namespace merpati::devices {

/// Operation: a download gets an empty file in the media folder, with its bytes reserved. The
/// device's connector writes the file and closes it. The file's size must then be what the
/// connector reported, and within the limit. A connector that keeps the file open could fill the
/// disk later, so the download fails and a warning is logged. The file is removed with its last
/// reader.
///
/// Fairness: a download holds a slot until its client has read the file. A device has at most
/// `of_device_max` slots, an account at most as many as are still free (SharedLimit). So a
/// connector that hangs, or a client that reads slowly, delays only its own account. There is no
/// queue: a download without a slot is refused, with too_many_requests or busy.
///
/// Checks of numbers: see NumberChecks. Other questions hold a slot of their own kind until they
/// are answered, shared in the same way.
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
    void check_access(const model::Device& device, connector::PlatformAccess access,
                      AccessChecked done) override;
    void list_templates(const model::Device& device, connector::PlatformAccess access,
                        std::string cursor, TemplatesListed done) override;

    /// connector::Connector::find_template of the device's connector. Further errors: as of the
    /// other questions.
    void find_template(const model::Device& device, std::string name, std::string language,
                       connector::Connector::TemplateFound done);

private:
    struct Places;
    struct Fetch;

    template <class Done, class Ask>
    void question(const model::Device& device, Done done, Ask ask);
    void write(const std::shared_ptr<Fetch>& fetch);

    const Rooms rooms_;
    const std::shared_ptr<Places> places_;  // Shared with files, which may outlive this object.
    const std::shared_ptr<Places> questions_;
    NumberChecks checks_;
};

}  // namespace merpati::devices
