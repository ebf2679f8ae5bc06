import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { replaceAt } from '@hortus/template/schema/json-pointer';
import { looksSecret } from '@hortus/template/secrets/secret-name';

/** Lists the values to hide in the output of an instance. */
export const hiddenValues = (manifest: SignedManifest): string[] => manifest.hidden ?? likelyValues(manifest);

/** A manifest of an older service has no list: hides the texts that were sealed, and variables with names of secrets. */
function likelyValues(manifest: SignedManifest): string[] {
  const values: string[] = [];
  for (const pointer of Object.keys(manifest.sealed?.fields ?? {}))
    replaceAt(manifest, pointer, (text) => {
      if (typeof text === 'string') values.push(text);
      return text;
    });
  for (const { env } of manifest.components)
    for (const [name, value] of Object.entries(env)) if (looksSecret(name)) values.push(value);
  return values;
}
