#include "connector/conformance/connector_fixture.hpp"

#include <algorithm>
#include <chrono>
#include <future>

namespace merpati::connector {

using namespace std::chrono_literals;

std::string name_of(const ::testing::TestParamInfo<Subject>& info) {
    return info.param.name;
}

std::vector<model::DeviceState> Reported::states_of(model::PhoneNumber device) const {
    std::vector<model::DeviceState> all;
    for (const auto& report : states) {
        if (report.device == device) {
            all.push_back(report.state);
        }
    }
    return all;
}

bool Reported::is(model::PhoneNumber device, model::DeviceState state) const {
    const auto all = states_of(device);
    return !all.empty() && all.back() == state;
}

void Recorder::note(const std::function<void(Reported&)>& change) {
    {
        const std::lock_guard lock{mutex_};
        change(reported_);
    }
    changed_.notify_all();
}

bool Recorder::refuses() {
    const std::lock_guard lock{mutex_};
    return refuse_next > 0 && refuse_next-- > 0;
}

void Recorder::outcome(const model::MessageId& message, model::PhoneNumber,
                       model::Outcome outcome) {
    note([&](Reported& all) { all.outcomes.emplace_back(message, std::move(outcome)); });
}

void Recorder::device_state(const DeviceRef& device, model::DeviceState state, std::string reason,
                            Stored stored) {
    note([&](Reported& all) {
        all.states.push_back({.device = device, .state = state, .reason = std::move(reason)});
    });
    stored({});
}

void Recorder::device_restricted(const DeviceRef& device, Timestamp until, std::string reason,
                                 Stored stored) {
    note([&](Reported& all) {
        all.states.push_back({.device = device,
                              .state = model::DeviceState::restricted,
                              .reason = std::move(reason),
                              .until = until});
    });
    stored({});
}

void Recorder::pairing(const DeviceRef&, PairingStep step) {
    note([&](Reported& all) { all.steps.push_back(std::move(step)); });
}

void Recorder::late_status(LateStatus status, Stored stored) {
    if (refuses()) {
        stored(fail(ErrorCode::busy, "not now"));
        return;
    }
    note([&](Reported& all) { all.statuses.push_back(std::move(status)); });
    stored({});
}

void Recorder::inbound(InboundMessage message, Stored stored) {
    if (refuses()) {
        stored(fail(ErrorCode::busy, "not now"));
        return;
    }
    note([&](Reported& all) { all.inbound.push_back(std::move(message)); });
    stored({});
}

Reported Recorder::wait_until(const std::function<bool(const Reported&)>& is_so) {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, 20s, [&] { return is_so(reported_); }));
    return reported_;
}

void MemorySecrets::get(const DeviceRef& device, std::vector<std::string> names,
                        std::size_t bytes_max, Got got) {
    Values values;
    std::size_t bytes = 0;
    {
        const std::lock_guard lock{mutex_};
        const auto& kept = devices_[device];
        for (auto& name : names) {
            const auto found = kept.find(name);
            auto value = found == kept.end() ? std::nullopt : std::optional{found->second};
            bytes += value ? value->size() : 0;
            values.emplace_back(std::move(name), std::move(value));
        }
    }
    if (bytes > bytes_max) {
        got(fail(ErrorCode::refused, "too many secrets for one read"));
        return;
    }
    got(std::move(values));
}

void MemorySecrets::put(const DeviceRef& device, Values values, Others others,
                        ConnectorEvents::Stored stored) {
    {
        const std::lock_guard lock{mutex_};
        auto& kept = devices_[device];
        if (others == Others::go) {
            kept.clear();
        }
        for (auto& [name, value] : values) {
            if (value) {
                kept[name] = std::move(*value);
            } else {
                kept.erase(name);
            }
        }
    }
    stored({});
}

void MemorySecrets::remove(model::PhoneNumber device) {
    const std::lock_guard lock{mutex_};
    devices_.erase(device);
}

ConnectorTest::ConnectorTest() {
    restart();
}

ConnectorTest::~ConnectorTest() {
    connector->stop();
}

void ConnectorTest::restart() {
    if (connector != nullptr) {
        connector->stop();
    }
    connector = subject.make(clock, folder.path());
    events = std::make_unique<Recorder>();
    EXPECT_TRUE(connector->start(*events, secrets));
}

model::Device ConnectorTest::device_of(model::PhoneNumber number) {
    model::Device device;
    device.number = number;
    device.connector = GetParam().name;
    if (subject.prepare) {
        subject.prepare(device, secrets);
    }
    return device;
}

void ConnectorTest::connect(model::PhoneNumber number) {
    connector->start_device(device_of(number), {});
    events->wait_until(
        [&](const Reported& all) { return all.is(number, model::DeviceState::connected); });
}

Result<void> ConnectorTest::answered(model::PhoneNumber number, std::string_view answer) {
    const auto promise = std::make_shared<std::promise<Result<void>>>();
    auto taken = promise->get_future();
    connector->answer_pairing(
        number, answer, [promise](Result<void> said) { promise->set_value(std::move(said)); });
    return taken.get();
}

model::Message& ConnectorTest::message(const std::string& recipient) {
    auto made = std::make_unique<model::Message>();
    made->id = ids.next();
    made->device = subject.connects_at_once;
    made->recipient = recipient;
    made->body = "halo";
    messages.push_back(std::move(made));
    return *messages.back();
}

model::Outcome ConnectorTest::send(const model::Message& message, std::uint32_t attempt) {
    const auto before = events->wait_until([](const Reported&) { return true; }).outcomes.size();
    connector->send({.message = message, .attempt = attempt});
    const auto all = events->wait_until(
        [&](const Reported& reported) { return reported.outcomes.size() > before; });
    EXPECT_EQ(all.outcomes.back().first, message.id);
    return all.outcomes.back().second;
}

}  // namespace merpati::connector
