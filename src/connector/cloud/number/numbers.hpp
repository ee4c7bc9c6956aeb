// The numbers of the connector: their tokens, their states and their pairing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "connector/cloud/codec/codes.hpp"
#include "connector/cloud/graph/graph_client.hpp"
#include "connector/cloud/number/number.hpp"
#include "connector/connector.hpp"
#include "connector/patient_secrets.hpp"

namespace merpati::connector::cloud {

/// Operation: a number that has an id and a token is `connected` when it is started: the gateway
/// has checked both before, and the platform's first refusal says if they are no longer valid. Then
/// it is `disconnected`, until it is started again. Each start reads the secrets anew.
///
/// Pairing: `pin` asks for the PIN and registers the number with it. `sms` and `voice` request a
/// code, ask for it and verify it; if the number is not registered then, the PIN is asked for too.
/// Pairing keeps nothing: the token stays what it is.
///
/// Threads: one. Limits: reads_max reads of secrets at once; others wait in their order.
class Numbers {
public:
    static constexpr std::size_t reads_max = 32;

    struct Rooms {
        const Clock& clock;
        GraphClient& graph;
        PatientSecrets::Later later;
        /// Runs a function on this class's thread.
        std::function<void(std::move_only_function<void()>)> post;
        /// Called when what the webhook must know of a number has changed, and with its number when
        /// it is forgotten.
        std::function<void(const Number&)> on_known;
        std::function<void(model::PhoneNumber)> on_forgotten;
    };
    explicit Numbers(Rooms rooms) : rooms_(std::move(rooms)), secrets_(rooms_.later) {}

    void begin(ConnectorEvents& events, DeviceSecrets& secrets);

    void know(const model::Device& device);
    void start(const model::Device& device, std::string_view method);
    void answer(model::PhoneNumber number, std::string answer, Connector::Settled settled);
    void stop(model::PhoneNumber number);
    void forget(model::PhoneNumber number);

    /// Null: the connector has no such device. Valid until `forget`.
    [[nodiscard]] Number* find(model::PhoneNumber number);

    /// The platform has refused the number, or restricted it: it is disconnected, with the reason.
    void end(Number& number, const Verdict& verdict, const GraphError& error);

    /// The platform asks for a pause of the number. It is kept, so that a restart does not end it.
    void hold(Number& number, Millis wait);

    [[nodiscard]] static std::set<std::string, std::less<>> pairing_methods();

private:
    void read_secrets(Number& number);
    void read_next();
    void take_secrets(const DeviceRef& ref, Result<DeviceSecrets::Values> values);
    void take_hold(Number& number, const std::optional<Bytes>& kept) const;
    void go_on(Number& number);
    void report(Number& number, model::DeviceState state, std::string_view reason);
    void connect(Number& number);

    void pair(Number& number, const std::string& method);
    void ask_for(Number& number, PairingStage stage, std::string_view hint);
    void verify(Number& number, const std::string& code, Connector::Settled settled);
    void enter(Number& number, const std::string& pin, Connector::Settled settled);
    /// Calls `then` with the answer if the number is still in the same turn; otherwise settles.
    [[nodiscard]] GraphAnswered in_turn(const Number& number,
                                        std::function<void(Number&, const GraphAnswer&)> then,
                                        std::shared_ptr<Connector::Settled> settled = nullptr);

    const Rooms rooms_;
    PatientSecrets secrets_;
    ConnectorEvents* events_ = nullptr;
    std::uint64_t turns_ = 0;
    std::unordered_map<model::PhoneNumber, Number> numbers_;
    std::deque<DeviceRef> to_read_;
    std::size_t reading_ = 0;
};

/// The error of a question to the platform that it did not answer, or refused; the text names no
/// token. `refusal`: the code of a refusal for good.
[[nodiscard]] std::unexpected<Error> failure_of(const GraphAnswer& answer, std::string_view token,
                                                ErrorCode refusal);

}  // namespace merpati::connector::cloud
