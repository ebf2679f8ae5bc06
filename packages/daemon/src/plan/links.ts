import type { ManifestComponent } from '@hortus/contract/template/manifest';
import type { LinkSpec } from '../engine/engine.ts';
import { label, ownerLabels } from './labels.ts';
import { linkName } from './names.ts';
import { instanceNetworkSize } from './network-size.ts';

/**
 * Returns the networks that connect the components of an instance with those of other instances. There is one for each used
 * component of another instance. It has no way out and belongs to the instance that uses it, so that instances that use the same
 * one cannot reach each other.
 */
export function linkNetworks(
  uid: string,
  components: readonly ManifestComponent[],
  own: Readonly<Record<string, string>>,
): LinkSpec[] {
  const links = components.flatMap(({ links: of = [], replicas }) => of.map((link) => ({ link, replicas })));
  return [...Map.groupBy(links, ({ link }) => linkName(uid, link))].map(([name, users]) => {
    const { link } = users[0] as (typeof users)[number];
    return {
      name,
      labels: { ...own, [label.linkTo]: link.definition_id, [label.linkComponent]: link.component },
      owner: [...ownerLabels, label.linkTo, label.linkComponent],
      internal: true,
      // The spare addresses are for the containers of the other instance.
      addresses: instanceNetworkSize(users.reduce((sum, { replicas }) => sum + replicas, 0)),
      link,
    };
  });
}
