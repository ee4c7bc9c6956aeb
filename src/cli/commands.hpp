// Functions that add the commands to the program, one source file for each group.
#pragma once

#include "cli/program.hpp"

namespace merpati::cli {

void add_serve(Program& program);
void add_launch_worker(Program& program);

void add_account_commands(Program& program);
void add_key_commands(Program& program);
void add_connector_commands(Program& program);
void add_device_commands(Program& program);
void add_device_pair(Program& program, CLI::App& group);
void add_device_queue(Program& program, CLI::App& device);
void add_device_moves(Program& program, CLI::App& group);

void add_user_commands(Program& program);

void add_message_commands(Program& program);
void add_message_media(Program& program, CLI::App& group);
void add_callback_commands(Program& program);

void add_campaign_commands(Program& program);
void add_campaign_audience(Program& program, CLI::App& group);
void add_campaign_readiness(Program& program, CLI::App& group);
void add_campaign_watch(Program& program, CLI::App& group);
void add_contact_commands(Program& program);
void add_suppression_commands(Program& program);

void add_doctor(Program& program);
void add_backup(Program& program);
void add_migrate(Program& program);
void add_store_commands(Program& program);
void add_node_commands(Program& program);
void add_config_commands(Program& program);
void add_version(Program& program);

namespace section {
inline constexpr std::string_view server = "Server";
inline constexpr std::string_view accounts = "Accounts, people, keys and devices";
inline constexpr std::string_view messages = "Messages";
inline constexpr std::string_view campaigns = "Campaigns";
inline constexpr std::string_view operation = "Operation";
}  // namespace section

}  // namespace merpati::cli
