#include "api/opt_out_page.hpp"

#include <algorithm>
#include <utility>

#include "api/errors.hpp"
#include "api/manage/engine/problem.hpp"
#include "api/manage/engine/views.hpp"
#include "api/opt_out_html.hpp"
#include "base/digest.hpp"
#include "http/router.hpp"
#include "store/contacts.hpp"

namespace merpati::api {
namespace {

constexpr std::string_view link_path = "/o/{}";

/// The language that the query names, or else the one of `Accept-Language`.
Language language_for(const http::Request& request) {
    if (request.query == "lang=id") {
        return Language::indonesian;
    }
    return request.query == "lang=en" ? Language::english
                                      : language_of(request.header("Accept-Language").value_or(""));
}

/// Whether the body is a form in which the person takes the refusal back.
bool takes_it_back(std::string_view form) {
    return form == "do=in" || form.starts_with("do=in&") || form.ends_with("&do=in") ||
           form.contains("&do=in&");
}

}  // namespace

OptOutPage::OptOutPage(Rooms rooms, AppAddress app) : rooms_(std::move(rooms)), app_(app) {
    rooms_.random.fill(seed_);
    threads_.on_fault = rooms_.on_fault;
}

void OptOutPage::take(const http::Request& request, http::Responder responder) {
    const auto language = language_for(request);
    const auto client = app_.client(request);
    const auto target = rooms_.links().open(http::match_path(link_path, request.path).value_or(""));
    if (!target || rooms_.directory.find_account(target->account) == nullptr) {
        responder.send(refuse(client, language));
        return;
    }
    const bool asks = request.method == http::Method::get || request.method == http::Method::head;
    const auto wish = asks                          ? Wish::look
                      : takes_it_back(request.body) ? Wish::come_back
                                                    : Wish::leave;
    const auto share = manage::Share::of(admission::Principal{}, client, [] { return false; });
    auto answered = std::make_shared<http::Responder>(std::move(responder));
    const auto put =
        threads_.put(share, [this, target = *target, wish, language, answered](bool proceed) {
            answered->send(proceed ? answer(target, wish, language)
                                   : failure(admission::Refusal::overloaded));
        });
    if (put != manage::CallThreads::Put::taken) {
        answered->send(failure(admission::Refusal::overloaded));
    }
}

/// The answer to a token that is not valid.
http::Reply OptOutPage::refuse(const http::PeerAddress& client, Language language) {
    const auto digest = hmac_sha256(seed_, client.text());
    std::uint64_t key = 0;
    for (std::size_t place = 0; place < sizeof key; ++place) {
        key = key << 8U | std::to_integer<std::uint64_t>(digest.at(place));
    }
    const auto now = rooms_.clock.steady_now();
    const std::lock_guard lock{mutex_};
    const auto wait = std::chrono::ceil<std::chrono::seconds>(bad_tokens_.wait(key, now));
    if (wait.count() == 0) {
        bad_tokens_.take(key, now);
        return bad_link_page(400, language);
    }
    auto reply = bad_link_page(429, language);
    reply.add_header("Retry-After", std::to_string(wait.count()));
    return reply;
}

http::Reply OptOutPage::answer(const Target& target, Wish wish, Language language) const {
    const auto account = rooms_.directory.find_account(target.account);
    const auto done = wish == Wish::look ? Result<void>{} : carry_out(target, wish);
    if (!done && done.error().code == ErrorCode::elsewhere) {
        return manage::reply_of(manage::elsewhere(target.account), language);
    }
    const auto out = done ? is_out(target) : pass(done);
    if (!out || account == nullptr) {
        if (!out && rooms_.on_fault && out.error().code != ErrorCode::shutting_down) {
            rooms_.on_fault(out.error());
        }
        return failure(admission::Refusal::overloaded);
    }
    return opt_out_page({.account = account->account.name,
                         .number = manage::masked(target.number.text()),
                         .is_out = *out,
                         .is_back = wish == Wish::come_back},
                        language);
}

Result<bool> OptOutPage::is_out(const Target& target) const {
    const auto found = rooms_.readers.read([&](store::Reader& reader) {
        return reader.contacts().suppression(target.account, target.number);
    });
    return found ? Result<bool>{*found && (**found).reason == model::SuppressionReason::opt_out}
                 : pass(found);
}

/// Taking it back removes only what the person has asked for, never the account's own decision.
Result<void> OptOutPage::carry_out(const Target& target, Wish wish) const {
    const auto check_here = [&] {
        return rooms_.ownership.works_for(target.account)
                   ? Result<void>{}
                   : fail(ErrorCode::elsewhere, "another node works for the account now");
    };
    // Asked before too: the commit has to read again what other accounts' messages need after each
    // change that fails.
    if (auto here = check_here(); !here) {
        return here;
    }
    return rooms_.change([&](store::Tables& tables) -> Result<void> {
        if (auto here = check_here(); !here) {
            return here;
        }
        auto& contacts = tables.contacts();
        const auto found = contacts.find_suppression(target.account, target.number);
        if (!found) {
            return pass(found);
        }
        const bool is_out = *found && (**found).reason == model::SuppressionReason::opt_out;
        if (is_out == (wish == Wish::leave)) {
            return {};
        }
        if (wish == Wish::come_back) {
            const auto removed = contacts.remove_suppression(target.account, target.number);
            return removed ? Result<void>{} : pass(removed);
        }
        const auto put = contacts.put_suppression({.account = target.account,
                                                   .number = target.number,
                                                   .reason = model::SuppressionReason::opt_out,
                                                   .at = rooms_.clock.wall_now(),
                                                   .campaign = target.campaign});
        return put ? Result<void>{} : pass(put);
    });
}

}  // namespace merpati::api
