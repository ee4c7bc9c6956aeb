// The app's icons: strokes on a grid of 20.
const PATHS = {
  overview: "M3 10.5 10 4l7 6.5M5 9v7h10V9M8.5 16v-4h3v4",
  messages: "M3 5h14v9H8l-3.5 3v-3H3zM6.5 8.5h7M6.5 11h4.5",
  campaigns: "M3 8.5v3l2.5.5L15 16V4L5.5 8zM6 12l1 4.5h2L8 12.5M17.5 8.5v3",
  contacts:
    "M5 3h11v14H5zM3 6.5h2M3 10h2M3 13.5h2M10.5 9.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6" +
    "M7.5 14c.3-1.7 1.5-2.6 3-2.6s2.7.9 3 2.6",
  suppressions: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM5.2 5.2l9.6 9.6",
  devices: "M6 2.5h8v15H6zM9 15h2",
  callbacks: "M4 8h9.5a3 3 0 0 1 0 6H9M7 5 4 8l3 3",
  keys: "M12.5 7.5a3 3 0 1 1-.9-2.1M8.2 9.8 3 15v2h2.5v-1.5H7V14l2.5-2.5",
  account: "M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 16.5c.6-2.8 3-4.5 6-4.5s5.4 1.7 6 4.5",
  usage: "M4 16V9M8 16V5M12 16v-5M16 16V7",
  developers: "m7 6-4 4 4 4M13 6l4 4-4 4M11.5 4l-3 12",
  settings: "M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4",
  accounts: "M3 17V6l5-3v14M8 8h9v9M3 17h14M11 11h3M11 14h3",
  people:
    "M7 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM2.5 16c.4-2.5 2.2-4 4.5-4s4.1 1.5 4.5 4" +
    "M13 9.5a2.2 2.2 0 1 0 0-4.4M14 12c1.9.2 3.2 1.6 3.5 4",
  server: "M3.5 4h13v5h-13zM3.5 11h13v5h-13zM6 6.5h.01M6 13.5h.01",
  search: "M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4",
  menu: "M3 6h14M3 10h14M3 14h14",
  close: "M5 5l10 10M15 5 5 15",
  plus: "M10 4v12M4 10h12",
  copy: "M7 7h9v9H7zM13 7V4H4v9h3",
  check: "m4 10.5 4 4 8-9",
  chevron: "m6 8 4 4 4-4",
  right: "m8 5 5 5-5 5",
  left: "m12 5-5 5 5 5",
  external: "M8 5H4v11h11v-4M11 4h5v5M16 4l-7 7",
  download: "M10 3v9M6 8.5l4 4 4-4M4 16.5h12",
  upload: "M10 12V3M6 6.5l4-4 4 4M4 16.5h12",
  pause: "M7 5v10M13 5v10",
  play: "m7 4.5 8 5.5-8 5.5z",
  trash: "M4 6h12M8 6V4h4v2M6 6l.7 10.5h6.6L14 6",
  refresh: "M16 9a6 6 0 1 0-.8 4.5M16 4.5V9h-4.5",
  send: "M17 3 9 11M17 3l-5 14-3-6-6-3z",
  calendar: "M3.5 5h13v12h-13zM3.5 9h13M7 3v4M13 3v4",
  clock: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.5 2",
  alert: "M10 3.5 2.5 16.5h15zM10 8.5v4M10 14.7v.01",
  link:
    "M8.5 11.5a3 3 0 0 0 4.2 0l2.8-2.8a3 3 0 0 0-4.2-4.2l-1 1" +
    "M11.5 8.5a3 3 0 0 0-4.2 0l-2.8 2.8a3 3 0 0 0 4.2 4.2l1-1",
  signOut: "M8 4H4v12h4M12 6.5l3.5 3.5L12 13.5M15 10H7.5",
  sun:
    "M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10 2v2M10 16v2M2 10h2M16 10h2" +
    "M4.3 4.3l1.4 1.4M14.3 14.3l1.4 1.4M15.7 4.3l-1.4 1.4M5.7 14.3l-1.4 1.4",
  globe:
    "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM3 10h14" +
    "M10 3c2 2 3 4.3 3 7s-1 5-3 7c-2-2-3-4.3-3-7s1-5 3-7z",
  phone: "M6 2.5h8v15H6zM9 15h2",
  more: "M5 10h.01M10 10h.01M15 10h.01",
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: a text beside it, or its button's label, has the meaning. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === "more" ? 2.4 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
