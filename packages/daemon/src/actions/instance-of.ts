import type { Engine } from '../engine/engine.ts';
import type { ActionRequest } from '../journal/action.ts';
import type { Journal } from '../journal/journal.ts';
import { label } from '../plan/labels.ts';

/** Returns the instance of a container name, which is its uid; a renamed container still has its label. */
export async function instanceOf(
  { engine, journal }: { engine: Pick<Engine, 'inspect'>; journal: Pick<Journal, 'manifests'> },
  { container_name }: ActionRequest,
): Promise<string> {
  if (journal.manifests.of(container_name)) return container_name;
  const facts = await engine.inspect(container_name);
  return facts?.labels[label.instance] ?? container_name;
}
