import { createTheme, type MantineColorsTuple } from "@mantine/core";
import { keepFocus } from "../ui/focus_kept.ts";
import classes from "./controls.module.css";

// The values are in tokens.css, because scripts may not write styles into the page.
const names = Array.from({ length: 10 }, (_, shade) => `var(--mantine-color-brand-${shade})`);

export const theme = createTheme({
  primaryColor: "brand",
  colors: { brand: names as unknown as MantineColorsTuple },
  defaultRadius: 6,
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    ActionIcon: { classNames: { root: classes.touchSquare } },
    Badge: { classNames: { root: classes.badge } },
    Button: { defaultProps: { size: "sm" }, classNames: { root: classes.touch } },
    CloseButton: { classNames: { root: classes.touchSquare } },
    Checkbox: { classNames: { body: classes.touchRow } },
    Input: { classNames: { input: classes.touch } },
    InputWrapper: { classNames: { label: classes.label } },
    TextInput: { defaultProps: { size: "sm" } },
    Modal: {
      classNames: { content: classes.window, header: classes.windowPart },
      defaultProps: {
        lockScroll: false,
        centered: true,
        overlayProps: { backgroundOpacity: 0.3 },
        onExitTransitionEnd: keepFocus,
      },
    },
    Drawer: {
      defaultProps: {
        lockScroll: false,
        position: "right",
        overlayProps: { backgroundOpacity: 0.3 },
        onExitTransitionEnd: keepFocus,
      },
    },
    Menu: {
      defaultProps: { withInitialFocusPlaceholder: false },
      classNames: { item: classes.touch },
    },
    Pill: { classNames: { root: classes.touchPill } },
    Radio: { classNames: { body: classes.touchRow } },
    SegmentedControl: { classNames: { label: classes.touchLabel } },
    Switch: { defaultProps: { withThumbIndicator: false }, classNames: { body: classes.touchRow } },
    Tabs: { classNames: { tab: classes.touch } },
    Select: { defaultProps: { allowDeselect: false, checkIconPosition: "right" } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: false } },
  },
});
