import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { usePlaces } from './places.ts';

const JUMP_MS = 1_000;

/** Keys of every page: ⌘K or Ctrl K finds, `/` goes to the search of the page, `g i` jumps, `?` shows them all. */
export function useShortcuts({ find, help }: { find: () => void; help: () => void }): void {
  const { all } = usePlaces();
  const navigate = useNavigate();
  const jumpUntil = useRef(0);
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      return find();
    }
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event) || document.querySelector('dialog[open]'))
      return;
    const isJump = event.timeStamp < jumpUntil.current;
    jumpUntil.current = event.key === 'g' && !isJump ? event.timeStamp + JUMP_MS : 0;
    const place = isJump ? all.find(({ key }) => key === event.key) : undefined;
    if (place) return void navigate({ to: place.to });
    if (event.key === '?') return help();
    const search = event.key === '/' && document.querySelector<HTMLInputElement>('main [type="search"]');
    if (search) {
      event.preventDefault();
      search.focus();
    }
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => pressed(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}

/** Reads the composed path: the target of an event from a shadow root is its host. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName);
}

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const { all } = usePlaces();
  const rows = [
    { keys: ['⌘', 'K'], name: 'Find or do anything; Ctrl K works too' },
    { keys: ['/'], name: 'Search this page' },
    { keys: ['?'], name: 'Show this sheet' },
    { keys: ['Esc'], name: 'Close what is open' },
    ...all.filter(({ key }) => key).map(({ key, name }) => ({ keys: ['g', key as string], name: `Go to ${name}` })),
  ];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <h2>Keyboard shortcuts</h2>
      <dl className="mt-4 grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {rows.map(({ keys, name }) => (
          <div key={name} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
