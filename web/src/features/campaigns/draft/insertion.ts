// Inserts placeholders at the caret of the field that was edited last, among fields that are known
// by their place (`data-place`).
import { useRef } from "react";

type Field = HTMLTextAreaElement | HTMLInputElement;

export function useInsertion(
  textAt: (place: number) => string,
  write: (place: number, text: string) => void,
) {
  const last = useRef<Field>(null);
  const onFocus = (field: Field) => {
    last.current = field;
  };
  const insert = (placeholder: string) => {
    const field = last.current;
    const place = Number(field?.getAttribute("data-place") ?? 0);
    const text = textAt(place);
    const start = field?.selectionStart ?? text.length;
    const end = field?.selectionEnd ?? text.length;
    write(place, text.slice(0, start) + placeholder + text.slice(end));
    const caret = start + placeholder.length;
    // After the field has the new text.
    requestAnimationFrame(() => {
      field?.focus();
      field?.setSelectionRange(caret, caret);
    });
  };
  return { onFocus, insert };
}
