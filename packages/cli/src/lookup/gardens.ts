import type { Client } from '@hortus/client/client';
import type { GardenCommit } from '@hortus/contract/resources/garden-source-records';
import type { Garden } from '@hortus/contract/resources/gardens';
import { Failure } from '../failure.ts';
import { isId } from './by-name.ts';
import { findListed } from './listed.ts';

export const findGarden = (client: Client, reference: string): Promise<Garden> =>
  findListed(client.pages('gardens.list', {}), 'garden', reference, ({ name }: Garden) => [name]);

/** Finds a garden that follows a repository. */
export async function findFollowed(
  client: Client,
  reference: string,
): Promise<Garden & { source: NonNullable<Garden['source']> }> {
  const { source, ...garden } = await findGarden(client, reference);
  if (source !== null) return { ...garden, source };
  throw new Failure('refused', `${garden.name} follows no repository; its file is applied with hortus apply.`, {
    hint: `hortus gardens follow <url> --name ${garden.name} lets it follow one.`,
  });
}

/** Shortest beginning of an object id that is looked up, as in Git. */
const MIN_LENGTH = 4;

/**
 * Finds a commit by id or by the beginning of its object id. Without either, returns the newest one, or the newest in the
 * wanted state.
 */
export async function findCommit(
  client: Client,
  garden: Garden,
  reference: string | undefined,
  wanted?: GardenCommit['status'],
): Promise<GardenCommit> {
  const params = { id: garden.id };
  if (reference === undefined) {
    const query = { per_page: 1, ...(wanted && { status: wanted }) };
    const [newest] = (await client.call('gardens.commits', { params, query })).data;
    if (newest !== undefined) return newest;
    throw new Failure(
      'missing',
      wanted ? `No commit of ${garden.name} is ${wanted}.` : `${garden.name} has no commits yet.`,
      {
        hint: wanted
          ? `hortus gardens commits ${garden.name}`
          : `hortus gardens sync ${garden.name} reads its repository.`,
      },
    );
  }
  const named = isId('gardenCommit', reference)
    ? ({ id }: GardenCommit) => id === reference
    : ({ sha }: GardenCommit) => reference.length >= MIN_LENGTH && sha.startsWith(reference.toLowerCase());
  const found: GardenCommit[] = [];
  for await (const page of client.pages('gardens.commits', { params })) if (named(page)) found.push(page);
  const [commit] = found;
  if (commit === undefined)
    throw new Failure('missing', `${garden.name} has no commit ${reference}.`, {
      hint: `hortus gardens commits ${garden.name}`,
    });
  // A commit that was planned again is there twice; the newest one counts.
  if (found.every(({ sha }) => sha === commit.sha)) return commit;
  throw new Failure('missing', `${reference} is the beginning of several commits.`, {
    hint: `Use more characters: ${found.map(({ sha }) => sha.slice(0, 12)).join(', ')}.`,
  });
}
