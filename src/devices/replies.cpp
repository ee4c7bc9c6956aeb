#include "devices/replies.hpp"

#include "campaign/opt_out_words.hpp"
#include "store/campaigns.hpp"
#include "store/contacts.hpp"

namespace merpati::devices {
namespace {

using model::SuppressionReason;

Result<void> opt_out(store::Tables& tables, model::AccountId account, model::PhoneNumber number,
                     Timestamp now) {
    auto campaign = tables.campaigns().last_campaign_of(account, number);
    if (!campaign) {
        return pass(campaign);
    }
    const auto put = tables.contacts().put_suppression({.account = account,
                                                        .number = number,
                                                        .reason = SuppressionReason::opt_out,
                                                        .at = now,
                                                        .campaign = *campaign});
    return put ? Result<void>{} : pass(put);
}

Result<void> opt_in(store::ContactTables& tables, model::AccountId account,
                    model::PhoneNumber number) {
    const auto suppressed = tables.find_suppression(account, number);
    if (!suppressed) {
        return pass(suppressed);
    }
    if (!*suppressed || (*suppressed)->reason != SuppressionReason::opt_out) {
        return {};
    }
    const auto removed = tables.remove_suppression(account, number);
    return removed ? Result<void>{} : pass(removed);
}

}  // namespace

Result<void> take_reply(store::Tables& tables, model::AccountId account,
                        const connector::InboundMessage& message, Timestamp now) {
    const auto reply = campaign::reply_of(message.text);
    const auto number = model::PhoneNumber::parse(message.sender);
    if (!number || reply == campaign::Reply::none) {
        return {};
    }
    return reply == campaign::Reply::opt_out ? opt_out(tables, account, *number, now)
                                             : opt_in(tables.contacts(), account, *number);
}

}  // namespace merpati::devices
