// The dispatcher: attaches and detaches lanes.
#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {
namespace {

/// Answers a request to detach lanes when the last of them lets go of it.
class LeaveRequest {
public:
    explicit LeaveRequest(std::move_only_function<void()> done) : done_(std::move(done)) {}
    LeaveRequest(const LeaveRequest&) = delete;
    LeaveRequest& operator=(const LeaveRequest&) = delete;
    ~LeaveRequest() { done_(); }

private:
    std::move_only_function<void()> done_;
};

}  // namespace

/// Reads of one lane what a start reads of all. Damage stops the lane when it runs, or has cost it
/// its record.
Result<void> Dispatcher::recover(Lane& lane) {
    for (const auto source : {model::Source::api, model::Source::campaign}) {
        const auto due = reader_->next_due(lane.device(), source, Timestamp{});
        if (!due && due.error().code != ErrorCode::damaged) {
            return pass(due);
        }
        if (due && *due) {
            lane.recover(source, **due);
        }
    }
    const auto record = reader_->lane_record(lane.device());
    if (!record && record.error().code != ErrorCode::damaged) {
        return pass(record);
    }
    if (record && *record) {
        lane.recover(**record);
    }
    return {};
}

void Dispatcher::handle(DevicesAttached&& event) {
    std::vector<model::PhoneNumber> expected;
    for (auto& device : event.devices) {
        const auto number = device.number;
        if (expect(std::move(device))) {
            expected.push_back(number);
        }
    }
    if (!expected.empty()) {
        arriving_.push_back(std::move(expected));
    }
}

/// False: its lane need not be read, or not yet.
bool Dispatcher::expect(model::Device&& device) {
    auto& lane = lane_of(device.number);
    if (lane.is_known() && !lane.is_leaving()) {
        change(lane, device);
        return false;
    }
    lane.expect(std::move(device));
    return !lane.is_leaving();
}

/// Reads the lanes of some devices together. A read that failed is repeated; if it has met damage,
/// each lane is read for itself.
void Dispatcher::arrive_some() {
    if (arriving_.empty() || now_ < arrive_at_) {
        return;
    }
    auto& devices = arriving_.front();
    const auto is_expected = [this](model::PhoneNumber device) {
        const auto* lane = find_lane(device);
        return lane != nullptr && lane->is_expecting();
    };
    std::erase_if(devices, std::not_fn(is_expected));
    const auto starts = reader_->lane_starts(devices);
    if (!starts && starts.error().code != ErrorCode::damaged) {
        arrive_at_ = now_ + store_pause;
        report(starts.error());
        return;
    }
    if (starts) {
        for (const auto& start : *starts) {
            auto& lane = lane_of(start.device);
            for (const auto source : {model::Source::api, model::Source::campaign}) {
                if (const auto due = start.due_from[static_cast<std::size_t>(source)]) {
                    lane.recover(source, *due);
                }
            }
            if (start.record) {
                lane.recover(*start.record);
            }
        }
    }
    for (const auto device : devices) {
        auto& lane = lane_of(device);
        starts ? enter(lane) : make_ready(lane);
    }
    arriving_.pop_front();
}

/// A read that failed is repeated.
void Dispatcher::arrive(Lane& lane) {
    if (now_ < lane.next_read_at()) {
        timers_.arm(lane, lane.next_read_at());
        return;
    }
    if (const auto read = recover(lane); !read) {
        read_failed(lane, read.error());
        timers_.arm(lane, lane.next_read_at());
        return;
    }
    enter(lane);
}

/// What the store holds of the lane was read.
void Dispatcher::enter(Lane& lane) {
    const auto device = lane.arrive(now_ + std::min<Millis>(start_grace, options_.give_up));
    change(lane, *device);
}

void Dispatcher::handle(DevicesDetached&& event) {
    const auto request = std::make_shared<const LeaveRequest>(std::move(event.done));
    for (const auto device : event.devices) {
        const auto found = lanes_.find(device);
        if (found == lanes_.end()) {
            continue;
        }
        auto& lane = *found->second;
        std::ignore = lane.take_expected();
        if (!lane.is_leaving()) {
            leave(lane);
        }
        if (event.how == model::Leave::at_once) {
            lane.drop_outcomes();
        } else if (lane.flights() > 0) {
            lane.hold_until_left(request);
        }
        make_ready(lane);
    }
}

/// Its messages wait in the store from now on, except those in flight.
void Dispatcher::leave(Lane& lane) {
    memory_.evict(lane);
    lane.leave();
    timers_.disarm(lane);
}

/// Forgets a lane that is being detached once nothing of it is in flight. Its device may have come
/// back meanwhile.
void Dispatcher::end_if_left(Lane& lane) {
    count(lane);
    if (lane.flights() > 0) {
        return;
    }
    lane.let_go();
    if (lane.is_fetching() || lane.is_ready()) {
        return;  // Its last fetch makes it ready.
    }
    const auto back = lane.take_expected();
    erase(lane);
    if (back != nullptr) {
        handle(DevicesAttached{.devices = {std::move(*back)}});
    }
}

}  // namespace merpati::scheduler
