// A stanza: a tag, attributes, and inside it other nodes, bytes, or a text.

export type Attributes = Record<string, string>;
export type Content = Node[] | Uint8Array | string;

export interface Node {
  tag: string;
  attrs: Attributes;
  content?: Content;
}

/** A node; attributes without a value are left out. */
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

/** The first child of that name, at the end of a path of names. */
export function child(parent: Node, ...path: string[]): Node | undefined {
  return path.reduce<Node | undefined>(
    (at, tag) => at && children(at).find((inside) => inside.tag === tag),
    parent,
  );
}

/** The bytes of a child; a text is its UTF-8. Throws where there is none. */
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

/** What a client did against the protocol. */
export class ProtocolError extends Error {}
