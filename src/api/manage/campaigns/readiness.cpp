// Preview, check and test of a campaign.
#include "api/manage/campaigns/readiness.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/errors.hpp"
#include "api/manage/campaigns/campaign_view.hpp"
#include "api/manage/campaigns/people_upload.hpp"
#include "api/manage/campaigns/plan_fields.hpp"
#include "api/manage/devices/device_control.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "api/texts/text.hpp"
#include "campaign/control.hpp"
#include "campaign/opt_out_links.hpp"
#include "campaign/preview.hpp"
#include "campaign/template_check.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage {
namespace {

using boost::json::object;
using boost::json::value;

/// Asks the platform of the first device about the plan's template, if there is one.
campaign::PreviewInput input_of(const Context& context, const model::Campaign& campaign) {
    const auto devices = devices_of(context, campaign);
    campaign::PreviewInput input{
        .campaign = campaign,
        .characters_max = campaign::text_characters_max(campaign.plan, devices),
        .links = context.campaigns.links(),
        .policy = context.policy};
    if (!campaign.plan.message_template || devices.empty()) {
        return input;
    }
    const auto finder = campaign::find_in_time(context.clock, context.campaigns.control);
    campaign::TemplateCheck templates{campaign.plan, {&devices.front().device}, finder};
    templates.ask_next();
    input.used_template = templates.found();
    input.template_problems = templates.problems();
    return input;
}

/// The row, or the first one where none is named. Empty: the audience has none. Errors: not_found.
Result<std::optional<model::Recipient>> row_of(const Context& context,
                                               const model::Campaign& campaign,
                                               std::optional<std::int64_t> row) {
    const auto number = static_cast<std::uint32_t>(row.value_or(1));
    auto found = context.read(
        [&](store::Reader& reader) { return reader.campaigns().recipient(campaign.id, number); });
    if (found && !*found && row) {
        return fail(ErrorCode::not_found,
                    fmt::format("campaign {} has no row {}", campaign.id.text(), number));
    }
    return found;
}

boost::json::array shown_list(const std::vector<std::string>& texts) {
    return boost::json::array(texts.begin(), texts.end());
}

object shown_preview(const campaign::Preview& preview, Language language) {
    const auto* filled = preview.filled_template.get();
    const auto* sent = preview.sent_as ? &*preview.sent_as : nullptr;
    return {{"text", preview.text},
            {"variant", number_or_null(preview.variant)},
            {"media", text_or_null(preview.media)},
            {"variables", filled != nullptr ? value(shown_list(filled->values)) : nullptr},
            {"header", sent != nullptr ? text_or_null(sent->header) : nullptr},
            {"buttons", sent != nullptr ? value(shown_list(sent->buttons)) : nullptr},
            {"characters", preview.characters},
            {"problems", view(std::span{preview.problems}, language)}};
}

std::vector<model::PhoneNumber> take_recipients(Fields& fields) {
    auto numbers = take_numbers(fields, "to", campaign::Control::tests_max);
    if (!numbers) {
        fields.mistake("to", "must be given");
    }
    return std::move(numbers).value_or(std::vector<model::PhoneNumber>{});
}

/// The message of the row as each of the recipients would get it.
campaign::Preview preview_for(const campaign::PreviewInput& input,
                              std::optional<model::Recipient> row, model::PhoneNumber to) {
    auto recipient = std::move(row).value_or(model::Recipient{});
    recipient.number = to;
    return campaign::preview(input, recipient);
}

campaign::TestSend test_of(campaign::Preview&& preview, model::PhoneNumber from,
                           model::PhoneNumber to) {
    campaign::TestSend test{.to = to, .from = from, .media_url = std::move(preview.media)};
    test.filled_template = std::move(preview.filled_template);
    if (test.filled_template == nullptr) {
        test.text = std::move(preview.text);
    }
    return test;
}

/// Nobody can tell whether it can be sent: a test shows it.
bool is_unchecked(const campaign::Problem& problem) {
    return problem.code == "template_unchecked";
}

/// The device that sends the tests: the first one that is connected, else the first one.
std::optional<model::PhoneNumber> tester(const Context& context, const model::Campaign& campaign) {
    const auto devices = devices_of(context, campaign);
    const auto connected = std::ranges::find_if(
        devices, [](const auto& one) { return one.device.state == model::DeviceState::connected; });
    if (connected != devices.end()) {
        return connected->device.number;
    }
    return devices.empty() ? std::nullopt : std::optional{devices.front().device.number};
}

/// What became of one test.
struct Tried {
    model::PhoneNumber to;
    std::optional<campaign::Problem> problem;  // Of its text; it was not sent.
    Result<model::MessageId> sent = model::MessageId{};
};

std::string_view code_of(const Error& error) {
    return error.code == ErrorCode::refused ? error_row(admission::Refusal::credit_exhausted).name
                                            : to_string(error.code);
}

object shown_test(const Tried& tried, Language language) {
    if (!tried.problem && tried.sent) {
        return {{"to", tried.to.text()}, {"message", tried.sent->text()}};
    }
    const std::string code{tried.problem ? tried.problem->code : code_of(tried.sent.error())};
    const auto& detail = tried.problem ? tried.problem->detail : tried.sent.error().detail;
    return {{"to", tried.to.text()},
            {"message", nullptr},
            {"code", code},
            {"detail", translated(detail, language)}};
}

/// Each number is judged by itself. After a test that the store did not write in time, the others
/// are not tried: each could wait as long.
std::vector<Tried> try_all(const Context& context, const model::Campaign& campaign,
                           const std::vector<model::PhoneNumber>& to, model::PhoneNumber from,
                           const std::optional<model::Recipient>& row,
                           const admission::Principal& caller) {
    std::vector<Tried> all;
    bool is_slow = false;
    const auto input = input_of(context, campaign);
    for (const auto number : to) {
        auto preview = preview_for(input, row, number);
        std::erase_if(preview.problems, is_unchecked);
        auto& tried = all.emplace_back(Tried{.to = number, .problem = {}});
        if (!preview.problems.empty()) {
            tried.problem = std::move(preview.problems.front());
        } else if (is_slow) {
            tried.sent = fail(ErrorCode::busy, "the store takes no more work just now");
        } else {
            auto test = test_of(std::move(preview), from, number);
            test.key = context.unstored_key();
            tried.sent = context.campaigns.control.send_test(campaign, test, caller);
            if (tried.sent) {
                context.key_was_stored(*tried.sent);
            }
        }
        is_slow = is_slow || (!tried.sent && tried.sent.error().code == ErrorCode::timeout);
    }
    return all;
}

/// The refusal of a call of which no test was sent: that of the first one.
std::unexpected<Error> nothing_sent(Call& call, const model::Campaign& campaign,
                                    const Tried& first) {
    if (first.problem) {
        call.answer.problems = view(std::span{&*first.problem, 1}, call.head.language);
        return fail(ErrorCode::conflict, fmt::format("campaign {} cannot be tested: {}",
                                                     campaign.id.text(), first.problem->detail));
    }
    if (first.sent.error().code == ErrorCode::refused) {
        call.answer.refusal = admission::Refusal::credit_exhausted;
    }
    return pass(first.sent);
}

/// Details quote texts and values.
void hide_details(boost::json::array& problems, Language language) {
    for (auto& problem : problems) {
        problem.as_object()["detail"] =
            translated("viewers do not see the texts of messages", language);
    }
}

}  // namespace

