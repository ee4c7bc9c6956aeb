#include "daemon/device_secrets.hpp"

#include <memory>

namespace merpati::daemon {
namespace {

std::unexpected<Error> refused() {
    return fail(ErrorCode::busy, "the store takes no more work just now");
}

}  // namespace

void DeviceSecrets::get(model::PhoneNumber device, std::string name, Got got) {
    struct Work {
        std::optional<Bytes> value;
        Got got;
    };
    const auto work = std::make_shared<Work>(Work{.value = {}, .got = std::move(got)});
    const bool taken = committer_.change(
        [device, name = std::move(name), work](store::Tables& tables) -> Result<void> {
            auto found = tables.device_secret(device, name);
            if (!found) {
                return pass(found);
            }
            work->value = std::move(*found);
            return {};
        },
        [work](Result<void> done) {
            work->got(done ? Result<std::optional<Bytes>>{std::move(work->value)}
                           : std::unexpected(std::move(done.error())));
        });
    if (!taken) {
        work->got(refused());
    }
}

void DeviceSecrets::put(model::PhoneNumber device, Values values,
                        connector::ConnectorEvents::Stored stored) {
    const auto answer = std::make_shared<connector::ConnectorEvents::Stored>(std::move(stored));
    const bool taken = committer_.change(
        [device, values = std::move(values)](store::Tables& tables) -> Result<void> {
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

}  // namespace merpati::daemon
