#include "devices/moves.hpp"

#include <chrono>
#include <future>

#include "devices/changes.hpp"
#include "devices/keeper.hpp"

namespace merpati::devices {
namespace {

/// Longer than a connector waits for its worker.
constexpr std::chrono::seconds settled_within{65};

std::unexpected<Error> being_moved(const model::Device& device) {
    return fail(ErrorCode::conflict, device.number.text() +
                                         " is being imported or exported: try again when that is "
                                         "done");
}

}  // namespace

class DeviceMoves::Move final : public Stillness {
public:
    Move(DeviceMoves& moves, model::PhoneNumber number) : moves_(moves), number_(number) {}
    Move(const Move&) = delete;
    Move& operator=(const Move&) = delete;
    ~Move() override {
        const std::lock_guard lock{moves_.mutex_};
        moves_.moving_.erase(number_);
    }

private:
    DeviceMoves& moves_;
    const model::PhoneNumber number_;
};

std::unique_ptr<DeviceMoves::Stillness> DeviceMoves::begin(model::PhoneNumber number) {
    const std::lock_guard lock{mutex_};
    return moving_.insert(number).second ? std::make_unique<Move>(*this, number) : nullptr;
}

bool DeviceMoves::under_way(model::PhoneNumber number) const {
    const std::lock_guard lock{mutex_};
    return moving_.contains(number);
}

Result<void> DeviceKeeper::check_may_start(const model::Device& device) const {
    if (device.exported_at) {
        return refuse_exported(device);
    }
    return check_not_moved(device);
}

Result<void> DeviceKeeper::check_not_moved(const model::Device& device) const {
    return moves_.under_way(device.number) ? being_moved(device) : Result<void>{};
}

/// Decides on the committer's thread, where devices are started. A start that was asked for just
/// before is stopped again; a later one is refused.
Result<std::unique_ptr<DeviceKeeper::Stillness>> DeviceKeeper::keep_still(
    model::PhoneNumber number) {
    const auto settled = std::make_shared<std::promise<Result<void>>>();
    auto answer = settled->get_future();
    std::unique_ptr<Stillness> still;
    const auto asked = steer(
        number, [&](connector::Connector& connector, const model::Device& device) -> Result<void> {
            if (auto checked = check_still(device, connector); !checked) {
                return checked;
            }
            still = moves_.begin(number);
            if (still == nullptr) {
                return being_moved(device);
            }
            connector.settle_device(
                number, [settled](Result<void> done) { settled->set_value(std::move(done)); });
            return {};
        });
    if (!asked) {
        return pass(asked);
    }
    if (answer.wait_for(settled_within) != std::future_status::ready) {
        return fail(ErrorCode::busy, "the connector does not answer: try again");
    }
    if (auto done = answer.get(); !done) {
        return pass(done);
    }
    return still;
}

/// Pairing an exported device creates a new link: the exported secrets remain with the other
/// program.
Result<void> DeviceKeeper::drop_exported_secrets(model::PhoneNumber number) {
    const auto still = keep_still(number);
    if (!still) {
        return pass(still);
    }
    return rooms_.committer.change_and_wait([number](store::Tables& tables) -> Result<void> {
        const auto device = tables.find_device(number);
        if (!device) {
            return pass(device);
        }
        if (!*device || !(*device)->exported_at) {
            return {};
        }
        if (auto cleared = tables.clear_device_secrets(number); !cleared) {
            return cleared;
        }
        return forget_export(tables, number);
    });
}

}  // namespace merpati::devices
