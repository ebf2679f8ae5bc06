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
  /** Places where lines are missing or came twice, such as `41 to 43`, and how many the service says it left out. */
  readonly broken: readonly string[];
  leave(): Promise<void>;
}

/** Follows the log of a ticker across everything that happens to replicas and database. */
export function follow(client: Client, id: string): Follower {
  const leaving = new AbortController();
  let last = 0;
  const broken: string[] = [];
  const over = (async () => {
    const call = { params: { id }, signal: leaving.signal };
    for await (const { event, data } of client.stream('logs.instance', call)) {
      if (event === 'left_out') broken.push(JSON.stringify(data));
      if (event !== 'line') continue;
      const number = Number((data as ContainerLine).text.replace('line ', ''));
      // A stream begins with the last lines, which are not all if the ticker has run for a while.
      if (last > 0 && number !== last + 1) broken.push(`${last} to ${number}`);
      last = number;
    }
  })();
  over.catch(() => {});
  return {
    get last() {
      return last;
    },
    broken,
    async leave() {
      leaving.abort();
      await over.catch(() => {});
    },
  };
}
