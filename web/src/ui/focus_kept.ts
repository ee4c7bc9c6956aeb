// Where the focus goes when what had it is gone: never to nowhere, from where Tab begins anew.
const WINDOWS = '[role="dialog"], [role="menu"], [role="listbox"]';
const AFTER_OWN = 30; // Milliseconds: a window first gives the focus back itself.

let last: HTMLElement | undefined; // That had it outside of all windows.

export function watchFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && !target.closest(WINDOWS)) last = target;
  });
}

/** Called when a window has closed. */
export function keepFocus(): void {
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    const windows = document.querySelectorAll<HTMLElement>('[role="dialog"][aria-modal="true"]');
    const page = last?.isConnected ? last : document.getElementById("content");
    (windows[windows.length - 1] ?? page)?.focus({ preventScroll: true });
  }, AFTER_OWN);
}