std::vector<campaign::CheckedDevice> devices_of(const Context& context,
                                                const model::Campaign& campaign) {
    const auto connectors = context.devices.connectors();
    std::vector<campaign::CheckedDevice> devices;
    for (const auto number : campaign.plan.devices) {
        const auto device = context.directory.find_device(number);
        if (device == nullptr || device->account != campaign.account) {
            continue;
        }
        campaign::CheckedDevice checked{.device = *device};
        const auto facts = std::ranges::find(connectors, device->connector, &ConnectorFacts::name);
        if (facts != connectors.end()) {
            checked.text_characters_max = facts->text_characters_max;
        }
        devices.push_back(std::move(checked));
    }
    return devices;
}

Result<campaign::CheckReport> check_now(const Context& context, const model::Campaign& campaign) {
    const auto devices = devices_of(context, campaign);
    return context.read([&](store::Reader& reader) -> Result<campaign::CheckReport> {
        const auto account = reader.account(campaign.account);
        if (!account) {
            return pass(account);
        }
        return campaign::check(
            {.campaign = campaign,
             .balance = *account ? (*account)->credit : std::nullopt,
             .devices = devices,
             .links = context.campaigns.links(),
             .policy = context.policy,
             .probe = campaign::probe_in_time(context.clock, context.campaigns.control,
                                              campaign.account),
             .find_template = campaign::find_in_time(context.clock, context.campaigns.control),
             .now = context.clock.now()},
            reader);
    });
}

