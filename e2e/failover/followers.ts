import type { Client } from '@hortus/client/client';
import type { ContainerLine } from '@hortus/contract/resources/logs';
import { PAGE_IMAGE } from '../docker/test-species.ts';

/** Prints numbered lines without an end. */
export const ticker = `
slug: ticker
name: Ticker
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
command: [sh, -c, 'i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.3; done']
stop_signal: SIGKILL
`;

/**
 * Writes lines by an action. Without a health check: fifty of them at once leave a small machine no time to answer one, and
 * the deployment would rightly fail.
 */
export const notes = `
slug: notes
name: Notes
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
command: [sh, -c, 'while :; do sleep 3600; done']
stop_signal: SIGKILL
storage: [{name: data, mount_path: /data, critical: true}]
actions:
  - {name: Write a line, slug: note, type: exec, command: [sh, -c, 'echo "$1" >> /data/lines', note, "\${params.line}"],
     timeout: 60s, params: [{name: line, type: text, required: true}]}
`;

export interface Follower {
  /** Number of the last line received. */
  readonly last: number;
  /** Places where lines are missing without a word, or came twice, such as `41 to 43`. */
  readonly broken: readonly string[];
  /** Lines that the service says it left out. */
  readonly leftOut: number;
  leave(): Promise<void>;
}

/** Follows the log of a ticker across everything that happens to replicas and database. */
export function follow(client: Client, id: string): Follower {
  const leaving = new AbortController();
  let last = 0;
  let leftOut = 0;
  /** Lines left out since the last one received. */
  let untilNext = 0;
  const broken: string[] = [];
  const over = (async () => {
    const call = { params: { id }, signal: leaving.signal };
    for await (const { event, data } of client.stream('logs.instance', call)) {
      if (event === 'left_out') {
        const { lines } = data as { lines: number };
        leftOut += lines;
        untilNext += lines;
      }
      if (event !== 'line') continue;
      const number = Number((data as ContainerLine).text.replace('line ', ''));
      // A stream begins with the last lines, which are not all if the ticker has run for a while.
      if (last > 0 && number !== last + untilNext + 1)
        broken.push(`${last} to ${number}${untilNext > 0 ? `, ${untilNext} left out` : ''}`);
      untilNext = 0;
      last = number;
    }
  })();
  over.catch(() => {});
  return {
    get last() {
      return last;
    },
    broken,
    get leftOut() {
      return leftOut;
    },
    async leave() {
      leaving.abort();
      await over.catch(() => {});
    },
  };
}
