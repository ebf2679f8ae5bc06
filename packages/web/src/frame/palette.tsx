import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { type Finding, useFindings } from './findings.tsx';
import { Matched } from './matched.tsx';

/** Finds and does anything by keyboard. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const groups = useFindings(text);
  const all = groups.flatMap(({ findings }) => findings);
  const current = Math.min(chosen, Math.max(0, all.length - 1));

  useEffect(() => {
    list.current?.querySelector(`[id="${id}-${current}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [current, id]);

  function run({ run: act }: Finding) {
    onClose();
    act();
  }
  function pressed(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((current + step + all.length) % Math.max(1, all.length));
    }
    const finding = all[current];
    if (event.key === 'Enter' && finding) {
      event.preventDefault();
      run(finding);
    }
  }
  let place = -1;
  return (
    <Dialog title="Find or do anything" className="palette" onClose={onClose}>
      <div className="flex h-12 items-center gap-2.5 border-b border-line px-4">
        <Icon name="search" />
        <input
          className="h-full flex-1 bg-transparent text-lg outline-none focus-visible:shadow-none"
          role="combobox"
          aria-label="Find or do anything"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={all.length > 0 ? `${id}-${current}` : undefined}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
          }}
          onKeyDown={pressed}
        />
      </div>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label="Findings"
        className="max-h-[60vh] overflow-auto pb-2"
      >
        {groups.map(({ title, findings }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a listbox
          <div key={title} role="group" aria-label={title}>
            <p className="group-title" aria-hidden="true">
              {title}
            </p>
            {findings.map((finding) => {
              place++;
              const own = place;
              return (
                // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: focus stays in the text field, which names the current option
                <div
                  key={finding.id}
                  id={`${id}-${own}`}
                  role="option"
                  aria-selected={own === current}
                  onPointerMove={() => setChosen(own)}
                  onClick={() => run(finding)}
                >
                  {finding.picture}
                  <Matched text={finding.name} query={text.trim()} />
                  <small>{own === current ? 'Open ↵' : finding.note}</small>
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {all.length === 0 && <p className="px-4 pb-4 text-ink-2">Nothing has this name.</p>}
    </Dialog>
  );
}
