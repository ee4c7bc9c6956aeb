// What the tests next door use of Baileys, which is installed here.
export { Curve, decodeBinaryNode, encodeBinaryNode, useMultiFileAuthState } from "baileys";
