// The fixture of the connectors' conformance suite: one connector, and what it reports to.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/uuid.hpp"
#include "connector/connector.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::connector {

/// A connector under test, with the recipients and devices that make its platform do what the suite
/// needs. An empty one: the platform cannot do it.
struct Subject {
    using Make = std::function<std::unique_ptr<Connector>(const Clock&,
                                                          const std::filesystem::path& folder)>;

    std::string name;
    Make make;

    // Recipients.
    std::string is_sent;
    std::string is_refused;
    std::string fails_in_passing;  // At its first attempt.
    std::string outcome_unknown;   // At its first attempt.
    std::string sent_later;        // Accepted, then sent, delivered and read.
    std::string fails_later;       // Accepted, then failed.
    std::string statuses_first;    // Statuses are reported before the acceptance.
    std::string repeats_itself;    // Each status more than once.
    std::string writes_back;
    std::string kills_worker;  // At its first attempt; the devices come back.

    /// The outcome of a message that the platform takes.
    model::Outcome::Kind taken = model::Outcome::Kind::sent;

    /// For each pairing method a device number, the answer to its step if it asks for one, and the
    /// step's method if it is another.
    struct Pairable {
        model::PhoneNumber number;
        std::string answer;
        std::string step_method{};
    };
    std::map<std::string, Pairable> pairing;
    bool pairing_makes_secrets = true;    // Otherwise a device has them before.
    model::PhoneNumber connects_at_once;  // Needs no pairing, or has its secrets.
    /// Gives a device what it must have before it is started; may be empty.
    std::function<void(model::Device&, DeviceSecrets&)> prepare{};

    friend void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }
};

/// Every connector of this build. A new connector gets a row, and must pass the whole suite.
[[nodiscard]] std::vector<Subject> subjects();
[[nodiscard]] std::string name_of(const ::testing::TestParamInfo<Subject>& info);

/// All reports, in their order.
struct Reported {
    struct State {
        model::PhoneNumber device;
        model::DeviceState state;
        std::string reason;
        std::optional<Timestamp> until{};  // Of `restricted`.
    };
    std::vector<std::pair<model::MessageId, model::Outcome>> outcomes;
    std::vector<State> states;
    std::vector<PairingStep> steps;
    std::vector<LateStatus> statuses;
    std::vector<InboundMessage> inbound;

    [[nodiscard]] std::vector<model::DeviceState> states_of(model::PhoneNumber device) const;
    [[nodiscard]] bool is(model::PhoneNumber device, model::DeviceState state) const;
};

/// Records reports, from any thread.
class Recorder final : public ConnectorEvents {
public:
    int refuse_next = 0;  // How many of the next statuses and inbound messages get busy.

    void outcome(const model::MessageId& message, model::PhoneNumber device,
                 model::Outcome outcome) override;
    void device_state(const DeviceRef& device, model::DeviceState state, std::string reason,
                      Stored stored) override;
    void device_restricted(const DeviceRef& device, Timestamp until, std::string reason,
                           Stored stored) override;
    void pairing(const DeviceRef& device, PairingStep step) override;
    void late_status(LateStatus status, Stored stored) override;
    void inbound(InboundMessage message, Stored stored) override;
    void capabilities_changed() override {}

    /// Waits until `is_so` is true; fails the test if it is not within 20 s. Returns all reports up
    /// to then.
    Reported wait_until(const std::function<bool(const Reported&)>& is_so);

private:
    void note(const std::function<void(Reported&)>& change);
    [[nodiscard]] bool refuses();

    std::mutex mutex_;
    std::condition_variable changed_;
    Reported reported_;
};

/// Keeps secrets in memory, for as long as the test.
class MemorySecrets final : public DeviceSecrets {
public:
    void get(const DeviceRef& device, std::vector<std::string> names, std::size_t bytes_max,
             Got got) override;
    void put(const DeviceRef& device, Values values, Others others,
             ConnectorEvents::Stored stored) override;

    /// As the gateway does when the device is removed.
    void remove(model::PhoneNumber device);

private:
    std::mutex mutex_;
    std::map<model::PhoneNumber, std::map<std::string, Bytes>> devices_;
};

struct ConnectorTest : ::testing::TestWithParam<Subject> {
    ConnectorTest();
    ~ConnectorTest() override;

    /// As after a restart of the process.
    void restart();
    void connect(model::PhoneNumber number);
    /// The result of an answer to a pairing step.
    Result<void> answered(model::PhoneNumber number, std::string_view answer);
    [[nodiscard]] model::Device device_of(model::PhoneNumber number);
    /// A message of `subject.connects_at_once` to the recipient.
    model::Message& message(const std::string& recipient);
    model::Outcome send(const model::Message& message, std::uint32_t attempt = 1);

    const Subject& subject = GetParam();
    testing::TemporaryFolder folder;
    SystemClock clock;
    SystemRandom random;
    UuidSource ids{clock, random};
    MemorySecrets secrets;
    std::vector<std::unique_ptr<model::Message>> messages;  // Live as long as the connector.
    std::unique_ptr<Recorder> events;
    std::unique_ptr<Connector> connector;
};

}  // namespace merpati::connector
