#include "connector/cloud/cloud.hpp"

#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "connector/cloud/codec/json_reading.hpp"
#include "connector/cloud/codec/media_kinds.hpp"
#include "connector/cloud/codec/templates.hpp"
#include "connector/cloud/media_download.hpp"
#include "connector/outcomes.hpp"
#include "connector/platform_errors.hpp"
#include "model/texts.hpp"

namespace merpati::connector::cloud {
namespace {

constexpr std::size_t words_max = 64;  // Of the platform's words for a number.

CapabilitiesPtr capabilities_of(const Options& options) {
    Capabilities capabilities;
    capabilities.pairing = Numbers::pairing_methods();
    capabilities.typing = true;
    capabilities.media_fetch = true;
    capabilities.late_statuses = true;
    capabilities.templates = true;
    capabilities.status_within = options.status_wait;
    capabilities.window = options.window;
    capabilities.media_types = media_types();
    capabilities.media_bytes_max = media_bytes_max();
    return std::make_shared<const Capabilities>(std::move(capabilities));
}

Result<CheckedNumber> checked(const GraphAnswer& answer, std::string_view token) {
    if (!answer.is_fine()) {
        return failure_of(answer, token, ErrorCode::refused);
    }
    return CheckedNumber{
        .display_number = find_text(answer.body, "display_phone_number", words_max),
        .status = find_text(answer.body, "status", words_max)};
}

}  // namespace

Cloud::Cloud(const Clock& clock, Options options, const telemetry::Log& log)
    : options_(std::move(options)),
      capabilities_(capabilities_of(options_)),
      graph_(clock, thread_.executor(), options_.graph),
      webhook_(clock, {.app_secret = options_.app_secret, .verify_token = options_.verify_token},
               listener(), log),
      numbers_({.clock = clock,
                .graph = graph_,
                .later = later(),
                .post = poster(),
                .on_known = [this](const Number& number) { publish(number); },
                .on_forgotten = [this](model::PhoneNumber which) { forgotten(which); }}),
      uploads_({.clock = clock, .graph = graph_, .later = later(), .post = poster()}),
      templates_(clock, graph_),
      last_inbound_({.clock = clock,
                     .later = later(),
                     .post = poster(),
                     .after = [this](auto wait, auto act) { after(wait, std::move(act)); },
                     .keep_after = options_.keep_inbound}),
      sender_({.clock = clock,
               .graph = graph_,
               .numbers = numbers_,
               .uploads = uploads_,
               .templates = templates_,
               .reused_files = reused_files_,
               .last_inbound = last_inbound_,
               .after = [this](auto wait, auto act) { after(wait, std::move(act)); },
               .hears = [this](model::PhoneNumber which) { return webhook_.hears(which); },
               .may_begin = options_.may_begin,
               .status_wait = options_.status_wait}) {}

Cloud::~Cloud() {
    stop();
}

CapabilitiesPtr Cloud::capabilities() const {
    return capabilities_;
}

model::DeviceState Cloud::first_state(model::PhoneNumber /*device*/) const {
    return model::DeviceState::disconnected;
}

Result<void> Cloud::start(ConnectorEvents& events, DeviceSecrets& secrets) {
    if (auto usable = graph_.usable(); !usable) {
        return usable;
    }
    events_ = &events;
    numbers_.begin(events, secrets);
    uploads_.begin(secrets);
    last_inbound_.begin(secrets);
    sender_.begin(events);
    thread_.start();
    webhook_.start(events);
    return {};
}

void Cloud::stop() {
    webhook_.stop();
    thread_.stop([this] { sender_.stop(); });
}

std::string Cloud::trouble() const {
    return graph_.is_unreachable() ? "its platform cannot be reached" : std::string{};
}

void Cloud::know_device(const model::Device& device) {
    if (device.cloud) {
        webhook_.expect(device.cloud->phone_number_id, device.number);
    }
    post([this, device] { numbers_.know(device); });
}

void Cloud::start_device(const model::Device& device, std::string_view pairing_method) {
    post([this, device, method = std::string{pairing_method}] { numbers_.start(device, method); });
}

void Cloud::answer_pairing(model::PhoneNumber device, std::string_view answer, Settled settled) {
    post([this, device, answer = std::string{answer}, settled = std::move(settled)]() mutable {
        numbers_.answer(device, std::move(answer), std::move(settled));
    });
}

void Cloud::stop_device(model::PhoneNumber device) {
    post([this, device] { numbers_.stop(device); });
}

void Cloud::forget_device(model::PhoneNumber device) {
    webhook_.expect_no_more(device);
    post([this, device] { numbers_.forget(device); });
}

bool Cloud::holds_unknown(model::PhoneNumber device) const {
    return !webhook_.hears(device);
}

void Cloud::after_reports(std::move_only_function<void()> done) {
    post(std::move(done));
}

void Cloud::fetch_media(MediaRequest request, MediaFetched done) {
    post([this, request = std::move(request), done = std::move(done)]() mutable {
        const auto* number = numbers_.find(request.device);
        if (number == nullptr || !number->has_access()) {
            done(fail(ErrorCode::conflict, std::string{platform_errors::not_connected}));
            return;
        }
        download_media(graph_, number->access(), std::move(request), std::move(done));
    });
}

void Cloud::check_access(PlatformAccess access, AccessChecked done) {
    post([this, access = std::move(access), done = std::move(done)]() mutable {
        if (!model::is_cloud_id(access.phone_number_id) || !is_token(access.token)) {
            done(fail(ErrorCode::refused, "the platform has no such id, or no such token"));
            return;
        }
        graph_.get(access.phone_number_id,
                   access.phone_number_id + "?fields=display_phone_number,status", access.token,
                   [token = access.token, done = std::move(done)](GraphAnswer answer) mutable {
                       done(checked(answer, token));
                   });
    });
}

void Cloud::list_templates(PlatformAccess access, std::string cursor, TemplatesListed done) {
    post([this, access = std::move(access), cursor = std::move(cursor),
          done = std::move(done)]() mutable {
        if (!model::is_cloud_id(access.waba_id) || !is_token(access.token)) {
            done(fail(ErrorCode::refused, "the business account or its token is not known"));
            return;
        }
        graph_.get(access.waba_id, templates_path(access.waba_id, {}, cursor), access.token,
                   [token = access.token, done = std::move(done)](GraphAnswer answer) mutable {
                       if (answer.is_fine()) {
                           done(read_templates(answer.body));
                       } else {
                           done(failure_of(answer, token, ErrorCode::refused));
                       }
                   });
    });
}

void Cloud::find_template(model::PhoneNumber device, std::string name, std::string language,
                          TemplateFound done) {
    post([this, device, name = std::move(name), language = std::move(language),
          done = std::move(done)]() mutable {
        const auto* number = numbers_.find(device);
        if (number == nullptr || !number->has_access()) {
            done(fail(ErrorCode::conflict, std::string{platform_errors::not_connected}));
            return;
        }
        const auto& waba_id = number->device.cloud->waba_id;
        if (waba_id.empty()) {
            done(fail(ErrorCode::refused, "the business account or its token is not known"));
            return;
        }
        templates_.find_now(
            number->access(),
            {.waba_id = waba_id, .name = std::move(name), .language = std::move(language)},
            std::move(done));
    });
}

PlatformWebhook* Cloud::platform_webhook() {
    return &webhook_;
}

void Cloud::send(const SendRequest& request) {
    const auto id = request.message.id;
    const auto device = request.message.device;
    if (!thread_.post([this, request] { sender_.send(request); })) {
        events_->outcome(id, device, device_down(model::details::connector_closing));
    }
}

Webhook::Listener Cloud::listener() {
    return {.on_inbound =
                [this](model::PhoneNumber number, std::string sender, std::string id) {
                    post([this, number, sender = std::move(sender), id = std::move(id)] {
                        if (const auto* known = numbers_.find(number); known != nullptr) {
                            last_inbound_.note(known->ref(), sender, id);
                        }
                    });
                },
            .refuse_file =
                [this](model::PhoneNumber number, const model::MessageId& message) {
                    return reused_files_.refuse(number, message);
                },
            .on_failure =
                [this](model::PhoneNumber number, const GraphError& error, Timestamp at) {
                    post([this, number, error, at] { sender_.note_failure(number, error, at); });
                }};
}

void Cloud::post(std::move_only_function<void()> act) {
    (void)thread_.post(std::move(act));
}

std::function<void(std::move_only_function<void()>)> Cloud::poster() {
    return [this](std::move_only_function<void()> act) { post(std::move(act)); };
}

PatientSecrets::Later Cloud::later() {
    return [this](std::move_only_function<void()> act) {
        post([this, act = std::move(act)]() mutable {
            after(options_.retry_store, std::move(act));
        });
    };
}

void Cloud::after(std::chrono::nanoseconds wait, std::move_only_function<void()> act) {
    auto timer = std::make_shared<boost::asio::steady_timer>(thread_.executor(), wait);
    timer->async_wait([timer, act = std::move(act)](boost::system::error_code error) mutable {
        if (!error) {
            act();
        }
    });
}

void Cloud::publish(const Number& number) {
    if (number.device.cloud) {
        webhook_.know(number);
    } else {
        webhook_.expect_no_more(number.device.number);
        webhook_.forget(number.device.number);
    }
}

void Cloud::forgotten(model::PhoneNumber which) {
    webhook_.forget(which);
    uploads_.forget(which);
    last_inbound_.forget(which);
}

}  // namespace merpati::connector::cloud
