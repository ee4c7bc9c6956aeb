#include "campaign/template_check.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "model/connector.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::campaign {
namespace {

using Found = Result<std::optional<connector::MessageTemplate>>;

struct TemplateCheckTest : ::testing::Test {
    TemplateCheckTest() {
        plan.message_template = model::CampaignTemplate{
            .name = "promo", .language = "id", .variables = {"{{nama}}", "50%"}};
        add_device("cloud");
    }

    void add_device(std::string connector) {
        auto made = std::make_unique<model::Device>();
        made->number = model::PhoneNumber::from_stored(6'281'100'000'001 +
                                                       static_cast<std::int64_t>(devices.size()));
        made->connector = std::move(connector);
        devices.push_back(std::move(made));
    }
    static connector::MessageTemplate fitting() {
        connector::MessageTemplate made;
        made.name = "promo";
        made.language = "id";
        made.status = "APPROVED";
        made.body = "Halo {{1}}: {{2}}";
        made.variables = 2;
        made.is_understood = true;
        return made;
    }
    /// All problems, after each device was asked about; those that do not block in brackets.
    std::vector<std::string> problems() {
        std::vector<const model::Device*> all;
        for (const auto& device : devices) {
            all.push_back(device.get());
        }
        TemplateCheck check{plan, all, finder};
        while (check.has_next()) {
            check.ask_next();
        }
        body = check.found() ? check.found()->body : std::string{};
        std::vector<std::string> found;
        for (const auto& problem : check.problems()) {
            const auto text = problem.code + ": " + problem.detail;
            found.push_back(problem.blocking ? text : '(' + text + ')');
            count = problem.count;
        }
        return found;
    }
    using Problems = std::vector<std::string>;

