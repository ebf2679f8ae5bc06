const PATHS = {
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9Zm3.5 8 3.5 3.5',
  plus: 'M8 3v10M3 8h10',
  check: 'm3.5 8.5 3 3 6-7',
  x: 'm4 4 8 8m0-8-8 8',
  copy: 'M7 5.500h5a1.5 1.5 0 0 1 1.5 1.500v5a1.5 1.5 0 0 1-1.5 1.500H7A1.5 1.5 0 0 1 5.5 12V7A1.5 1.5 0 0 1 7 5.500ZM10.5 5.500v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2',
  out: 'M6 3.500h6.500V10M12 4 4 12',
  down: 'M8 2.500v8m-3-3 3 3 3-3M3 13.500h10',
  chevron: 'm4 6 4 4 4-4',
  restart: 'M13 8a5 5 0 1 1-1.6-3.700M13 2v3h-3',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  home: 'M2.5 7 8 2.5 13.5 7v6.500h-4V9h-3v4.500h-4z',
  shelf: 'M2.5 13.500h11M4 13.500v-5m4 5V3m4 10.500v-7',
  sprout: 'M8 14V7M8 9C8 5.5 5.5 4 2.5 4 2.5 7.5 5 9 8 9Zm0-2c0-3 2-4.5 5.5-4.500C13.5 5.5 11.5 7 8 7Z',
  pulse: 'M1.5 8.500h3l2-5 3 9 2-4h3',
  menu: 'M2.5 4.500h11m-11 3.500h11m-11 3.500h11',
  theme: 'M8 2.500a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11Z',
} as const;

export type IconName = keyof typeof PATHS;

/** A small line drawing beside a word; decorative. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.2 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
      {name === 'theme' && <path d="M8 2.500v11a5.5 5.5 0 0 0 0-11Z" fill="currentColor" />}
    </svg>
  );
}

export function Logo() {
  return (
    <svg viewBox="0 0 26 26" width="26" height="26" aria-hidden="true">
      <path d="M13 25V11" stroke="var(--leaf-6)" strokeWidth="2.2" strokeLinecap="round" />
      <path d="M13 15.500C13 9.5 9 6.5 2.5 6.500c0 6 4 9 10.5 9Z" fill="var(--leaf-5)" />
      <path d="M13 12.500c0-6 3.5-9.5 10.5-9.5 0 6.5-4 9.5-10.5 9.500Z" fill="var(--leaf-3)" />
      <circle cx="13" cy="3.3" r="2.5" fill="var(--bloom)" />
    </svg>
  );
}

/** A finished step on the stem of a step list; the leaves alternate. */
export function Leaf({ flipped, size = 13 }: { flipped: boolean; size?: number }) {
  return (
    <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <g transform={flipped ? 'translate(16 0) scale(-1 1)' : undefined}>
        <path d="M2 14C1 6 6 2 14 2L2 14Z" fill="var(--leaf-5)" />
        <path d="M2 14C10 15 14 10 14 2L2 14Z" fill="var(--leaf-3)" />
      </g>
    </svg>
  );
}
