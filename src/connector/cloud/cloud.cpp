#include "connector/cloud/cloud.hpp"

#include <atomic>
#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "connector/cloud/codec/json_reading.hpp"
#include "connector/cloud/codec/media_kinds.hpp"
#include "connector/cloud/codec/templates.hpp"
#include "connector/cloud/media_download.hpp"
#include "connector/cloud/number/numbers.hpp"
#include "connector/cloud/sending/known_templates.hpp"
#include "connector/cloud/sending/last_inbound.hpp"
#include "connector/cloud/sending/reused_files.hpp"
#include "connector/cloud/sending/sender.hpp"
#include "connector/cloud/sending/uploads.hpp"
#include "connector/cloud/webhook/webhook.hpp"
#include "connector/outcomes.hpp"
#include "connector/platform_errors.hpp"
#include "model/texts.hpp"
#include "outbound/event_thread.hpp"

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

}  // namespace

class Cloud::Impl {
public:
    Impl(const Clock& clock, Options options, const telemetry::Log& log)
        : options_(std::move(options)),
          capabilities_(capabilities_of(options_)),
          graph_(clock, thread_.executor(), options_.graph),
          webhook_(clock,
                   {.app_secret = options_.app_secret, .verify_token = options_.verify_token},
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
                   .status_wait = options_.status_wait}) {}

    Result<void> start(ConnectorEvents& events, DeviceSecrets& secrets) {
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

    void stop() {
        webhook_.stop();
        thread_.stop([this] { sender_.stop(); });
    }

    void send(const SendRequest& request) {
        const auto id = request.message.id;
        const auto device = request.message.device;
        if (!thread_.post([this, request] { sender_.send(request); })) {
            events_->outcome(id, device, device_down(model::details::connector_closing));
        }
    }

    void answer(model::PhoneNumber device, std::string answer, Settled settled) {
        post([this, device, answer = std::move(answer), settled = std::move(settled)]() mutable {
            numbers_.answer(device, std::move(answer), std::move(settled));
        });
    }

    void fetch_media(MediaRequest request, MediaFetched done) {
        post([this, request = std::move(request), done = std::move(done)]() mutable {
            const auto* number = numbers_.find(request.device);
            if (number == nullptr || !number->has_access()) {
                done(fail(ErrorCode::conflict, std::string{platform_errors::not_connected}));
                return;
            }
            download_media(graph_, number->access(), std::move(request), std::move(done));
        });
    }

    void check_access(PlatformAccess access, AccessChecked done) {
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

    void list_templates(PlatformAccess access, std::string cursor, TemplatesListed done) {
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

    void find_template(model::PhoneNumber device, std::string name, std::string language,
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

    void post(std::move_only_function<void()> act) { (void)thread_.post(std::move(act)); }
    std::string trouble() const {
        return graph_.is_unreachable() ? "its platform cannot be reached" : std::string{};
    }
    Numbers& numbers() { return numbers_; }
    Webhook& webhook() { return webhook_; }
    const CapabilitiesPtr& capabilities() const { return capabilities_; }

private:
    static Result<CheckedNumber> checked(const GraphAnswer& answer, std::string_view token) {
        if (!answer.is_fine()) {
            return failure_of(answer, token, ErrorCode::refused);
        }
        return CheckedNumber{
            .display_number = find_text(answer.body, "display_phone_number", words_max),
            .status = find_text(answer.body, "status", words_max)};
    }

    Webhook::Listener listener() {
        return {
            .on_inbound =
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

    std::function<void(std::move_only_function<void()>)> poster() {
        return [this](std::move_only_function<void()> act) { post(std::move(act)); };
    }

    /// Asks the store again after a while. May be called on any thread.
    PatientSecrets::Later later() {
        return [this](std::move_only_function<void()> act) {
            post([this, act = std::move(act)]() mutable {
                after(options_.retry_store, std::move(act));
            });
        };
    }

    void after(std::chrono::nanoseconds wait, std::move_only_function<void()> act) {
        auto timer = std::make_shared<boost::asio::steady_timer>(thread_.executor(), wait);
        timer->async_wait([timer, act = std::move(act)](boost::system::error_code error) mutable {
            if (!error) {
                act();
            }
        });
    }

    void publish(const Number& number) {
        if (number.device.cloud) {
            webhook_.know(number);
        } else {
            webhook_.expect_no_more(number.device.number);
            webhook_.forget(number.device.number);
        }
    }

    void forgotten(model::PhoneNumber which) {
        webhook_.forget(which);
        uploads_.forget(which);
        last_inbound_.forget(which);
    }

    const Options options_;
    const CapabilitiesPtr capabilities_;
    ConnectorEvents* events_ = nullptr;
    outbound::EventThread thread_{"cloud"};
    GraphClient graph_;
    ReusedFiles reused_files_;
    Webhook webhook_;
    Numbers numbers_;
    Uploads uploads_;
    KnownTemplates templates_;
    LastInbound last_inbound_;
    Sender sender_;
};

Cloud::Cloud(const Clock& clock, Options options, telemetry::Log log)
    : impl_(std::make_unique<Impl>(clock, std::move(options), log)) {}
Cloud::~Cloud() {
    stop();
}

CapabilitiesPtr Cloud::capabilities() const {
    return impl_->capabilities();
}
model::DeviceState Cloud::first_state(model::PhoneNumber /*device*/) const {
    return model::DeviceState::disconnected;
}
Result<void> Cloud::start(ConnectorEvents& events, DeviceSecrets& secrets) {
    return impl_->start(events, secrets);
}
void Cloud::stop() {
    impl_->stop();
}

std::string Cloud::trouble() const {
    return impl_->trouble();
}

void Cloud::know_device(const model::Device& device) {
    if (device.cloud) {
        impl_->webhook().expect(device.cloud->phone_number_id, device.number);
    }
    impl_->post([this, device] { impl_->numbers().know(device); });
}
void Cloud::start_device(const model::Device& device, std::string_view pairing_method) {
    impl_->post([this, device, method = std::string{pairing_method}] {
        impl_->numbers().start(device, method);
    });
}
void Cloud::answer_pairing(model::PhoneNumber device, std::string_view answer, Settled settled) {
    impl_->answer(device, std::string{answer}, std::move(settled));
}
void Cloud::stop_device(model::PhoneNumber device) {
    impl_->post([this, device] { impl_->numbers().stop(device); });
}
void Cloud::forget_device(model::PhoneNumber device) {
    impl_->webhook().expect_no_more(device);
    impl_->post([this, device] { impl_->numbers().forget(device); });
}
bool Cloud::holds_unknown(model::PhoneNumber device) const {
    return !impl_->webhook().hears(device);
}
void Cloud::after_reports(std::move_only_function<void()> done) {
    impl_->post(std::move(done));
}
void Cloud::fetch_media(MediaRequest request, MediaFetched done) {
    impl_->fetch_media(std::move(request), std::move(done));
}
void Cloud::check_access(PlatformAccess access, AccessChecked done) {
    impl_->check_access(std::move(access), std::move(done));
}
void Cloud::list_templates(PlatformAccess access, std::string cursor, TemplatesListed done) {
    impl_->list_templates(std::move(access), std::move(cursor), std::move(done));
}
void Cloud::find_template(model::PhoneNumber device, std::string name, std::string language,
                          TemplateFound done) {
    impl_->find_template(device, std::move(name), std::move(language), std::move(done));
}
PlatformWebhook* Cloud::platform_webhook() {
    return &impl_->webhook();
}
void Cloud::send(const SendRequest& request) {
    impl_->send(request);
}

}  // namespace merpati::connector::cloud