std::unexpected<Error> not_ready(Call& call, const model::Campaign& campaign,
                                 const campaign::CheckReport& report) {
    std::vector<campaign::Problem> blocking;
    std::ranges::copy_if(report.problems, std::back_inserter(blocking),
                         &campaign::Problem::blocking);
    call.answer.problems = view(std::span{blocking}, call.head.language);
    return fail(ErrorCode::conflict,
                fmt::format("campaign {} is not ready to start: {}", campaign.id.text(),
                            blocking.empty() ? std::string{} : blocking.front().detail));
}

namespace campaigns {

Result<value> preview(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto row = fields.integer("row", 1, std::numeric_limits<std::uint32_t>::max());
    const bool by_values = fields.given("values");
    const auto values = fields.texts("values", model::Campaign::columns_max, value_limits);
    if (row && by_values) {
        fields.mistake("row", "must not be given with values");
    }
    const auto campaign = find_named_campaign(context, call);
    if (!campaign) {
        return pass(campaign);
    }
    if (call.principal.sees_masked(campaign->account)) {
        return fail(ErrorCode::forbidden, "viewers do not see the texts of messages");
    }
    const auto input = input_of(context, *campaign);
    const auto recipient = by_values ? Result<std::optional<model::Recipient>>{std::nullopt}
                                     : row_of(context, *campaign, row);
    if (!recipient) {
        return pass(recipient);
    }
    const auto made = *recipient ? campaign::preview(input, **recipient)
                                 : campaign::preview(input, std::span{values});
    return shown_preview(made, call.head.language);
}

Result<value> check(const Context& context, Call& call) {
    const auto campaign = find_named_campaign(context, call);
    if (!campaign) {
        return pass(campaign);
    }
    const auto report = check_now(context, *campaign);
    if (!report) {
        return pass(report);
    }
    auto problems = view(std::span{report->problems}, call.head.language);
    if (call.principal.sees_masked(campaign->account)) {
        hide_details(problems, call.head.language);
    }
    return boost::json::object{{"ready", report->ready},
                               {"problems", std::move(problems)},
                               {"recipients", report->recipients},
                               {"credit", report->credit},
                               {"seconds", report->seconds.count()}};
}

Result<value> test(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto to = take_recipients(fields);
    const auto row = fields.integer("row", 1, std::numeric_limits<std::uint32_t>::max());
    const auto campaign = find_named_campaign(context, call);
    if (!campaign) {
        return pass(campaign);
    }
    const auto from = tester(context, *campaign);
    if (!from) {
        return fail(ErrorCode::conflict, "the account has none of the campaign's devices");
    }
    const auto recipient = row_of(context, *campaign, row);
    if (!recipient) {
        return pass(recipient);
    }
    const auto all = try_all(context, *campaign, to, *from, *recipient, call.principal);
    object answer;
    auto& messages = answer["messages"].emplace_array();
    auto& done = call.did["messages"].emplace_array();
    for (const auto& tried : all) {
        messages.push_back(shown_test(tried, call.head.language));
        if (!tried.problem && tried.sent) {
            done.emplace_back(tried.sent->text());
        }
    }
    return done.empty() ? nothing_sent(call, *campaign, all.front()) : Result<value>{answer};
}

}  // namespace campaigns
}  // namespace merpati::api::manage
