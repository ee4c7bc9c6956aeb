#include "api/opt_out_html.hpp"

#include <fmt/format.h>

#include "api/texts/opt_out.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"

namespace merpati::api {
namespace {

namespace texts = opt_out_texts;

constexpr std::string_view html = "text/html; charset=utf-8";

constexpr std::string_view style = R"(
:root{color-scheme:light dark;--page:#f4f6f7;--card:#fff;--text:#17262b;--soft:#5a6b71;
--line:#dfe5e7;--brand:#0f6570;--on-brand:#fff}
@media(prefers-color-scheme:dark){:root{--page:#101719;--card:#182225;--text:#e8eef0;
--soft:#9fb0b6;--line:#2b383c;--brand:#4fb0bb;--on-brand:#06181b}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;
justify-content:center;gap:20px;padding:24px 16px;background:var(--page);color:var(--text);
font:17px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{width:100%;max-width:440px;padding:28px 24px;background:var(--card);
border:1px solid var(--line);border-radius:14px}
h1{margin:0 0 12px;font-size:1.4em;line-height:1.25}
p{margin:0 0 16px;overflow-wrap:anywhere}
dl{margin:0 0 24px;padding:14px 0;border:solid var(--line);border-width:1px 0}
dl div{display:flex;justify-content:space-between;gap:16px}
dt{color:var(--soft)}
dd{margin:0;font-weight:600;text-align:right;overflow-wrap:anywhere}
button{width:100%;min-height:52px;padding:12px 16px;font:inherit;font-weight:600;cursor:pointer;
color:var(--on-brand);background:var(--brand);border:1px solid var(--brand);border-radius:10px}
button.quiet{color:var(--brand);background:transparent;border-color:var(--line)}
button:focus-visible,a:focus-visible{outline:3px solid var(--brand);outline-offset:3px}
.note{margin:14px 0 0;font-size:.9em;color:var(--soft)}
a{display:inline-block;padding:10px;color:var(--soft)}
)";

Language other_than(Language language) {
    return language == Language::english ? Language::indonesian : Language::english;
}

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

void protect(http::Reply& reply, Language language) {
    static const auto policy = fmt::format(
        "default-src 'none'; style-src 'sha256-{}'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'",
        to_base64(sha256(style)));
    reply.add_header("Content-Security-Policy", policy);
    reply.add_header("X-Frame-Options", "DENY");
    reply.add_header("X-Content-Type-Options", "nosniff");
    reply.add_header("Referrer-Policy", "no-referrer");
    reply.add_header("X-Robots-Tag", "noindex, nofollow");
    reply.add_header("Cache-Control", "no-store");
    reply.add_header("Content-Language", to_string(language));
    reply.add_header("Vary", "Accept-Language");
}

http::Reply page(std::uint16_t status, Language language, std::string_view title,
                 std::string_view content) {
    const auto other = to_string(other_than(language));
    http::Reply reply{.status = status, .content_type = html};
    reply.body = fmt::format(
        R"(<!doctype html>
<html lang="{}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>{}</title>
<style>{}</style>
<main>
<h1>{}</h1>
{}</main>
<a href="?lang={}" hreflang="{}" lang="{}">{}</a>
</html>
)",
        to_string(language), title, style, title, content, other, other, other,
        text_in(texts::other_language, language));
    protect(reply, language);
    return reply;
}

}  // namespace

http::Reply opt_out_page(const OptOutReader& reader, Language language) {
    const auto say = [language](const Text& text) { return text_in(text, language); };
    const auto text = say(reader.is_out    ? texts::out_text
                          : reader.is_back ? texts::back_text
                                           : texts::in_text);
    const auto note = reader.is_out
                          ? std::string{}
                          : fmt::format("<p class=\"note\">{}</p>\n", say(texts::leave_note));
    const auto content = fmt::format(
        R"(<p>{}</p>
<dl>
<div><dt>{}</dt><dd>{}</dd></div>
<div><dt>{}</dt><dd>{}</dd></div>
</dl>
<form method="post" action="?lang={}">
<input type="hidden" name="do" value="{}">
<button{}>{}</button>
</form>
{})",
        text, say(texts::account), escaped(reader.account), say(texts::number),
        escaped(reader.number), to_string(language), reader.is_out ? "in" : "out",
        reader.is_out ? " class=\"quiet\"" : "",
        say(reader.is_out ? texts::come_back : texts::leave), note);
    return page(200, language, say(reader.is_out ? texts::out_title : texts::in_title), content);
}

http::Reply bad_link_page(std::uint16_t status, Language language) {
    const bool many = status == 429;
    const auto& text = many ? texts::many_text : texts::bad_text;
    return page(status, language, text_in(many ? texts::many_title : texts::bad_title, language),
                fmt::format("<p>{}</p>\n", text_in(text, language)));
}

}  // namespace merpati::api
