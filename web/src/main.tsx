import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./style/tokens.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
