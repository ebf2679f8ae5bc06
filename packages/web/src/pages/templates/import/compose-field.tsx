import { type DragEvent, useId, useState } from 'react';
import { Button } from '../../../parts/button.tsx';

/** The same limit as that of the service, so that a film that was dropped by mistake is not read. */
const MAX_LENGTH = 500_000;

const EXAMPLE = `services:
  web:
    image: nginx:1.29.2
    ports: ["8080:80"]`;

/** Takes a Compose file by paste, drop or choice. `onInput` is called with a whole file; `isOpen` is before the first. */
export function ComposeField({
  value,
  onChange,
  onInput,
  env,
  onEnv,
  isBusy,
  isOpen,
}: {
  value: string;
  onChange: (text: string) => void;
  onInput: (text: string) => void;
  env: string;
  onEnv: (text: string) => void;
  isBusy: boolean;
  isOpen: boolean;
}) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState<string>();
  async function take(file: File | undefined) {
    setOver(false);
    if (!file) return;
    if (file.size > MAX_LENGTH)
      return setProblem(`${file.name} has more than ${MAX_LENGTH.toLocaleString()} characters.`);
    setProblem(undefined);
    onInput(await file.text());
  }
  function dropped(event: DragEvent) {
    event.preventDefault();
    void take(event.dataTransfer.files[0]);
  }
  return (
    <details className="compose" open={isOpen || undefined}>
      <summary className={isOpen ? 'sr-only' : 'mb-3 cursor-pointer text-sm font-[550]'}>The Compose file</summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping a file; the buttons do the same by keyboard */}
      <div
        className={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={dropped}
      >
        <label htmlFor={id} className="field-label">
          Compose file
          <small>paste it, or drop it here</small>
        </label>
        <textarea
          id={id}
          className="input"
          spellCheck={false}
          autoComplete="off"
          placeholder={EXAMPLE}
          value={value}
          aria-describedby={problem ? `${id}-problem` : undefined}
          onChange={(event) => onChange(event.target.value)}
          onPaste={(event) => {
            // A whole file pasted into the empty field needs no further click.
            const text = event.clipboardData.getData('text');
            if (value !== '' || !text.includes('services')) return;
            event.preventDefault();
            onInput(text);
          }}
        />
        {problem && (
          <p id={`${id}-problem`} className="help bad">
            {problem}
          </p>
        )}
        <details className="mt-3" open={env !== '' || undefined}>
          <summary className="cursor-pointer text-sm font-[550]">The .env beside it, if it has one</summary>
          <label htmlFor={`${id}-env`} className="field-label mt-2">
            Variables
            <small>values become defaults, passwords become generated secrets</small>
          </label>
          <textarea
            id={`${id}-env`}
            className="input"
            rows={4}
            spellCheck={false}
            autoComplete="off"
            placeholder="TAG=1.29.2"
            value={env}
            onChange={(event) => onEnv(event.target.value)}
          />
        </details>
        <div className="mt-3 flex flex-wrap items-center gap-3">
          <Button
            kind={isOpen ? 'primary' : 'plain'}
            busy={isBusy}
            disabled={value.trim() === ''}
            onClick={() => onInput(value)}
          >
            {isOpen ? 'Show the template' : 'Convert again'}
          </Button>
          <label className="btn choose">
            Choose a file…
            <input
              type="file"
              className="sr-only"
              accept=".yml,.yaml,.json,text/yaml,application/json"
              onChange={(event) => void take(event.target.files?.[0])}
            />
          </label>
        </div>
      </div>
    </details>
  );
}
