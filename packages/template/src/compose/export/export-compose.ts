import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { stringify } from 'yaml';
import type { Canonical } from '../../canonical/canonical-form.ts';
import { checkInputs, type Inputs } from '../../inputs/inputs.ts';
import type { Problem } from '../../problem.ts';
import { resolve } from '../../resolution/resolve.ts';
import { generateSecrets } from '../../secrets/secrets.ts';
import { ComposeFile } from './compose-file.ts';
import { composeService } from './compose-service.ts';

export interface ExportOptions {
  inputs: Inputs;
  profile?: string;
  variant?: string;
  /** Values for secrets that would otherwise be generated. */
  secrets?: Readonly<Record<string, string>>;
}

export type ComposeExport =
  | {
      ok: true;
      text: string;
      /** Parts of the template that a Compose file cannot express. */
      dropped: string[];
      /** Names of secrets that were generated for this file; it contains their values. */
      generated: string[];
    }
  | { ok: false; problems: Problem[] };

/** Writes a Compose file that runs what a definition of the template with these inputs would run. */
export async function exportCompose(spec: Canonical, options: ExportOptions): Promise<ComposeExport> {
  const checked = checkInputs(spec, options.inputs, { mode: 'create' });
  if (!checked.ok) return checked;
  const texts = Object.entries(checked.values).map(([name, value]): [string, string] => [name, String(value)]);
  const existing = { ...Object.fromEntries(texts), ...options.secrets };
  const made = await generateSecrets(spec, { existing });
  const resolution = resolve(spec, {
    inputs: checked.values,
    secrets: { ...made, ...options.secrets },
    instance: { uid: spec.slug, name: spec.name, server_id: 'compose' },
    ...(options.profile === undefined ? {} : { profile: options.profile }),
    ...(options.variant === undefined ? {} : { variant: options.variant }),
  });
  if (!resolution.ok) return resolution;
  const { file, dropped } = composeFile(resolution.manifest);
  return { ok: true, text: stringify(file, { lineWidth: 0 }), dropped, generated: Object.keys(made) };
}

function composeFile(manifest: Manifest): { file: Record<string, unknown>; dropped: string[] } {
  const names = serviceNames(manifest.components);
  const file = new ComposeFile(manifest, names);
  for (const component of manifest.components) file.add(component, composeService(component, file));
  return { file: file.content(), dropped: file.dropped };
}

/** Names each service after its first alias if that is free, because others use that name. */
function serviceNames(components: readonly ManifestComponent[]): Map<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const { name, aliases = [] } of components) {
    const free = [aliases[0], name].find((wanted) => wanted !== undefined && !taken.has(wanted)) ?? name;
    taken.add(free);
    names.set(name, free);
  }
  return names;
}
