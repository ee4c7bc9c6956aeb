#include "devices/stored_secrets.hpp"

#include <algorithm>
#include <memory>

namespace merpati::devices {
namespace {

std::unexpected<Error> refused() {
    return fail(ErrorCode::busy, "the store takes no more work just now");
}

}  // namespace

void StoredSecrets::get(const connector::DeviceRef& device, std::vector<std::string> names,
                        std::size_t bytes_max, Got got) {
    struct Work {
        Values values;
        Got got;
    };
    const auto work = std::make_shared<Work>(Work{.values = {}, .got = std::move(got)});
    const bool taken = committer_.change(
        [this, device, names = std::move(names), bytes_max,
         work](store::Tables& tables) -> Result<void> {
            if (auto owned = check_owner(tables, device); !owned) {
                return owned;
            }
            work->values.clear();
            std::size_t bytes = 0;
            for (const auto& name : names) {
                auto found = tables.device_secret(device, name);
                if (!found) {
                    return pass(found);
                }
                bytes += *found ? (*found)->size() : 0;
                if (bytes > std::min(bytes_max, get_bytes_max)) {
                    return fail(ErrorCode::refused, "too many secrets for one read");
                }
                work->values.emplace_back(name, std::move(*found));
            }
            return {};
        },
        [work](Result<void> done) {
            work->got(done ? Result<Values>{std::move(work->values)}
                           : std::unexpected(std::move(done.error())));
        });
    if (!taken) {
        work->got(refused());
    }
}

void StoredSecrets::put(const connector::DeviceRef& device, Values values, Others others,
                        connector::ConnectorEvents::Stored stored) {
    const auto answer = std::make_shared<connector::ConnectorEvents::Stored>(std::move(stored));
    const bool taken = committer_.change(
        [this, device, values = std::move(values), others](store::Tables& tables) -> Result<void> {
            if (auto owned = check_owner(tables, device); !owned) {
                return owned;
            }
            if (others == Others::go) {
                if (auto cleared = tables.clear_device_secrets(device); !cleared) {
                    return cleared;
                }
            }
            for (const auto& [name, value] : values) {
                if (auto put = tables.put_device_secret(device, name, value); !put) {
                    return put;
                }
            }
            return {};
        },
        [answer](Result<void> done) { (*answer)(std::move(done)); });
    if (!taken) {
        (*answer)(refused());
    }
}

Result<void> StoredSecrets::check_owner(store::DeviceTables& tables,
                                        const connector::DeviceRef& device) const {
    const auto known = tables.find_device(device);
    if (!known) {
        return std::unexpected(known.error());
    }
    if (!*known || (*known)->connector != connector_ || !device.is(**known)) {
        return fail(ErrorCode::not_found, "this connector has no such device");
    }
    return {};
}

}  // namespace merpati::devices
