import pg from 'pg';
import { expect } from 'vitest';
import type { Replicas } from './replicas.ts';

export interface Counts {
  /** Changes that were answered with success. */
  readonly acknowledged: number;
  /** Acknowledged changes that are missing. */
  readonly lost: number;
  /** Those of them that were acknowledged after the fault. */
  readonly lostSince: number;
  /** Changes that were made twice. */
  readonly doubled: number;
  /** Seconds from the fault to the first success of a request that was sent after it. */
  readonly firstSuccess: number;
}

interface Write {
  readonly name: string;
  readonly sent: number;
  readonly responded: number;
}

export interface Writers {
  readonly acknowledged: readonly Write[];
  /** Notes the time of the fault. */
  fault(): void;
  /** Whether a request that was sent after the fault has succeeded. */
  readonly recovered: boolean;
  /** Stops writing, and compares what was acknowledged with what there is. */
  stop(): Promise<Counts>;
}

/** Creates API keys continuously, each under a name of its own; a doubled request creates two keys with one name. */
export function startWriters({ client, cluster }: Replicas, name: string, count = 8): Writers {
  const acknowledged: Write[] = [];
  const unanswered: unknown[] = [];
  let faultAt = Number.POSITIVE_INFINITY;
  let going = true;
  const write = async (writer: number) => {
    for (let turn = 0; going; turn++) {
      const named = `${name}-${writer}-${turn}`;
      const sent = Date.now();
      try {
        await client.call('keys.create', { body: { name: named, permissions: ['servers:read'] } });
        acknowledged.push({ name: named, sent, responded: Date.now() });
      } catch (error) {
        unanswered.push(error);
      }
    }
  };
  const writing = Array.from({ length: count }, (_, writer) => write(writer));
  const after = () => acknowledged.filter(({ sent }) => sent >= faultAt);
  return {
    acknowledged,
    fault() {
      faultAt = Date.now();
    },
    get recovered() {
      return after().length > 0;
    },
    async stop() {
      going = false;
      await Promise.all(writing);
      const found = await namesOfKeys(cluster.urlOf(await cluster.primary()), `${name}-`);
      const present = new Set(found);
      // The client retries for longer than any fault of these tests lasts.
      expect(unanswered).toEqual([]);
      const lost = acknowledged.filter((write) => !present.has(write.name));
      return {
        acknowledged: acknowledged.length,
        lost: lost.length,
        lostSince: lost.filter(({ responded }) => responded >= faultAt).length,
        doubled: found.length - present.size,
        firstSuccess: (Math.min(...after().map(({ responded }) => responded)) - faultAt) / 1000,
      };
    },
  };
}

/** Reads the database itself: the list of keys has a hundred on each page. */
async function namesOfKeys(connectionString: string, prefix: string): Promise<string[]> {
  const database = new pg.Client({ connectionString });
  await database.connect();
  try {
    const { rows } = await database.query('select name from api_keys where starts_with(name, $1)', [prefix]);
    return rows.map((row) => row.name);
  } finally {
    await database.end();
  }
}

/** Prints the counts of a fault, and holds them against the promise. */
export function expectNothingLost(fault: string, counts: Counts): void {
  const { acknowledged, lost, lostSince, doubled, firstSuccess } = counts;
  console.log(
    `${fault}: ${acknowledged} acknowledged, ${lost} lost (${lostSince} after the fault), ${doubled} doubled, first success after ${firstSuccess.toFixed(1)} s`,
  );
  expect({ lost, doubled }, fault).toEqual({ lost: 0, doubled: 0 });
  expect(acknowledged).toBeGreaterThan(0);
  expect(firstSuccess).toBeLessThan(60);
}
