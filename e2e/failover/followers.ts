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

export interface Follower {
  /** Number of the last line received. */
  readonly last: number;
  /** Lines that are missing or came twice. */
  readonly broken: number;
  leave(): Promise<void>;
}

/** Follows the log of a ticker across everything that happens to replicas and database. */
export function follow(client: Client, id: string): Follower {
  const leaving = new AbortController();
  let last = 0;
  let broken = 0;
  const over = (async () => {
    const call = { params: { id }, query: { after: '0' }, signal: leaving.signal };
    for await (const { event, data } of client.stream('logs.instance', call)) {
      if (event !== 'line') continue;
      const number = Number((data as ContainerLine).text.replace('line ', ''));
      if (number !== last + 1) broken++;
      last = number;
    }
  })();
  over.catch(() => {});
  return {
    get last() {
      return last;
    },
    get broken() {
      return broken;
    },
    async leave() {
      leaving.abort();
      await over.catch(() => {});
    },
  };
}
