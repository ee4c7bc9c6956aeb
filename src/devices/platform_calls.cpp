#include "devices/platform_calls.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/shared_limit.hpp"

namespace merpati::devices {

struct PlatformCalls::Places {
    enum class Of : std::uint8_t { downloads, questions };
    explicit Places(Of of) : kind(of) {}

    /// Takes a slot, which is released with the last copy of the result. Errors: too_many_requests
    /// (of this device or account), busy.
    static Result<std::shared_ptr<void>> take(const std::shared_ptr<Places>& places,
                                              const model::Device& device) {
        const std::lock_guard lock{places->mutex};
        const auto held_of = [](const auto& counts, const auto& party) {
            const auto found = counts.find(party);
            return found == counts.end() ? std::size_t{0} : found->second;
        };
        const auto of_account = held_of(places->of_account, device.account);
        const bool device_full = held_of(places->of_device, device.number) >= of_device_max;
        if (device_full || (of_account > 0 && !places->all.admits(of_account))) {
            return fail(ErrorCode::too_many_requests,
                        places->kind == Of::downloads
                            ? "too many downloads of this device, or account, are under way: wait "
                              "for one to end"
                            : "too many questions of this device, or account, to the platform are "
                              "under way: wait for one to end");
        }
        if (!places->all.admits(of_account)) {
            return fail(ErrorCode::busy,
                        places->kind == Of::downloads
                            ? "too many downloads are under way: try again"
                            : "too many questions to the platform are under way: try again");
        }
        places->all.acquire();
        ++places->of_account[device.account];
        ++places->of_device[device.number];
        return std::shared_ptr<void>{
            places.get(), [places, account = device.account, number = device.number](void*) {
                const std::lock_guard held{places->mutex};
                places->all.release();
                give_back(places->of_account, account);
                give_back(places->of_device, number);
            }};
    }

private:
    template <class Counts, class Party>
    static void give_back(Counts& counts, const Party& party) {
        if (const auto found = counts.find(party); --found->second == 0) {
            counts.erase(found);
        }
    }

    const Of kind;
    std::mutex mutex;
    SharedLimit all{places_max};
    std::unordered_map<model::AccountId, std::size_t> of_account;
    std::unordered_map<model::PhoneNumber, std::size_t> of_device;
};

/// One download, until its file is complete.
struct PlatformCalls::Fetch {
    connector::Connector& connector;
    store::ReceivedMedia media;
    std::uint64_t bytes_max;
    media::ReceivedFilePtr file;
    Fetched done;
    telemetry::Log log;

    void written(const Result<std::uint64_t>& bytes);
};

PlatformCalls::PlatformCalls(Rooms rooms)
    : rooms_(std::move(rooms)),
      places_(std::make_shared<Places>(Places::Of::downloads)),
      questions_(std::make_shared<Places>(Places::Of::questions)),
      checks_(rooms_.clock) {}

void PlatformCalls::fetch_media(const model::Device& device, const store::ReceivedMedia& media,
                                Fetched done) {
    auto* const connector = rooms_.connectors.find(device.connector);
    if (connector == nullptr) {
        done(rooms_.connectors.missing(device.connector));
        return;
    }
    if (media.bytes > rooms_.bytes_max) {
        done(fail(ErrorCode::refused,
                  fmt::format("the file has {} bytes: the server takes {} at most", media.bytes,
                              rooms_.bytes_max)));
        return;
    }
    auto place = Places::take(places_, device);
    if (!place) {
        done(pass(place));
        return;
    }
    const auto bytes_max = media.bytes == 0 ? rooms_.bytes_max : media.bytes;
    auto fetch = std::make_shared<Fetch>(Fetch{.connector = *connector,
                                               .media = media,
                                               .bytes_max = bytes_max,
                                               .file = nullptr,
                                               .done = std::move(done),
                                               .log = rooms_.log});
    rooms_.media_fetcher.make_file(
        device.account, bytes_max,
        [this, fetch, place = *std::move(place)](Result<media::ReceivedFilePtr> file) {
            if (!file) {
                fetch->done(pass(file));
                return;
            }
            fetch->file = *std::move(file);
            fetch->file->carry(place);
            write(fetch);
        });
}

void PlatformCalls::write(const std::shared_ptr<Fetch>& fetch) {
    fetch->connector.fetch_media(
        {.device = fetch->media.device,
         .platform_id = fetch->media.platform_id,
         .reference = fetch->media.reference,
         .path = fetch->file->path(),
         .bytes_max = fetch->bytes_max},
        [fetch](const Result<std::uint64_t>& bytes) { fetch->written(bytes); });
}

/// Accepts the file only if it matches what the connector reported.
void PlatformCalls::Fetch::written(const Result<std::uint64_t>& bytes) {
    const bool fits = bytes && *bytes <= bytes_max;
    const auto closed = fits ? file->accept(*bytes) : file->discard();
    if (!closed) {
        log.warn("a connector was to write received media to a file, and to close it",
                 {{"device", telemetry::mask_number(media.device.text())},
                  {"why", closed.error().detail}});
    }
    if (!bytes) {
        done(pass(bytes));
    } else if (!closed && closed.error().code == ErrorCode::io_failed) {
        done(pass(closed));
    } else if (!fits || !closed) {
        done(fail(ErrorCode::unreachable,
                  "the device's connector wrote another file than it says, or keeps it"));
    } else {
        done(std::move(file));
    }
}

void PlatformCalls::check_number(const model::Device& device, const std::string& number,
                                 Checked done) {
    auto* const connector = rooms_.connectors.find(device.connector);
    if (connector == nullptr) {
        done(rooms_.connectors.missing(device.connector));
        return;
    }
    if (!connector->capabilities()->number_check) {
        done(fail(ErrorCode::refused, "the device's connector checks no numbers"));
        return;
    }
    if (!checks_.begin(device, number, std::move(done))) {
        return;
    }
    connector->check_number(
        device.number, number, [this, device, number](const Result<bool>& registered) {
            for (auto& [other, waiting] : checks_.end(device, number, registered)) {
                check_number(other, number, std::move(waiting));
            }
        });
}

/// Calls `ask` with the device's connector, and with `done` as what holds a place until it is
/// called.
template <class Done, class Ask>
void PlatformCalls::question(const model::Device& device, Done done, Ask ask) {
    auto* const connector = rooms_.connectors.find(device.connector);
    if (connector == nullptr) {
        done(rooms_.connectors.missing(device.connector));
        return;
    }
    auto place = Places::take(questions_, device);
    if (!place) {
        done(pass(place));
        return;
    }
    ask(*connector, [place = *std::move(place), done = std::move(done)](auto answer) mutable {
        done(std::move(answer));
    });
}

void PlatformCalls::check_access(const model::Device& device, connector::PlatformAccess access,
                                 AccessChecked done) {
    question(device, std::move(done), [&access](connector::Connector& connector, auto answered) {
        connector.check_access(std::move(access), std::move(answered));
    });
}

void PlatformCalls::list_templates(const model::Device& device, connector::PlatformAccess access,
                                   std::string cursor, TemplatesListed done) {
    question(device, std::move(done), [&](connector::Connector& connector, auto answered) {
        connector.list_templates(std::move(access), std::move(cursor), std::move(answered));
    });
}

void PlatformCalls::find_template(const model::Device& device, std::string name,
                                  std::string language, connector::Connector::TemplateFound done) {
    question(device, std::move(done), [&](connector::Connector& connector, auto answered) {
        connector.find_template(device.number, std::move(name), std::move(language),
                                std::move(answered));
    });
}

}  // namespace merpati::devices
