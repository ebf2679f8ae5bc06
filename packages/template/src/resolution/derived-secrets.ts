import type { Manifest } from '@hortus/contract/template/manifest';

/** Fields of a manifest that are computed from a field of the template, by the pointer of that field. */
const DERIVED: readonly (readonly [RegExp, string])[] = [
  [/^(\/(?:components|actions)\/\d+\/image)\/\w+$/, ''],
  [/^(\/routes\/\d+)\/(?:host|path)$/, '/url'],
  [/^(\/components\/\d+)\/shm_size$/, '/shm_size_bytes'],
  [/^(\/components\/\d+)\/stop_grace_period$/, '/stop_grace_period_ms'],
  [/^(\/components\/\d+\/log(?:s|ging))\/max_size$/, '/max_bytes'],
  [/^(\/components\/\d+\/tmpfs\/\d+)\/size$/, '/size_bytes'],
  [/^(\/components\/\d+\/storage\/\d+)\/name$/, '/volume'],
  [/^(\/components\/\d+\/resources)\/cpu$/, '/cpus'],
  [/^(\/components\/\d+\/resources\/memory(?:_reservation)?)$/, '_bytes'],
];

/** Parts of a component that become permissions. */
const REACHING = /^\/components\/(\d+)\/(?:storage|devices|ports|sysctls)\//;

/**
 * Returns the pointers to what a resolution computes from texts with secrets. The validator refuses such texts, but
 * templates that were stored before it did are still deployed.
 */
export function derivedSecretPaths(
  { components, permissions }: Pick<Manifest, 'components' | 'permissions'>,
  secretPaths: readonly string[],
): string[] {
  const reaching = new Set<number>();
  const paths = secretPaths.flatMap((path) => {
    const component = REACHING.exec(path)?.[1];
    if (component !== undefined) reaching.add(Number(component));
    return DERIVED.flatMap(([pattern, field]) => {
      const base = pattern.exec(path)?.[1];
      return base === undefined ? [] : [`${base}${field}`];
    });
  });
  for (const at of reaching) {
    const { name, ports = [] } = components[at] ?? {};
    // Ranges of ports are written out, so their places in the template say nothing.
    paths.push(...ports.map((_, index) => `/components/${at}/ports/${index}/host_port`));
    paths.push(
      ...permissions.flatMap(({ component }, index) => (component === name ? `/permissions/${index}/value` : [])),
    );
  }
  return [...new Set(paths)];
}
