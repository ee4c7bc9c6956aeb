#include "campaign/running_control.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <optional>
#include <string_view>
#include <utility>

namespace merpati::campaign {
namespace {

using admission::Refusal;
using namespace std::chrono_literals;

constexpr auto probed_within = 10s;  // A probe has a shorter deadline of its own.
constexpr auto stored_within = 10s;
constexpr auto found_within = 10s;

struct Failure {
    Refusal refusal;
    ErrorCode code;
    std::string_view detail;
};

constexpr std::string_view rights_changed = "what you may do has changed since the call began";

/// All other refusals say that the message cannot be stored now.
constexpr std::array failures{
    Failure{Refusal::credit_exhausted, ErrorCode::refused, "the account has too little credit"},
    Failure{Refusal::sender_invalid, ErrorCode::conflict, "the account has no such device"},
    Failure{Refusal::key_invalid, ErrorCode::forbidden, rights_changed},
    Failure{Refusal::scope_missing, ErrorCode::forbidden, rights_changed},
    Failure{Refusal::account_expired, ErrorCode::conflict, "the account's validity is over"},
    Failure{Refusal::elsewhere, ErrorCode::elsewhere, "another node works for the account now"},
    Failure{Refusal::overloaded, ErrorCode::busy, "too many messages are being stored"},
};

std::unexpected<Error> refused(Refusal refusal) {
    const auto found = std::ranges::find(failures, refusal, &Failure::refusal);
    return found == failures.end() ? fail(ErrorCode::busy, "the message cannot be stored now")
                                   : fail(found->code, std::string{found->detail});
}

/// One test, until it is stored or refused.
class Entry final : public intake::Intake::Entry {
public:
    using Stored = Result<model::MessageId>;

    explicit Entry(std::optional<store::IdempotencyRecord> key) : key_(std::move(key)) {}

    [[nodiscard]] std::future<Stored> result() { return result_.get_future(); }

    void complete(store::Accept& accept, Millis /*delay*/) override {
        if (key_) {
            key_->message = accept.message->id;
            accept.idempotency = key_;
        }
    }
    void refused(Refusal refusal) override { result_.set_value(campaign::refused(refusal)); }
    void stored(const store::Accept& accept) override {
        result_.set_value(
            accept.result == store::Accept::Result::stored
                ? Stored{accept.message->id}
                : fail(ErrorCode::conflict, "this Idempotency-Key was used meanwhile"));
    }

private:
    std::optional<store::IdempotencyRecord> key_;
    std::promise<Stored> result_;
};

}  // namespace

std::optional<media::ProbeVerdict> RunningControl::probe_media(model::AccountId account,
                                                               std::string url) {
    const auto promise = std::make_shared<std::promise<media::ProbeVerdict>>();
    auto verdict = promise->get_future();
    rooms_.media_fetcher.probe(account, std::move(url), model::Revision::a,
                               [promise](media::ProbeVerdict found) { promise->set_value(found); });
    return verdict.wait_for(probed_within) == std::future_status::ready
               ? std::optional{verdict.get()}
               : std::nullopt;
}

Result<std::optional<connector::MessageTemplate>> RunningControl::find_template(
    const model::Device& device, const model::CampaignTemplate& wanted) {
    using Found = Result<std::optional<connector::MessageTemplate>>;
    const auto promise = std::make_shared<std::promise<Found>>();
    auto found = promise->get_future();
    rooms_.find_template(device, wanted.name, wanted.language,
                         [promise](Found answer) { promise->set_value(std::move(answer)); });
    return found.wait_for(found_within) == std::future_status::ready
               ? found.get()
               : Found{fail(ErrorCode::timeout, "the platform does not answer: try again")};
}

Result<model::MessageId> RunningControl::send_test(const model::Campaign& campaign,
                                                   const TestSend& test,
                                                   const admission::Principal& caller) {
    const auto entry = std::make_shared<Entry>(test.key);
    auto result = entry->result();
    rooms_.intake.store(message_of(campaign, test), caller, entry);
    return result.wait_for(stored_within) == std::future_status::ready
               ? result.get()
               : fail(ErrorCode::timeout,
                      "the test is not stored yet: see in the list of messages whether it is sent");
}

/// Belongs to no campaign, so that no row and no count changes with it.
std::unique_ptr<model::Message> RunningControl::message_of(const model::Campaign& campaign,
                                                           const TestSend& test) const {
    auto message = std::make_unique<model::Message>();
    message->account = campaign.account;
    message->device = test.from;
    message->recipient = test.to.text();
    message->type = test.media_url.empty() ? model::MessageType::text : model::MessageType::media;
    message->body = test.text;
    message->media_url = test.media_url;
    message->filled_template = test.filled_template;
    message->callback_url = campaign.plan.callback.empty() ? rooms_.callback_of(campaign.account)
                                                           : campaign.plan.callback;
    message->typing = campaign.plan.typing;
    message->test = true;
    return message;
}

}  // namespace merpati::campaign
