// The JSON bodies of messages, one for each kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "connector/cloud/codec/media_kinds.hpp"
#include "connector/connector.hpp"
#include "model/message.hpp"

namespace merpati::connector::cloud {

inline constexpr std::size_t caption_characters_max = 1'024;

/// Whom a message goes to, and what the platform repeats in each of its statuses.
struct Envelope {
    std::string_view recipient;
    std::string opaque;
};

/// What `biz_opaque_callback_data` says of a message: its id. The file of a message whose text is
/// sent as a second message is its first part, which does not decide.
[[nodiscard]] std::string opaque_of(const model::MessageId& message, bool first_part);
struct Opaque {
    model::MessageId message;
    bool first_part = false;
};
/// Empty: it is not ours.
[[nodiscard]] std::optional<Opaque> parse_opaque(std::string_view text);

[[nodiscard]] boost::json::object text_body(const Envelope& envelope, std::string_view text);

/// `caption` and `file_name` may be empty. The kind must take a caption if there is one.
[[nodiscard]] boost::json::object media_body(const Envelope& envelope, const MediaKind& kind,
                                             std::string_view media_id, std::string_view caption,
                                             std::string_view file_name);

/// The template, with a text for each variable of its body, in their order.
struct TemplateUse {
    std::string_view name;
    std::string_view language;
    std::span<const std::string> values;
    /// As MessageTemplate has them; others than one for each value: the variables are numbered.
    std::span<const std::string> names{};
    /// As MessageTemplate has it; with it there is one value.
    std::optional<std::uint32_t> code_button{};
    std::string_view header{};       // Of its header's variable; empty: none.
    std::string_view header_name{};  // As MessageTemplate has it.
    /// The file of its header, as in media_body; null: none.
    const MediaKind* file_kind = nullptr;
    std::string_view media_id{};
    std::string_view file_name{};
    struct Button {
        MessageTemplate::Button::Kind kind = MessageTemplate::Button::Kind::url;
        std::uint32_t place = 0;
        std::string_view text;
    };
    std::vector<Button> buttons{};
};
[[nodiscard]] boost::json::object template_body(const Envelope& envelope, const TemplateUse& use);

/// What a message fills, in the places that the platform's list says. `listed` null: it is not on
/// the list. Then all variables count as numbered, and the buttons as the first ones, with
/// addresses. So does a button too many, which the platform refuses. `filled` must stay.
[[nodiscard]] TemplateUse use_of(const model::FilledTemplate& filled,
                                 const MessageTemplate* listed);

/// The text as a template's variable: line breaks and runs of blanks are one blank each, and it is
/// cut so that the template with it has at most MessageTemplate::characters_max. Never empty.
[[nodiscard]] std::string filling_of(std::string_view text, const MessageTemplate& used);

/// Shows "typing" to the sender of a message that was received, and marks that as read.
[[nodiscard]] boost::json::object typing_body(std::string_view inbound_id);

/// Whether the text of a media message fits into its caption.
[[nodiscard]] bool fits_caption(const MediaKind& kind, std::string_view text);

/// The file name of a document: that of its URL, or one made of its type.
[[nodiscard]] std::string document_name(const MediaKind& kind, std::string_view url);

}  // namespace merpati::connector::cloud
