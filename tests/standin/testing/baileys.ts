// The parts of Baileys, which is installed in this folder, that tests outside of it use.
export { Curve, decodeBinaryNode, encodeBinaryNode, useMultiFileAuthState } from "baileys";
