#include "api/cloud_webhook.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/manage/engine/fields.hpp"
#include "api/manage/engine/problem.hpp"

namespace merpati::api {
namespace {

using connector::PlatformWebhook;

/// The value of a parameter; empty: it is missing or malformed.
std::optional<std::string> parameter(std::string_view query, std::string_view name) {
    while (!query.empty()) {
        const auto one = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(one.size() + 1, query.size()));
        if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=') {
            return manage::percent_decode(one.substr(name.size() + 1));
        }
    }
    return std::nullopt;
}

manage::Outcome not_verified() {
    auto outcome = manage::problem(401, "unauthenticated",
                                   "the body has no signature of the platform's app "
                                   "(X-Hub-Signature-256)");
    outcome.headers = "WWW-Authenticate: X-Hub-Signature-256\r\n";
    return outcome;
}

manage::Outcome no_secret() {
    auto outcome =
        manage::problem(503, "no_app_secret",
                        "no secret of the platform's app is known, so nothing can be verified: set "
                        "cloud.app_secret_file, or give a device its own");
    outcome.headers = "Retry-After: 60\r\n";
    return outcome;
}

manage::Outcome no_room() {
    auto outcome = manage::problem(503, "busy", "too much waits to be stored: post it again");
    outcome.headers = "Retry-After: 1\r\n";
    return outcome;
}

manage::Outcome too_many_unsigned() {
    auto outcome = manage::problem(503, "busy",
                                   "too much without a right signature came from this address: "
                                   "post it again later");
    outcome.headers = "Retry-After: 30\r\n";
    return outcome;
}

manage::Outcome outcome_of(const Result<PlatformWebhook::Taken>& taken) {
    if (!taken) {
        return no_room();
    }
    switch (*taken) {
        case PlatformWebhook::Taken::stored:
            return {.status = 200, .body = "{}"};
        case PlatformWebhook::Taken::bad_signature:
            return not_verified();
        case PlatformWebhook::Taken::no_secret:
            return no_secret();
    }
    return no_room();
}

}  // namespace

/// One body, until it is stored or refused.
class CloudWebhook::Body final : public http::BodyReceiver {
public:
    /// What was taken of the room, which must be there until then.
    struct Place {
        Place(std::shared_ptr<Room> of, const http::PeerAddress& whose)
            : room(std::move(of)), held(*room, whose) {}

        const std::shared_ptr<Room> room;
        Room::Place held;
    };

    Body(const Find& find, std::function<bool()> has_moved, std::shared_ptr<Room> room,
         const http::PeerAddress& client, const Sha256& signature, Language language,
         http::Responder responder)
        : find_(find),
          has_moved_(std::move(has_moved)),
          place_(std::make_unique<Place>(std::move(room), client)),
          client_(client),
          signature_(signature),
          language_(language),
          responder_(std::move(responder)) {}

    void take(std::string piece, http::PieceHold /*hold*/) override {
        if (!place_->held.take(piece.size())) {
            responder_.send(reply_of(no_room(), language_));
            return;
        }
        body_ += piece;
    }

    void finish() override {
        auto* const webhook = find_();
        if (webhook == nullptr) {
            responder_.send(reply_of(no_secret(), language_));
            return;
        }
        webhook->take(
            {.body = std::move(body_), .signature = signature_, .client = client_.text()},
            [place = std::move(place_), has_moved = std::move(has_moved_), language = language_,
             responder =
                 std::move(responder_)](const Result<PlatformWebhook::Taken>& taken) mutable {
                place.reset();
                responder.send(reply_of(has_moved() ? no_room() : outcome_of(taken), language));
            });
    }

private:
    const Find find_;
    std::function<bool()> has_moved_;  // Whether an account has since.
    std::unique_ptr<Place> place_;
    const http::PeerAddress client_;
    const Sha256 signature_;
    const Language language_;
    http::Responder responder_;
    std::string body_;
};

CloudWebhook::CloudWebhook(Find find, AppAddress app, Moves moves)
    : find_(std::move(find)),
      app_(app),
      moves_(std::move(moves)),
      room_of_known_(std::make_shared<Room>(bytes_of_known_max)),
      room_of_strangers_(std::make_shared<Room>(bytes_of_strangers_max)) {}

void CloudWebhook::verify(const http::Request& request, http::Responder responder) const {
    const auto mode = parameter(request.query, "hub.mode");
    const auto token = parameter(request.query, "hub.verify_token");
    const auto challenge = parameter(request.query, "hub.challenge");
    const auto* const webhook = find_();
    const auto answer = webhook != nullptr && mode && token && challenge
                            ? webhook->challenge(*mode, *token, *challenge)
                            : std::nullopt;
    if (!answer) {
        responder.send(reply_of(manage::problem(403, "forbidden",
                                                "the token of the verification is not the one of "
                                                "cloud.verify_token"),
                                request));
        return;
    }
    http::Reply reply{.body = *answer, .content_type = "text/plain; charset=utf-8"};
    reply.add_header("Cache-Control", "no-store");
    responder.send(std::move(reply));
}

std::unique_ptr<http::BodyReceiver> CloudWebhook::receive(const http::Request& request,
                                                          http::Responder responder) const {
    const auto* const webhook = find_();
    const bool is_alone = !moves_;
    const auto before = is_alone ? std::nullopt : moves_();
    if (!is_alone && !before) {
        responder.send(reply_of(no_room(), request));
        return nullptr;
    }
    if (is_alone && (webhook == nullptr || !webhook->has_secret())) {
        responder.send(reply_of(no_secret(), request));
        return nullptr;
    }
    const auto signature =
        PlatformWebhook::parse_signature(request.header("X-Hub-Signature-256").value_or(""));
    if (!signature) {
        responder.send(reply_of(not_verified(), request));
        return nullptr;
    }
    const auto client = app_.client(request);
    const auto standing = webhook == nullptr ? PlatformWebhook::Standing::stranger
                                             : webhook->standing_of(client.text());
    if (standing == PlatformWebhook::Standing::refused) {
        responder.send(reply_of(too_many_unsigned(), request));
        return nullptr;
    }
    const auto& room =
        standing == PlatformWebhook::Standing::known ? room_of_known_ : room_of_strangers_;
    const auto has_moved = [moves = moves_, before] { return moves && moves() != before; };
    return std::make_unique<Body>(find_, has_moved, room, client, *signature,
                                  language_of(request.header("Accept-Language").value_or("")),
                                  std::move(responder));
}

bool CloudWebhook::is_known(const http::PeerAddress& client) const {
    const auto* const webhook = find_();
    return webhook != nullptr &&
           webhook->standing_of(client.text()) == PlatformWebhook::Standing::known;
}

void CloudWebhook::note_verified(const http::PeerAddress& client) const {
    if (auto* const webhook = find_()) {
        webhook->note_verified(client.text());
    }
}

}  // namespace merpati::api
