import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./style/tokens.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { watchFocus } from "./ui/focus_kept.ts";
import { watchValidity } from "./ui/validity.ts";

const root = document.getElementById("root");
watchFocus();
watchValidity();
if (root) createRoot(root).render(<App />);
