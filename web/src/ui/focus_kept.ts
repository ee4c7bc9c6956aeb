// Restores the focus when the focused element has disappeared; otherwise Tab would start at the
// top.
const WINDOWS = '[role="dialog"], [role="menu"], [role="listbox"]';
const AFTER_OWN = 30; // Milliseconds, in which a dialog returns the focus itself.

let last: HTMLElement | undefined; // The last focused element outside of dialogs.

export function watchFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && !target.closest(WINDOWS)) last = target;
  });
}

/** Call after a dialog has closed. */
export function keepFocus(): void {
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    const windows = document.querySelectorAll<HTMLElement>('[role="dialog"][aria-modal="true"]');
    const page = last?.isConnected ? last : document.getElementById("content");
    (windows[windows.length - 1] ?? page)?.focus({ preventScroll: true });
  }, AFTER_OWN);
}
