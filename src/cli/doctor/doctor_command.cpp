// merpati doctor
#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <ranges>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "base/printable.hpp"
#include "cli/commands.hpp"
#include "cli/doctor/finding.hpp"
#include "config/address.hpp"

namespace merpati::cli {
namespace {

using doctor::Finding;
using doctor::Findings;
using doctor::Verdict;

constexpr std::chrono::seconds server_answers_within{10};

Findings examine(Session& session, store::Depth depth) {
    Findings findings;
    const auto loaded = session.settings();
    if (!loaded) {
        for (const auto& mistake : std::views::split(loaded.error().detail, '\n')) {
            findings.push_back(
                {.subject = "settings",
                 .verdict = Verdict::wrong,
                 .found = std::string{std::string_view{mistake}},
                 .remedy = "docs/configuration.md names every setting and its bounds"});
        }
        return findings;
    }
    const auto& settings = (*loaded)->settings;
    findings.push_back({.subject = "settings",
                        .found = fmt::format("are right; {} differ from the defaults",
                                             (*loaded)->origins.size())});
    findings.push_back(
        {.subject = "settings",
         .found = fmt::format("the store is {} ({})", config::mask_password(settings.store.url),
                              (*loaded)->origin("store.url").text)});
    doctor::check_protection(**loaded, findings);
    const auto server = doctor::check_store(settings, depth, session.clock(), findings);
    doctor::check_file_modes(settings, findings);
    doctor::check_disk(settings, session.clock(), findings);
    doctor::check_media_folder(settings, findings);
    doctor::check_workers(settings, session.clock(), findings);
    doctor::check_cloud(settings,
                        server.running ? doctor::AskServer{[&](auto method, const auto& target) {
                            return session.ask_server(method, target, server_answers_within);
                        }}
                                       : doctor::AskServer{},
                        findings);
    doctor::check_clock(session.clock(), findings);
    doctor::check_descriptors(settings, findings);
    doctor::check_tls(settings, session.clock(), findings);
    if (!server.running) {
        doctor::check_addresses(settings, findings);
    }
    doctor::check_names(findings);
    return findings;
}

void print(std::ostream& out, const Findings& findings) {
    for (const auto& finding : findings) {
        out << fmt::format("{:<5}  {:<11}  {}\n", doctor::to_string(finding.verdict),
                           finding.subject, printable(finding.found));
        if (!finding.remedy.empty()) {
            out << fmt::format("{:<18}    -> {}\n", "", printable(finding.remedy));
        }
    }
}

boost::json::object to_json(const Findings& findings, bool healthy) {
    boost::json::array list;
    for (const auto& finding : findings) {
        list.push_back({{"subject", std::string{finding.subject}},
                        {"verdict", std::string{doctor::to_string(finding.verdict)}},
                        {"found", finding.found},
                        {"remedy", finding.remedy}});
    }
    return {{"healthy", healthy}, {"findings", std::move(list)}};
}

int run(Session& session, store::Depth depth) {
    const auto findings = examine(session, depth);
    const auto wrong = std::ranges::count(findings, Verdict::wrong, &Finding::verdict);
    auto& out = session.console().out;
    if (session.json()) {
        session.print(to_json(findings, wrong == 0));
    } else {
        print(out, findings);
        out << (wrong == 0 ? "Nothing is wrong.\n" : fmt::format("{} wrong.\n", wrong));
    }
    return wrong == 0 ? exit_done : exit_failed;
}

}  // namespace

std::string_view doctor::to_string(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::good:
            return "good";
        case Verdict::note:
            return "note";
        case Verdict::wrong:
            return "WRONG";
    }
    return "WRONG";
}

void add_doctor(Program& program) {
    const auto deep = std::make_shared<bool>(false);
    auto& command = program.add_command(
        program.root(),
        {.name = "doctor",
         .summary = "Find what is wrong here, and say how to fix it",
         .details = "Checks settings, protection, server, store, files, disk, media, clock, "
                    "limits,\ncertificates, addresses and names, and changes nothing. Exits 1 "
                    "if\nsomething is wrong; a note alone is no error.",
         .example = "merpati --config /etc/merpati/merpati.toml doctor",
         .section = section::operation},
        [deep](Session& session) {
            return run(session, *deep ? store::Depth::deep : store::Depth::quick);
        });
    command.add_flag("--deep", *deep, "Compare the store's indexes with its tables too");
}

}  // namespace merpati::cli
