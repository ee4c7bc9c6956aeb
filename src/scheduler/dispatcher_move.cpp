// The dispatcher: attaches and detaches lanes.
#include <algorithm>
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

/// Messages wait in the store.
void Dispatcher::recover(Lane& lane, model::Source source, Timestamp due_from) {
    lane.recovered = true;
    lane.source(source).note_on_disk(due_from);
    make_ready(lane);
}

void Dispatcher::recover(Lane& lane, const store::LaneRecord& record) {
    lane.recovered = true;
    lane.down_since = lane.down_since_stored = record.down_since;
    if (record.sent) {
        lane.pacer.restore(*record.sent);
    }
}

/// Reads of one lane what a start reads of all. Damage stops the lane when it runs, or has cost it
/// its record.
Result<void> Dispatcher::recover(Lane& lane) {
    for (const auto source : {model::Source::api, model::Source::campaign}) {
        const auto due = reader_->next_due(lane.device, source, Timestamp{});
        if (!due && due.error().code != ErrorCode::damaged) {
            return pass(due);
        }
        if (due && *due) {
            recover(lane, source, **due);
        }
    }
    const auto record = reader_->lane_record(lane.device);
    if (!record && record.error().code != ErrorCode::damaged) {
        return pass(record);
    }
    if (record && *record) {
        recover(lane, **record);
    }
    return {};
}

void Dispatcher::handle(DeviceAttached&& event) {
    auto& lane = lane_of(event.device.number);
    if (lane.known && lane.leaving == nullptr) {
        change(lane, event.device);
        return;
    }
    lane.arriving = std::make_unique<model::Device>(std::move(event.device));
    lane.recovered = true;  // It stays until it is read.
    make_ready(lane);
}

/// A read that failed is repeated.
void Dispatcher::arrive(Lane& lane) {
    if (now_ < lane.next_read_at) {
        timers_.arm(lane, lane.next_read_at);
        return;
    }
    if (const auto read = recover(lane); !read) {
        read_failed(lane, read.error());
        timers_.arm(lane, lane.next_read_at);
        return;
    }
    lane.give_up_from = now_ + std::min<Millis>(start_grace, options_.give_up);
    const auto device = std::move(lane.arriving);
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
        lane.arriving.reset();
        if (lane.leaving == nullptr) {
            begin_leaving(lane);
        }
        if (event.how == model::Leave::at_once) {
            lane.leaving->drops_outcomes = true;
        } else if (lane.flights > 0) {
            lane.leaving->requests.push_back(request);
        }
        make_ready(lane);
    }
}

/// Its messages wait in the store from now on, except those in flight.
void Dispatcher::begin_leaving(Lane& lane) {
    lane.leaving = std::make_unique<LaneLeaving>();
    lane.known = false;
    evict(lane);
    for (auto& source : lane.sources) {
        source.disk_due.reset();
    }
    timers_.disarm(lane);
}

/// Forgets a lane that is being detached once nothing of it is in flight. Its device may have come
/// back meanwhile.
void Dispatcher::end_if_left(Lane& lane) {
    count(lane);
    if (lane.flights > 0) {
        return;
    }
    lane.leaving->requests.clear();
    if (lane.is_fetching() || lane.ready) {
        return;  // Its last fetch makes it ready.
    }
    const auto back = std::move(lane.arriving);
    erase(lane);
    if (back != nullptr) {
        handle(DeviceAttached{.device = std::move(*back)});
    }
}

}  // namespace merpati::scheduler
