// Keeps the frame visible if a page fails to load or to render.
import { Component, type ReactNode } from "react";
import { ProblemNote } from "./problem_note.tsx";

export class Boundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    return this.state.error ? <ProblemNote error={this.state.error} /> : this.props.children;
  }
}
