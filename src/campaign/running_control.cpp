#include "campaign/running_control.hpp"

#include <future>
#include <utility>

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;

constexpr auto probed_within = 10s;  // A probe has a shorter deadline of its own.
constexpr auto stored_within = 10s;
constexpr auto found_within = 10s;

Result<void> stored_of(store::Accept::Result result) {
    using enum store::Accept::Result;
    switch (result) {
        case stored:
            return {};
        case credit_exhausted:
            return fail(ErrorCode::refused, "the account has too little credit");
        case sender_gone:
        case not_permitted:
            return fail(ErrorCode::conflict, "the account has no such device");
        case no_room:
        case locked:
        case unavailable:
        case damaged:
        case repeated:
        case key_reused:
        case retried_before:
            return fail(ErrorCode::busy, "the message cannot be stored now");
    }
    return {};
}

}  // namespace

std::optional<media::ProbeVerdict> RunningControl::probe_media(model::AccountId account,
                                                               std::string url) {
    const auto promise = std::make_shared<std::promise<media::ProbeVerdict>>();
    auto verdict = promise->get_future();
    means_.media_fetcher.probe(account, std::move(url), model::Revision::a,
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
    means_.find_template(device, wanted.name, wanted.language,
                         [promise](Found answer) { promise->set_value(std::move(answer)); });
    return found.wait_for(found_within) == std::future_status::ready
               ? found.get()
               : Found{fail(ErrorCode::timeout, "the platform does not answer: try again")};
}

Result<std::vector<model::MessageId>> RunningControl::send_tests(
    const model::Campaign& campaign, const std::vector<TestSend>& tests) {
    std::vector<model::MessageId> sent;
    for (const auto& test : tests) {
        auto id = send(message_of(campaign, test));
        if (!id && sent.empty()) {
            return pass(id);
        }
        if (!id) {
            break;
        }
        sent.push_back(*id);
    }
    return sent;
}

/// Belongs to no campaign, so that no row and no count changes with it.
std::unique_ptr<model::Message> RunningControl::message_of(const model::Campaign& campaign,
                                                           const TestSend& test) const {
    auto message = std::make_unique<model::Message>();
    message->id = means_.ids.next();
    message->account = campaign.account;
    message->device = test.from;
    message->recipient = test.to.text();
    message->type = test.media_url.empty() ? model::MessageType::text : model::MessageType::media;
    message->body = test.text;
    message->media_url = test.media_url;
    message->filled_template = test.filled_template;
    message->callback_url = campaign.plan.callback.empty() ? means_.callback_of(campaign.account)
                                                           : campaign.plan.callback;
    message->typing = campaign.plan.typing;
    message->test = true;
    message->accepted_at = means_.clock.wall_now();
    message->due_at = means_.clock.now();
    return message;
}

Result<model::MessageId> RunningControl::send(std::unique_ptr<model::Message> message) {
    const auto id = message->id;
    const auto promise = std::make_shared<std::promise<store::Accept::Result>>();
    auto result = promise->get_future();
    const bool taken = means_.committer.accept(
        {.message = std::move(message)}, [this, promise](store::Accept&& accept) {
            if (accept.result == store::Accept::Result::stored) {
                if (means_.on_accepted) {
                    means_.on_accepted(*accept.message);
                }
                means_.scheduler.accepted(std::move(accept.message));
            }
            promise->set_value(accept.result);
        });
    if (!taken) {
        return fail(ErrorCode::busy, "too many messages are being stored");
    }
    if (result.wait_for(stored_within) != std::future_status::ready) {
        return fail(ErrorCode::shutting_down, "the server stops");
    }
    const auto stored = stored_of(result.get());
    return stored ? Result<model::MessageId>{id} : pass(stored);
}

}  // namespace merpati::campaign
