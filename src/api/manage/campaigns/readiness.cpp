// Preview, check and test of a campaign.
#include "api/manage/campaigns/readiness.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/manage/campaigns/campaign_view.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/typed_number.hpp"
#include "campaign/preview.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage {
namespace {

using boost::json::object;
using boost::json::value;

constexpr Fields::TextLimits value_limits{.name_bytes_max = 256, .text_bytes_max = 4'096};

campaign::PreviewInput input_of(const Context& context, const model::Campaign& campaign) {
    return {.campaign = campaign,
            .characters_max =
                campaign::text_characters_max(campaign.plan, devices_of(context, campaign)),
            .links = context.campaigns.links(),
            .policy = context.policy};
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

/// Probes addresses one after the other, until `probing_max` has passed: then nobody can tell.
class ProbeInTime {
public:
    ProbeInTime(const Context& context, model::AccountId account)
        : context_(context),
          account_(account),
          ends_at_(context.clock.steady_now() + probing_max) {}

    std::vector<media::ProbeVerdict> operator()(const std::vector<std::string>& urls) const {
        std::vector<media::ProbeVerdict> verdicts;
        for (const auto& url : urls) {
            const bool in_time = context_.clock.steady_now() < ends_at_;
            const auto verdict =
                in_time ? context_.campaigns.control.probe_media(account_, url) : std::nullopt;
            verdicts.push_back(verdict.value_or(media::ProbeVerdict::undecided));
        }
        return verdicts;
    }

private:
    static constexpr std::chrono::seconds probing_max{20};

    const Context& context_;
    const model::AccountId account_;
    const SteadyTime ends_at_;
};

object shown_preview(const campaign::Preview& preview, Language language) {
    return {{"text", preview.text},
            {"variant", preview.variant == 0 ? value(nullptr) : value(preview.variant)},
            {"media", preview.media.empty() ? value(nullptr) : value(preview.media)},
            {"characters", preview.characters},
            {"problems", view(std::span{preview.problems}, language)}};
}

std::vector<model::PhoneNumber> take_recipients(Fields& fields) {
    std::vector<model::PhoneNumber> numbers;
    const auto typed = fields.words("to", campaign::Control::tests_max);
    if (!typed) {
        fields.mistake("to", "must be given");
    }
    for (const auto& text : typed.value_or(std::vector<std::string>{})) {
        const auto digits = international(text);
        const auto number = digits ? model::PhoneNumber::parse(*digits) : std::nullopt;
        if (number) {
            numbers.push_back(*number);
        } else {
            fields.mistake("to", std::string{number_needed});
        }
    }
    return numbers;
}

/// The message of the row as each of the recipients would get it.
campaign::Preview preview_for(const Context& context, const model::Campaign& campaign,
                              std::optional<model::Recipient> row, model::PhoneNumber to) {
    auto recipient = std::move(row).value_or(model::Recipient{});
    recipient.number = to;
    return campaign::preview(input_of(context, campaign), recipient);
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

Result<std::vector<campaign::TestSend>> make_tests(const Context& context, Call& call,
                                                   const model::Campaign& campaign,
                                                   const std::vector<model::PhoneNumber>& to,
                                                   std::optional<std::int64_t> row) {
    const auto from = tester(context, campaign);
    if (!from) {
        return fail(ErrorCode::conflict, "the account has none of the campaign's devices");
    }
    const auto recipient = row_of(context, campaign, row);
    if (!recipient) {
        return pass(recipient);
    }
    std::vector<campaign::TestSend> tests;
    for (const auto number : to) {
        auto preview = preview_for(context, campaign, *recipient, number);
        if (!preview.problems.empty()) {
            call.answer.problems = view(std::span{preview.problems}, call.head.language);
            return fail(ErrorCode::conflict,
                        fmt::format("campaign {} cannot be tested: {}", campaign.id.text(),
                                    preview.problems.front().detail));
        }
        tests.push_back({.to = number,
                         .from = *from,
                         .text = std::move(preview.text),
                         .media_url = std::move(preview.media)});
    }
    return tests;
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
        return campaign::check({.campaign = campaign,
                                .balance = *account ? (*account)->credit : std::nullopt,
                                .devices = devices,
                                .links = context.campaigns.links(),
                                .policy = context.policy,
                                .probe = ProbeInTime{context, campaign.account},
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
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    const auto campaign = find_campaign(context, call, call.id);
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
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto campaign = find_campaign(context, call, call.id);
    if (!campaign) {
        return pass(campaign);
    }
    const auto report = check_now(context, *campaign);
    if (!report) {
        return pass(report);
    }
    return boost::json::object{{"ready", report->ready},
                               {"problems", view(std::span{report->problems}, call.head.language)},
                               {"recipients", report->recipients},
                               {"credit", report->credit},
                               {"seconds", report->seconds.count()}};
}

Result<value> test(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto to = take_recipients(fields);
    const auto row = fields.integer("row", 1, std::numeric_limits<std::uint32_t>::max());
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    const auto campaign = find_campaign(context, call, call.id);
    if (!campaign) {
        return pass(campaign);
    }
    const auto tests = make_tests(context, call, *campaign, to, row);
    if (!tests) {
        return pass(tests);
    }
    const auto sent = context.campaigns.control.send_tests(*campaign, *tests);
    if (!sent) {
        if (sent.error().code == ErrorCode::refused) {
            call.answer.refusal = admission::Refusal::credit_exhausted;
        }
        return pass(sent);
    }
    object answer;
    auto& messages = answer["messages"].emplace_array();
    auto& done = call.did["messages"].emplace_array();
    for (std::size_t place = 0; place < sent->size(); ++place) {
        messages.push_back({{"to", to[place].text()}, {"message", (*sent)[place].text()}});
        done.emplace_back((*sent)[place].text());
    }
    return answer;
}

}  // namespace campaigns
}  // namespace merpati::api::manage
