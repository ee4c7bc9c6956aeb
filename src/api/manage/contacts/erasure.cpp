#include "api/manage/contacts/erasure.hpp"

#include <vector>

#include "store/campaigns.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::size_t erased_rows_step = 1'000;
constexpr std::size_t erased_messages_step = 200;

Result<void> erase_recipients(const Context& context, model::AccountId account,
                              model::PhoneNumber number) {
    store::CampaignTables::ErasureStep step;
    while (!step.complete) {
        const auto after = step.last;
        auto done = context.change([&](store::Tables& tables) -> Result<void> {
            auto made = tables.campaigns().erase_person(account, number, after, erased_rows_step,
                                                        context.clock.now());
            if (!made) {
                return pass(made);
            }
            step = *made;
            return {};
        });
        if (!done) {
            return done;
        }
    }
    return {};
}

Result<void> erase_messages(const Context& context, model::AccountId account,
                            model::PhoneNumber number) {
    store::MessageFilter filter;
    filter.account = account;
    filter.recipient = number.text();
    filter.limit = erased_messages_step;
    for (;;) {
        const auto page =
            context.read([&](store::Reader& reader) { return reader.messages(filter); });
        if (!page) {
            return pass(page);
        }
        if (!page->records.empty()) {
            auto done = context.change([&](store::Tables& tables) -> Result<void> {
                for (const auto& record : page->records) {
                    const auto erased = tables.campaigns().erase_message(record.message.id);
                    if (!erased) {
                        return pass(erased);
                    }
                }
                return {};
            });
            if (!done) {
                return done;
            }
        }
        if (!page->next) {
            return {};
        }
        filter.before = page->next;
    }
}

}  // namespace

Result<void> erase_everywhere(const Context& context, model::AccountId account,
                              model::PhoneNumber number) {
    auto erased = erase_recipients(context, account, number);
    return erased ? erase_messages(context, account, number) : erased;
}

}  // namespace merpati::api::manage
