// A stanza: a tag, attributes, and as content other nodes, bytes, or a text.

export type Attributes = Record<string, string>;
export type Content = Node[] | Uint8Array | string;

export interface Node {
  tag: string;
  attrs: Attributes;
  content?: Content;
}

/** Makes a node; attributes without a value are left out. */
export function node(
  tag: string,
  attrs: Record<string, string | undefined> = {},
  content?: Content,
): Node {
  const present = Object.entries(attrs).filter((pair): pair is [string, string] => {
    return pair[1] !== undefined;
  });
  const made: Node = { tag, attrs: Object.fromEntries(present) };
  if (content !== undefined) made.content = content;
  return made;
}

export function children(parent: Node, tag?: string): Node[] {
  const inside = Array.isArray(parent.content) ? parent.content : [];
  return tag === undefined ? inside : inside.filter((child) => child.tag === tag);
}

/** Follows a path of tags, each time to the first child with that tag. */
export function child(parent: Node, ...path: string[]): Node | undefined {
  return path.reduce<Node | undefined>(
    (at, tag) => at && children(at).find((inside) => inside.tag === tag),
    parent,
  );
}

/** The bytes of a child, or its text as UTF-8. Throws if there are none. */
export function bytes(parent: Node, ...path: string[]): Buffer {
  const found = child(parent, ...path)?.content;
  if (typeof found === "string") return Buffer.from(found);
  if (found instanceof Uint8Array) return Buffer.from(found);
  throw new ProtocolError(`<${parent.tag}> has no bytes in ${path.join("/")}`);
}

export function attribute(from: Node, name: string): string {
  const value = from.attrs[name];
  if (value === undefined) throw new ProtocolError(`<${from.tag}> has no ${name}`);
  return value;
}

/** A violation of the protocol by a client. */
export class ProtocolError extends Error {}
