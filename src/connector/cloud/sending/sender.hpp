// The way of each message to the platform.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/shared_cache.hpp"
#include "connector/cloud/codec/codes.hpp"
#include "connector/cloud/codec/media_kinds.hpp"
#include "connector/cloud/codec/message_body.hpp"
#include "connector/cloud/graph/graph_client.hpp"
#include "connector/cloud/number/numbers.hpp"
#include "connector/cloud/sending/known_templates.hpp"
#include "connector/cloud/sending/last_inbound.hpp"
#include "connector/cloud/sending/reused_files.hpp"
#include "connector/cloud/sending/uploads.hpp"
#include "connector/connector.hpp"

namespace merpati::connector::cloud {

/// Operation: a message waits for its number's rate (Rates), shows "typing" if it asks for it and
/// its recipient has written, uploads its file, and is posted. What the platform refuses is judged
/// by codes.hpp. A message that is a template goes as it, with the values that it has, and its file
/// in the template's header: the platform alone judges whether they fit. The outcome has the
/// template's text as KnownTemplates has it.
///
/// Two messages: a text that does not fit its file's caption follows as a message of its own. The
/// second decides what becomes of both. If the second fails in passing, the next attempt sends only
/// it; after a restart both.
///
/// Threads: one. Limits: Capabilities::window in flight for each number; first_parts_max first
/// parts are remembered.
class Sender {
public:
    static constexpr std::size_t first_parts_max = 10'000;
    static constexpr Millis typing_within{2'000};

    struct Rooms {
        const Clock& clock;
        GraphClient& graph;
        Numbers& numbers;
        Uploads& uploads;
        KnownTemplates& templates;
        ReusedFiles& reused_files;
        LastInbound& last_inbound;
        /// Runs a function after the time.
        std::function<void(std::chrono::nanoseconds, std::move_only_function<void()>)> after;
        /// Whether the number's statuses can be verified.
        std::function<bool(model::PhoneNumber)> hears;
        std::function<bool()> may_begin;  // cloud::Options
        Millis status_wait;
    };
    explicit Sender(Rooms rooms) : rooms_(std::move(rooms)), first_parts_(first_parts_max) {}

    void begin(ConnectorEvents& events) { events_ = &events; }
    void send(const SendRequest& request);
    /// Closes the client, and reports the outcomes of all messages that are left.
    void stop();

    /// The platform reports that a message of the number failed, which may concern the number too.
    void note_failure(model::PhoneNumber number, const GraphError& error, Timestamp at);

private:
    struct Job {
        const model::Message* message = nullptr;
        const media::File* file = nullptr;
        const MediaKind* kind = nullptr;  // Of its file.
        bool as_template = false;
        bool text_follows = false;  // As a message of its own.
        bool uploaded_anew = false;
        std::string media_id;
        bool media_id_reused = false;
        std::shared_ptr<const model::SentTemplate> sent_as{};  // Once its template is posted.
    };
    using JobPtr = std::shared_ptr<Job>;

    [[nodiscard]] std::optional<model::Outcome> refuse(const SendRequest& request, Job& job,
                                                       Number* number);
    [[nodiscard]] bool is_done(const JobPtr& job) const;
    /// The number of the job; null: it is no longer connected, and the job was ended.
    [[nodiscard]] Number* number_of(const JobPtr& job);
    void begin_job(const JobPtr& job);
    void go_on(const JobPtr& job);
    void upload(const JobPtr& job, Number& number);
    void find_fallback(const JobPtr& job, Number& number);
    void find_filled(const JobPtr& job, Number& number);
    void post_with_file(const JobPtr& job, Number& number);
    void post_template(const JobPtr& job, const model::FilledTemplate& filled,
                       const MessageTemplate* listed);
    void post(const JobPtr& job, const boost::json::object& body, bool first_part);
    void answered(const JobPtr& job, const GraphAnswer& answer, bool first_part);
    void taken(const JobPtr& job, const GraphAnswer& answer, bool first_part);
    void refused(const JobPtr& job, const GraphError& error);
    [[nodiscard]] model::Outcome judged(const JobPtr& job, Number& number, const GraphError& error,
                                        const Verdict& verdict);
    [[nodiscard]] model::Outcome unknown_of(const JobPtr& job);
    void finish(const JobPtr& job, model::Outcome outcome);

    const Rooms rooms_;
    ConnectorEvents* events_ = nullptr;
    bool closed_ = false;
    std::unordered_map<model::MessageId, JobPtr> jobs_;
    SharedCache<model::PhoneNumber, model::MessageId, bool> first_parts_;
};

}  // namespace merpati::connector::cloud
