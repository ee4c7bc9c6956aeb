// A platform for the catalogue's tests, which records what it is asked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/manage/devices/platform_control.hpp"

namespace merpati::api::manage::testing {

/// Has a file for each device, and knows one number.
struct RecordingPlatform final : PlatformControl {
    void fetch_media(const model::Device& device, const store::ReceivedMedia& media,
                     Fetched done) override {
        calls.push_back(fmt::format("fetch {} {} {}", device.number.text(), media.platform_id,
                                    media.reference));
        done(file ? Result<media::ReceivedFilePtr>{file} : fail(refusal, "the platform says no"));
    }
    void check_number(const model::Device& device, const std::string& number,
                      Checked done) override {
        calls.push_back(fmt::format("check {} {}", device.number.text(), number));
        done(NumberCheck{.registered = number == "6281234567890", .checked_at = {}});
    }
    void check_access(const model::Device& device, connector::PlatformAccess access,
                      AccessChecked done) override {
        calls.push_back(fmt::format("access {} {} {}", device.number.text(), access.phone_number_id,
                                    access.token));
        if (on_question) {
            on_question();
        }
        done(access_refusal ? fail(*access_refusal, "the platform says no")
                            : Result<connector::CheckedNumber>{checked_number});
    }
    void list_templates(const model::Device& device, connector::PlatformAccess access,
                        std::string cursor, TemplatesListed done) override {
        calls.push_back(fmt::format("templates {} {} {} {}", device.number.text(), access.waba_id,
                                    access.token, cursor));
        done(access_refusal   ? fail(*access_refusal, "the platform says no")
             : cursor.empty() ? Result<connector::TemplatePage>{{.items = templates, .next = "2"}}
                              : Result<connector::TemplatePage>{});
    }

    std::vector<std::string> calls;
    media::ReceivedFilePtr file;  // Null: fetch_media fails with `refusal`.
    ErrorCode refusal = ErrorCode::not_found;
    // Of the official platform.
    connector::CheckedNumber checked_number;
    std::vector<connector::MessageTemplate> templates;
    std::optional<ErrorCode> access_refusal;  // Empty: it answers.
    std::function<void()> on_question;        // While it is asked about a number.
};

}  // namespace merpati::api::manage::testing
