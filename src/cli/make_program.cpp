#include "cli/commands.hpp"

namespace merpati::cli {

std::unique_ptr<Program> make_program(Console console) {
    auto program = std::make_unique<Program>(std::move(console));
    add_serve(*program);
    add_account_commands(*program);
    add_user_commands(*program);
    add_key_commands(*program);
    add_connector_commands(*program);
    add_device_commands(*program);
    add_message_commands(*program);
    add_callback_commands(*program);
    add_campaign_commands(*program);
    add_contact_commands(*program);
    add_suppression_commands(*program);
    add_doctor(*program);
    add_backup(*program);
    add_migrate(*program);
    add_store_commands(*program);
    add_node_commands(*program);
    add_config_commands(*program);
    add_launch_worker(*program);
    add_version(*program);
    return program;
}

}  // namespace merpati::cli
