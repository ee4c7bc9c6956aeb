// The connector of the official platform, the Cloud API.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/clock.hpp"
#include "connector/cloud/graph/graph_client.hpp"
#include "connector/cloud/number/numbers.hpp"
#include "connector/cloud/sending/known_templates.hpp"
#include "connector/cloud/sending/last_inbound.hpp"
#include "connector/cloud/sending/reused_files.hpp"
#include "connector/cloud/sending/sender.hpp"
#include "connector/cloud/sending/uploads.hpp"
#include "connector/cloud/webhook/webhook.hpp"
#include "connector/connector.hpp"
#include "connector/patient_secrets.hpp"
#include "outbound/event_thread.hpp"
#include "telemetry/log.hpp"

namespace merpati::connector::cloud {

struct Options {
    GraphOptions graph{};
    std::string app_secret;       // Of the server's app; empty: none.
    std::string verify_token;     // Of the webhook; empty: none.
    Millis status_wait{60'000};   // How long a message waits for its status.
    std::size_t window = 64;      // Messages in flight per number: 80 a second, at 800 ms each.
    Millis retry_store{500};      // Before a busy store is asked again.
    Millis keep_inbound{10'000};  // LastInbound::Rooms::keep_after
    /// Whether messages may still be posted: another process may send them once this one has lost
    /// its lease. Empty: always.
    std::function<bool()> may_begin{};
};

/// Operation: a message is handed over with the platform's answer; its status comes by the webhook
/// (Webhook). Numbers says when a device is connected, Sender how a message is sent, codes.hpp what
/// the platform's refusals mean, Uploads how files reach it, Rates how fast.
///
/// Faults: the platform knows no key by which it would recognise a repeat. A request that may have
/// reached it is not repeated: the outcome is unknown, and a status that names the message decides.
///
/// Threads: one of its own for all requests, one for the webhook's posts; both wait for nothing.
///
/// Limits: GraphOptions; those of Sender, Uploads, Numbers and Webhook.
class Cloud : public Connector {
public:
    Cloud(const Clock& clock, Options options, const telemetry::Log& log);
    ~Cloud() override;

    [[nodiscard]] CapabilitiesPtr capabilities() const override;
    /// `disconnected`: a new device may have no token yet.
    [[nodiscard]] model::DeviceState first_state(model::PhoneNumber device) const override;
    /// Errors: invalid_argument (the URL), io_failed (certificates).
    [[nodiscard]] Result<void> start(ConnectorEvents& events, DeviceSecrets& secrets) override;
    void stop() override;
    [[nodiscard]] std::string trouble() const override;
    void know_device(const model::Device& device) override;
    void start_device(const model::Device& device, std::string_view pairing_method) override;
    void answer_pairing(model::PhoneNumber device, std::string_view answer,
                        Settled settled) override;
    void stop_device(model::PhoneNumber device) override;
    void forget_device(model::PhoneNumber device) override;
    /// False only if a secret is known by which the device's statuses can be verified.
    [[nodiscard]] bool holds_unknown(model::PhoneNumber device) const override;
    void after_reports(std::move_only_function<void()> done) override;
    void fetch_media(MediaRequest request, MediaFetched done) override;
    void check_access(PlatformAccess access, AccessChecked done) override;
    void list_templates(PlatformAccess access, std::string cursor, TemplatesListed done) override;
    void find_template(model::PhoneNumber device, std::string name, std::string language,
                       TemplateFound done) override;
    [[nodiscard]] PlatformWebhook* platform_webhook() override;
    void send(const SendRequest& request) override;

private:
    [[nodiscard]] Webhook::Listener listener();
    void post(std::move_only_function<void()> act);
    [[nodiscard]] std::function<void(std::move_only_function<void()>)> poster();
    /// Asks the store again after a while. May be called on any thread.
    [[nodiscard]] PatientSecrets::Later later();
    void after(std::chrono::nanoseconds wait, std::move_only_function<void()> act);
    void publish(const Number& number);
    void forgotten(model::PhoneNumber which);

    const Options options_;
    const CapabilitiesPtr capabilities_;
    ConnectorEvents* events_ = nullptr;
    outbound::EventThread thread_{"cloud"};
    GraphClient graph_;
    ReusedFiles reused_files_;
    Webhook webhook_;
    Numbers numbers_;
    Uploads uploads_;
    KnownTemplates templates_;
    LastInbound last_inbound_;
    Sender sender_;
};

}  // namespace merpati::connector::cloud
