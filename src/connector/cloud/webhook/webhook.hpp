// Takes the platform's posts: verifies them, and reports what they say.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "connector/cloud/codec/webhook_events.hpp"
#include "connector/cloud/graph/request_slots.hpp"
#include "connector/cloud/webhook/app_secrets.hpp"
#include "connector/cloud/webhook/clients.hpp"
#include "connector/connector.hpp"
#include "connector/platform_webhook.hpp"
#include "connector/write_budget.hpp"
#include "outbound/event_thread.hpp"
#include "telemetry/log.hpp"

namespace merpati::connector::cloud {

/// Operation: a post is verified and parsed on a thread of its own, so that a flood of posts takes
/// nothing from sending. Its events are reported in their order, reports_max at a time, which the
/// store takes together; the next follow when these are answered. The post is answered when all are
/// durable. Reports that the gateway refuses for good are dropped. If one is refused as busy, the
/// rest is not reported: the platform posts the body again, and what was stored already changes
/// nothing twice.
///
/// Fairness: a post that nobody has signed is hashed once for each secret. So verifying goes in
/// turns of turn_bytes, in which clients follow each other, and a client's posts too; every second
/// turn is one of a known client, if any waits. Clients says who is known, and who is refused.
///
/// Threads: any; `start` and `stop` by the owner.
///
/// Limits: waiting_bytes_max of posts that wait or are being stored; more is answered busy. What is
/// stored of a device and of an account in a second (WriteBudget). The secrets: those of
/// AppSecrets.
class Webhook final : public PlatformWebhook {
public:
    static constexpr std::size_t waiting_bytes_max = std::size_t{48} << 20;
    static constexpr std::size_t turn_bytes = std::size_t{1} << 20;
    static constexpr std::size_t reports_max = 64;

    struct Options {
        std::string app_secret;    // Of the server's app; empty: none.
        std::string verify_token;  // Empty: no address is verified.
    };
    /// Called for each event of a device, on the webhook's thread.
    struct Listener {
        std::function<void(model::PhoneNumber, const std::string& sender, const std::string& id)>
            on_inbound;
        /// The platform refuses the message's file. True: it goes once more.
        std::function<bool(model::PhoneNumber, const model::MessageId&)> refuse_file;
        std::function<void(model::PhoneNumber, const GraphError&, Timestamp at)> on_failure;
    };
    Webhook(const Clock& clock, Options options, Listener listener, telemetry::Log log)
        : clock_(clock),
          options_(std::move(options)),
          listener_(std::move(listener)),
          log_(std::move(log)),
          secrets_(options_.app_secret),
          clients_(clock) {}

    void start(ConnectorEvents& events);
    void stop() { thread_.stop({}); }

    /// Call before the number's secrets are read: until `know`, posts about it are answered busy.
    void expect(const std::string& id, model::PhoneNumber number) { secrets_.expect(id, number); }
    void expect_no_more(model::PhoneNumber number) { secrets_.expect_no_more(number); }
    void know(const Number& number);
    void forget(model::PhoneNumber number) { secrets_.forget(number); }

    /// Whether statuses of the number can be verified.
    [[nodiscard]] bool hears(model::PhoneNumber number) const {
        return secrets_.has_one_for(number);
    }

    [[nodiscard]] std::optional<std::string> challenge(std::string_view mode,
                                                       std::string_view token,
                                                       std::string_view challenge) const override;
    [[nodiscard]] bool has_secret() const override { return secrets_.has_any(); }
    [[nodiscard]] Standing standing_of(const std::string& client) const override {
        return clients_.standing_of(client);
    }
    void note_verified(const std::string& client) override { clients_.note_verified(client); }
    void take(Post post, Done done) override;

private:
    /// A post that is being verified.
    struct Verifying;
    /// A post whose events are being stored.
    struct Storing;

    void begin(const std::shared_ptr<Verifying>& post);
    void await_turn(const std::shared_ptr<Verifying>& post);
    [[nodiscard]] bool verify(Verifying& post);
    void report_next(const std::shared_ptr<Storing>& post);
    void report(const WebhookEvent& event, const std::shared_ptr<Storing>& post);
    void report_status(const AppSecrets::Known& number, const StatusEvent& event,
                       ConnectorEvents::Stored stored);
    void report_inbound(const AppSecrets::Known& number, const InboundEvent& event,
                        ConnectorEvents::Stored stored);

    const Clock& clock_;
    const Options options_;
    const Listener listener_;
    const telemetry::Log log_;
    AppSecrets secrets_;
    Clients clients_;
    WriteBudget budget_{clock_};  // Used on the thread.
    std::atomic<std::size_t> waiting_bytes_{0};
    RequestSlots turns_of_known_{1};
    RequestSlots turns_of_strangers_{1};
    ConnectorEvents* events_ = nullptr;
    outbound::EventThread thread_{"cloud-webhook"};
};

}  // namespace merpati::connector::cloud
