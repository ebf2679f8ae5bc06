import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { type Schema, type Suggestion, suggestionsAt } from './suggestions.ts';

export interface Mistake {
  readonly severity: 'error' | 'warning';
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** Pixels of one line; the style sheet has the same. */
const LINE = 20;
const MOST = 8;

/**
 * A text field for templates with line numbers, marks of mistakes and completion from the schema. A plain text area:
 * screen readers and input methods know it, and it injects no styles, which the policy of the page would refuse.
 */
export function TemplateEditor({
  label,
  value,
  onChange,
  mistakes,
  schema,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  mistakes: readonly Mistake[];
  schema: Schema | undefined;
}) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [scroll, setScroll] = useState({ top: 0, left: 0 });
  const [offered, setOffered] = useState<Offered>();
  const lines = value.split('\n').length;
  const worst = worstByLine(mistakes);

  function offer(element: HTMLTextAreaElement, force: boolean) {
    const { selectionStart: at, selectionEnd, value: text } = element;
    if (!schema || at !== selectionEnd) return setOffered(undefined);
    const { all, replaces } = suggestionsAt(text, at, schema);
    setOffered(all.length > 0 && (force || replaces > 0) ? { all, replaces, at, chosen: 0 } : undefined);
  }
  function take({ all, replaces, at, chosen }: Offered, which = chosen) {
    const element = area.current;
    const suggestion = all[which];
    if (!element || !suggestion) return;
    element.focus();
    element.setSelectionRange(at - replaces, at);
    insert(element, suggestion.text);
    onChange(element.value);
    setOffered(undefined);
  }
  function pressed(event: KeyboardEvent<HTMLTextAreaElement>) {
    const element = event.currentTarget;
    // Enter also ends what an input method composes.
    if (event.nativeEvent.isComposing) return undefined;
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      return offer(element, true);
    }
    if (offered) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) {
        event.preventDefault();
        const count = Math.min(MOST, offered.all.length);
        return setOffered({ ...offered, chosen: (offered.chosen + step + count) % count });
      }
      if (event.key === 'Enter') {
        event.preventDefault();
        return take(offered);
      }
      if (event.key === 'Escape') {
        event.preventDefault();
        return setOffered(undefined);
      }
    }
    if (event.key === 'Enter') {
      // Keeps the indentation; Tab stays the way out of the field.
      event.preventDefault();
      const line = element.value.slice(0, element.selectionStart).split('\n').at(-1) ?? '';
      insert(element, `\n${/^\s*/.exec(line)?.[0] ?? ''}`);
      onChange(element.value);
    }
    return undefined;
  }
  return (
    <div className="editor">
      <div className="editor-gutter" aria-hidden="true">
        <div style={{ transform: `translateY(${-scroll.top}px)` }}>
          {Array.from({ length: lines }, (_, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
            <span key={line} className={worst.get(line + 1)}>
              {line + 1}
            </span>
          ))}
        </div>
      </div>
      <div className="editor-field">
        <textarea
          ref={area}
          aria-label={label}
          aria-describedby={`${id}-help`}
          aria-invalid={mistakes.some(({ severity }) => severity === 'error') || undefined}
          aria-autocomplete="list"
          aria-controls={offered ? `${id}-list` : undefined}
          aria-activedescendant={offered ? `${id}-${offered.chosen}` : undefined}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          wrap="off"
          value={value}
          onChange={(event) => {
            onChange(event.target.value);
            offer(event.target, false);
          }}
          onKeyDown={pressed}
          onBlur={() => setOffered(undefined)}
          onClick={() => setOffered(undefined)}
          onScroll={({ currentTarget: { scrollTop, scrollLeft } }) => setScroll({ top: scrollTop, left: scrollLeft })}
        />
        {offered && (
          <Popup
            id={id}
            offered={offered}
            place={placeOf(value, offered, scroll)}
            onTake={(which) => take(offered, which)}
          />
        )}
        <p id={`${id}-help`} className="sr-only">
          Control and space suggest what can stand here. Tab leaves the field.
        </p>
      </div>
    </div>
  );
}

interface Offered {
  readonly all: readonly Suggestion[];
  readonly replaces: number;
  readonly at: number;
  readonly chosen: number;
}

function Popup({
  id,
  offered: { all, chosen },
  place,
  onTake,
}: {
  id: string;
  offered: Offered;
  place: { readonly top: number; readonly left: string };
  onTake: (which: number) => void;
}) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label="Suggestions" className="editor-popup" style={place}>
      {all.slice(0, MOST).map(({ label, about, isRequired }, which) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: focus stays in the text field, which names the current option
        <div
          key={label}
          id={`${id}-${which}`}
          role="option"
          aria-selected={which === chosen}
          // Before the field loses focus, which would close the list.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(which)}
        >
          <b>{label}</b>
          {isRequired && <small>required</small>}
          <span>{about}</span>
        </div>
      ))}
    </div>
  );
}

/** Inserts as if typed, so that undo works; browsers have no other way that keeps it. */
function insert(element: HTMLTextAreaElement, text: string): void {
  if (!document.execCommand('insertText', false, text))
    element.setRangeText(text, element.selectionStart, element.selectionEnd, 'end');
}

function placeOf(value: string, { at, replaces }: Offered, { top, left }: { top: number; left: number }) {
  const before = value.slice(0, at - replaces).split('\n');
  const column = before.at(-1)?.length ?? 0;
  return { top: before.length * LINE - top + 10, left: `calc(${column}ch + ${10 - left}px)` };
}

function worstByLine(mistakes: readonly Mistake[]): ReadonlyMap<number, Mistake['severity']> {
  const worst = new Map<number, Mistake['severity']>();
  for (const { line, severity } of mistakes) if (worst.get(line) !== 'error') worst.set(line, severity);
  return worst;
}

/** Puts the cursor at a place of the editor's text, and scrolls there. */
export function goTo(element: HTMLTextAreaElement | null, { line, column }: Pick<Mistake, 'line' | 'column'>): void {
  if (!element) return;
  const before = element.value.split('\n').slice(0, line - 1);
  const at = before.reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
  element.focus();
  element.setSelectionRange(at, at);
  element.scrollTop = Math.max(0, (line - 6) * LINE);
}
