/** What a machine said, always as text. Scrolls, also by keyboard. */
export function OutputText({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard
    <section className="said" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}

/** JSON with an indent; any other text as it is. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
