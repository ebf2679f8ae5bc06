import type { Machine, Move } from './machine.ts';

/** One arrow of a diagram; `null` is the start of a record. */
interface Arrow {
  readonly from: string | null;
  readonly to: string;
  readonly label: string;
}

const label = (m: Move<string>): string => (m.guard ? `${m.move} [${m.guard}]` : m.move);

/** Returns every arrow that the table allows; moves between the same two states share one. */
function arrows(machine: Machine): Arrow[] {
  const drawn = new Map<string, Arrow>();
  for (const m of machine.moves) {
    const starts = m.from === 'none' ? [null] : m.from === 'any' ? machine.states : m.from;
    for (const from of starts) {
      const to = m.to === 'same' ? from : m.to;
      if (to === null) continue;
      const key = `${from ?? ''} ${to}`;
      const before = drawn.get(key);
      drawn.set(key, { from, to, label: before ? `${before.label}, ${label(m)}` : label(m) });
    }
  }
  return [...drawn.values()];
}

/** A Mermaid `stateDiagram-v2`. Names of states are plain words, so they need no quoting. */
export function diagram(machine: Machine): string {
  const lines = arrows(machine).map((a) => `  ${a.from ?? '[*]'} --> ${a.to}: ${a.label}`);
  const ends = machine.final.map((state) => `  ${state} --> [*]`);
  return ['stateDiagram-v2', ...lines, ...ends].join('\n');
}

const starts = (m: Move<string>): string => {
  if (m.from === 'none') return 'nothing';
  return m.from === 'any' ? 'any state' : m.from.join(', ');
};

/** Renders the table of moves, with guards and events. */
function moveTable(machine: Machine): string {
  const rows = machine.moves.map(
    (m) => `| ${m.move} | ${starts(m)} | ${m.to === 'same' ? 'stays' : m.to} | ${m.guard ?? ''} | ${m.event ?? ''} |`,
  );
  return ['| move | from | to | only if | event |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** Renders the page of all machines. */
export function statesPage(machines: readonly Machine[]): string {
  const head =
    '# States\n\nEvery status in Hortus changes only by the moves in these tables. This page is generated from them: do not edit it, run\n`node packages/contract/src/machines/print-states.ts > docs/states.md`. Rows of one move are tried from the top; the first\nwhose condition holds is taken.\n';
  const sections = machines.map((m) => {
    const final = m.final.length ? `\n\nFinal: ${m.final.join(', ')}.` : '';
    return `## ${m.name}\n\n\`\`\`mermaid\n${diagram(m)}\n\`\`\`\n\n${moveTable(m)}${final}\n`;
  });
  return [head, ...sections].join('\n');
}
