import { useRef, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** Copies a text; says so for two seconds. `label` names what is copied: "Copy command". */
export function Copy({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  async function copy() {
    // Browsers have a clipboard only over https or on this machine.
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else copyBeside(button.current, text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  }
  return (
    <Button ref={button} small square aria-label={copied ? 'Copied' : label} title={label} onClick={copy}>
      <Icon name={copied ? 'check' : 'copy'} />
    </Button>
  );
}

/** Copies without a clipboard: selects the text in a field beside the button, where an open dialog allows it. */
function copyBeside(button: HTMLElement | null, text: string): void {
  const field = document.createElement('textarea');
  field.className = 'sr-only';
  field.value = text;
  button?.after(field);
  field.select();
  document.execCommand('copy');
  field.remove();
  button?.focus();
}

/** A text of a machine with a copy button: a command, a key, an id. */
export function Copied({ text, label }: { text: string; label: string }) {
  return (
    <div className="flex items-center gap-2 rounded-2 border border-line bg-sunken py-2 pr-2 pl-3 text-ink-2">
      <code className="min-w-0 flex-1 [overflow-wrap:anywhere]">{text}</code>
      <Copy text={text} label={label} />
    </div>
  );
}
