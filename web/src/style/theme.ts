import { createTheme, type MantineColorsTuple } from "@mantine/core";

// The values themselves stand in tokens.css: nothing may write styles into the page.
const names = Array.from({ length: 10 }, (_, shade) => `var(--mantine-color-brand-${shade})`);

export const theme = createTheme({
  primaryColor: "brand",
  colors: { brand: names as unknown as MantineColorsTuple },
  defaultRadius: 6,
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: "sm" } },
    TextInput: { defaultProps: { size: "sm" } },
    Modal: {
      defaultProps: { lockScroll: false, centered: true, overlayProps: { backgroundOpacity: 0.4 } },
    },
    Drawer: { defaultProps: { lockScroll: false, position: "right" } },
    Select: { defaultProps: { allowDeselect: false, checkIconPosition: "right" } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: false } },
  },
});
