import type { Bundle } from '@hortus/contract/resources/imports';
import { splitSecretInputs } from '@hortus/template/inputs/inputs';
import { generateSecrets } from '@hortus/template/secrets/secrets';
import { invalid, Problem } from '../../problem.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import type { Order } from '../definitions/public.ts';
import { type CatalogTemplate, checkInput, checkProfile, checkVariant } from '../templates/public.ts';

/** Target of an import: server and names. */
export interface Destination {
  readonly definitionId: string;
  readonly serverId: string;
  readonly name: string;
  readonly instanceUid: string;
  /** Name on the server, once chosen. */
  readonly containerName?: string | undefined;
}

/**
 * Turns a bundle into a definition order: validated against the template like any request, with the secrets of the
 * bundle. Generated secrets that the bundle lacks are created.
 */
export async function orderOf(
  { reader, work }: { readonly reader: Queries; readonly work: Work },
  bundle: Bundle,
  template: CatalogTemplate,
  destination: Destination,
): Promise<Order> {
  const input: Record<string, string> = {};
  const generated: Record<string, string> = {};
  for (const { name, kind, value } of bundle.secrets) {
    if (kind !== 'generated') input[name] = value;
    else if (Object.hasOwn(template.spec.secrets, name.replace(/\.public$/, ''))) generated[name] = value;
    else throw invalid('bundle.secrets', `the template has no secret ${name}.`);
  }
  const inputs = { ...bundle.inputs, ...input };
  const check = await checkInput(reader, work, template, inputs, { mode: 'create' }, 'bundle.inputs');
  if (!check.ok) {
    const problems = check.problems.map(({ field, message }) => ({ field: `bundle.${field}`, message }));
    const [first] = problems;
    const details = { reason: 'invalid', field: first?.field, problems };
    throw new Problem('VALIDATION_ERROR', `${first?.field}: ${first?.message}`, details);
  }
  const { plain, secret } = splitSecretInputs(template.spec, check.values);
  return {
    id: destination.definitionId,
    template,
    name: destination.name,
    instanceUid: destination.instanceUid,
    containerName: destination.containerName,
    serverId: destination.serverId,
    tenantId: null,
    profile: checkProfile(template, bundle.profile),
    variant: checkVariant(template, bundle.variant),
    watchSeconds: bundle.watch_seconds,
    backup: bundle.backup,
    heal: bundle.heal,
    plain,
    secret,
    generated: { ...generated, ...(await generateSecrets(template.spec, { existing: generated })) },
  };
}
