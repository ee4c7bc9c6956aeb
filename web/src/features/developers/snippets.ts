// One send request as programs in four languages.

export interface SendRequest {
  base: string;
  key: string;
  revision: "A" | "B";
  body: Record<string, unknown>;
}

export const LANGUAGES = ["curl", "PHP", "JavaScript", "Python"] as const;
export type SnippetLanguage = (typeof LANGUAGES)[number];

export function snippet(language: SnippetLanguage, request: SendRequest): string {
  return WRITERS[language](request);
}

const WRITERS: Record<SnippetLanguage, (request: SendRequest) => string> = {
  curl: ({ base, key, revision, body }) =>
    [
      `curl ${base}/v1/send \\`,
      `  -H ${shell(`Authorization: Bearer ${key}`)} \\`,
      "  -H 'Content-Type: application/json' \\",
      `  -H 'X-Api-Revision: ${revision}' \\`,
      `  -d ${shell(JSON.stringify(body, null, 2))}`,
    ].join("\n"),
  PHP: ({ base, key, revision, body }) =>
    [
      "<?php",
      `$request = curl_init(${php(`${base}/v1/send`)});`,
      "curl_setopt_array($request, [",
      "    CURLOPT_POST => true,",
      "    CURLOPT_RETURNTRANSFER => true,",
      "    CURLOPT_HTTPHEADER => [",
      `        ${php(`Authorization: Bearer ${key}`)},`,
      "        'Content-Type: application/json',",
      `        'X-Api-Revision: ${revision}',`,
      "    ],",
      "    CURLOPT_POSTFIELDS => json_encode([",
      ...Object.entries(body).map(([name, value]) => `        ${php(name)} => ${phpValue(value)},`),
      "    ]),",
      "]);",
      "echo curl_exec($request);",
    ].join("\n"),
  JavaScript: ({ base, key, revision, body }) =>
    [
      `const response = await fetch(${JSON.stringify(`${base}/v1/send`)}, {`,
      '  method: "POST",',
      "  headers: {",
      `    Authorization: ${JSON.stringify(`Bearer ${key}`)},`,
      '    "Content-Type": "application/json",',
      `    "X-Api-Revision": "${revision}",`,
      "  },",
      `  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), "  ")}),`,
      "});",
      "console.log(await response.json());",
    ].join("\n"),
  Python: ({ base, key, revision, body }) =>
    [
      "import json, urllib.request",
      "",
      "request = urllib.request.Request(",
      `    ${JSON.stringify(`${base}/v1/send`)},`,
      "    data=json.dumps({",
      ...Object.entries(body).map(
        ([name, value]) => `        ${JSON.stringify(name)}: ${pythonValue(value)},`,
      ),
      "    }).encode(),",
      "    headers={",
      `        "Authorization": ${JSON.stringify(`Bearer ${key}`)},`,
      '        "Content-Type": "application/json",',
      `        "X-Api-Revision": "${revision}",`,
      "    },",
      ")",
      "print(urllib.request.urlopen(request).read().decode())",
    ].join("\n"),
};

/** Quotes any text for a shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function php(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function phpValue(value: unknown): string {
  return typeof value === "string" ? php(value) : String(value);
}

function pythonValue(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}

function indented(text: string, by: string): string {
  return text.replaceAll("\n", `\n${by}`);
}