    model::CampaignPlan plan;
    std::vector<std::unique_ptr<model::Device>> devices;
    Found answer{fitting()};
    TemplateFinder finder = [this](const model::Device&, const model::CampaignTemplate&) {
        return answer;
    };
    std::string body;
    std::int64_t count = 0;
};

TEST_F(TemplateCheckTest, ATemplateThatFitsHasNoProblemAndShowsItsText) {
    EXPECT_EQ(problems(), Problems{});
    EXPECT_EQ(body, "Halo {{1}}: {{2}}");
}

TEST_F(TemplateCheckTest, APlanWithoutATemplateAsksNobody) {
    plan.message_template.reset();
    finder = [](const auto&, const auto&) -> Found {
        ADD_FAILURE();
        return {};
    };
    EXPECT_EQ(problems(), Problems{});
}

TEST_F(TemplateCheckTest, OnlyTheOfficialPlatformHasTemplates) {
    devices.clear();
    add_device("linked");
    EXPECT_EQ(problems(), Problems{"template: device 6281100000001 cannot send the template: only "
                                   "devices on the connector cloud send templates"});
}

TEST_F(TemplateCheckTest, SaysWhatThePlatformWouldRefuse) {
    constexpr auto begin = "template: device 6281100000001 cannot send the template: ";
    answer = std::optional<connector::MessageTemplate>{};
    EXPECT_EQ(problems(),
              Problems{std::string{begin} +
                       "its business account has no template promo in the language id"});
    auto made = fitting();
    made.status = "PAUSED";
    answer = made;
    EXPECT_EQ(problems(),
              Problems{std::string{begin} + "it is not approved: the platform calls it PAUSED"});
    EXPECT_EQ(body, "Halo {{1}}: {{2}}") << "it is shown all the same";
    made = fitting();
    made.is_understood = false;
    answer = made;
    EXPECT_EQ(problems(), Problems{std::string{begin} + "it has parts that no campaign fills"});
    made = fitting();
    made.variables = 3;
    answer = made;
    EXPECT_EQ(problems(),
              Problems{std::string{begin} + "it has 3 variables, and the campaign fills 2"});
}

TEST_F(TemplateCheckTest, SaysWhetherHeaderAndButtonsAreFilledAsTheTemplateHasThem) {
    using Need = connector::MessageTemplate::HeaderNeed;
    constexpr auto begin = "template: device 6281100000001 cannot send the template: ";
    auto made = fitting();
    const auto problem = [&](Need need, std::size_t buttons) {
        made.header_need = need;
        made.buttons.resize(buttons);
        answer = made;
        const auto all = problems();
        return all.empty() ? std::string{} : all.front().substr(std::string_view{begin}.size());
    };
    EXPECT_EQ(problem(Need::text, 0),
              "its header has a variable, and the campaign gives the header no text");
    EXPECT_EQ(problem(Need::document, 0), "its header needs a file: give the campaign media");
    EXPECT_EQ(problem(Need::nothing, 2),
              "it has 2 buttons with a variable, and the campaign fills 0");
    plan.message_template->header = "{{nama}}";
    plan.message_template->buttons = {"{{kode}}", "HEMAT"};
    EXPECT_EQ(problem(Need::nothing, 2),
              "its header has no variable, and the campaign gives the header a text");
    EXPECT_EQ(problem(Need::text, 2), "");
    EXPECT_EQ(problem(Need::text, 1), "it has 1 buttons with a variable, and the campaign fills 2");
    plan.message_template->header.clear();
    plan.media = model::CampaignMedia{.url = "https://example.org/a.png", .column = {}};
    EXPECT_EQ(problem(Need::nothing, 2), "its header takes no file: remove the media");
    for (const auto file : {Need::image, Need::video, Need::document}) {
        EXPECT_EQ(problem(file, 2), "");
    }
}

TEST_F(TemplateCheckTest, DevicesWithOneReasonAreCountedTogether) {
    add_device("cloud");
    add_device("linked");
    answer = std::optional<connector::MessageTemplate>{};
    EXPECT_EQ(problems().size(), 2U);
    devices.pop_back();
    EXPECT_EQ(problems().size(), 1U);
    EXPECT_EQ(count, 2);
}

TEST_F(TemplateCheckTest, WhatNobodyCanTellDoesNotBlock) {
    answer = fail(ErrorCode::unreachable, "the platform cannot be reached");
    EXPECT_EQ(problems(),
              Problems{"(template_unchecked: nobody can tell whether device 6281100000001 can send "
                       "the template: the platform cannot be reached)"});
    finder = {};
    EXPECT_EQ(problems(),
              Problems{"(template_unchecked: nobody can tell whether device 6281100000001 can send "
                       "the template: the platform was not asked)"});
}

/// A control whose platform answers after a while.
class SlowControl final : public Control {
public:
    explicit SlowControl(testing::ManualClock& clock) : clock_(clock) {}
    int asked = 0;

    bool wait_until_withdrawn(model::CampaignId /*id*/) override { return true; }
    std::optional<media::ProbeVerdict> probe_media(model::AccountId /*account*/,
                                                   std::string /*url*/) override {
        return std::nullopt;
    }
    Found find_template(const model::Device& /*device*/,
                        const model::CampaignTemplate& /*wanted*/) override {
        ++asked;
        clock_.advance(std::chrono::seconds{9});
        return std::optional<connector::MessageTemplate>{};
    }
    std::optional<Speed> speed_of(model::CampaignId /*id*/) override { return std::nullopt; }
    Result<model::MessageId> send_test(const model::Campaign& /*campaign*/,
                                       const TestSend& /*test*/,
                                       const admission::Principal& /*caller*/) override {
        return fail(ErrorCode::conflict, "it sends nothing");
    }

private:
    testing::ManualClock& clock_;
};

TEST_F(TemplateCheckTest, NobodyIsAskedOnceThatHasTakenItsTime) {
    testing::ManualClock clock;
    SlowControl control{clock};
    finder = find_in_time(clock, control);
    for (int more = 0; more < 5; ++more) {
        add_device("cloud");
    }
    EXPECT_EQ(problems().size(), 2U) << "no such template, and not known";
    EXPECT_EQ(control.asked, 3);
    EXPECT_EQ(count, 3);
}

}  // namespace
}  // namespace merpati::campaign
